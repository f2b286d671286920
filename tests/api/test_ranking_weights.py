"""An organisation says what each signal counts for where memories are ranked by `weighted`."""

import httpx
import pytest

from support.promises import choose
from support.user_memories import added, found

NOTHING = {"keyword": 0, "vector": 0, "reliability": 0, "recency": 0, "frequency": 0}


async def test_results_are_ranked_by_the_organisations_weights(api: httpx.AsyncClient) -> None:
    """Also by a single one of them, and from the next search on; 0 is 0 and not the usual."""
    await added(api, "Anna paints boats in the harbour.", reliability=0.3)
    await added(api, "The harbour freezes in winter.", reliability=0.9)
    first = (await found(api, "Who paints boats?"))["results"]
    assert first[0]["memory"]["content"] == "Anna paints boats in the harbour."
    await choose(api, ranking_weights=NOTHING | {"reliability": 1})
    results = (await found(api, "Who paints boats?"))["results"]
    assert [(one["memory"]["content"], one["score"]) for one in results] == [
        ("The harbour freezes in winter.", pytest.approx(0.9)),
        ("Anna paints boats in the harbour.", pytest.approx(0.3)),
    ]
    await choose(api, ranking_weights=NOTHING | {"keyword": 0.5, "reliability": 0.5})
    for one in (await found(api, "Who paints boats?"))["results"]:
        assert one["score"] == pytest.approx(0.5 * one["keyword_score"] + 0.5 * one["reliability_score"])


@pytest.mark.parametrize(
    "weights", [NOTHING, {"keyword": 1}, NOTHING | {"keyword": 2, "vector": -1}, {"sharpness": 1}], ids=repr
)
async def test_weights_that_make_no_score_are_refused(
    api: httpx.AsyncClient, weights: dict[str, float]
) -> None:
    """With 422, and the former ones count."""
    reply = await api.post("/api/set_config", json={"ranking_weights": weights})
    assert reply.status_code == 422, reply.text
    assert "ranking_weights" in reply.text
    await added(api, "The harbour freezes in winter.", reliability=1)
    [one] = (await found(api, "harbour"))["results"]
    assert one["score"] > 0.2 * one["reliability_score"]
