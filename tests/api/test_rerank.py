"""Reranking as a server is set up for it: what a caller gets with it, without it, and with a wrong setting."""

from pathlib import Path

import pytest

from sagacity.domain.errors import ConfigError
from support.api import add_profile, client_of, running, settings_in
from support.reranking_server import Answer, reranking_server

pytestmark = pytest.mark.usefixtures("closed_clients")


async def found_in(settings) -> dict:
    """What a search by words finds that asks for a closer look."""
    async with running(settings) as app, client_of(app) as api:
        await add_profile(api, "anna anna")
        await add_profile(api, "in lisbon anna does live")
        body = {"user_id": "anna", "query": "where does anna live", "search_mode": "fts", "rerank": True}
        reply = await api.post("/api/search_profiles", json=body)
        assert reply.status_code == 200, reply.text
        return reply.json()


async def test_search_that_asks_for_it_is_reranked(tmp_path: Path) -> None:
    """Each result shows what the reranker said, and what its score was before."""
    with reranking_server() as server:
        settings = settings_in(tmp_path, reranker="hosted_vllm/scripted", reranker_api_base=server.base_url)
        found = await found_in(settings)
    parts = {one["content"]: one["score_components"] for one in found["user_profiles"]}
    assert set(parts) == {"anna anna", "in lisbon anna does live"}
    assert all({"rerank", "before_rerank"} <= set(one) for one in parts.values())
    assert parts["in lisbon anna does live"]["rerank"] > parts["anna anna"]["rerank"]
    assert "rerank" not in found.get("msg", "")


async def test_search_without_a_reranker_answers_and_says_so(tmp_path: Path) -> None:
    """Who asks a server that has none gets the results as they are, and the setting's name."""
    found = await found_in(settings_in(tmp_path))
    assert len(found["user_profiles"]) == 2
    assert all("rerank" not in one["score_components"] for one in found["user_profiles"])
    assert "SAGACITY_RERANKER" in found["msg"]


async def test_given_profiles_are_sorted_by_the_reranker_alone(tmp_path: Path) -> None:
    """Those of the user that were named, and no others; without a reranker as a search sorts them."""
    for reranked in (True, False):
        with reranking_server() as server:
            chosen = {"reranker": "hosted_vllm/scripted", "reranker_api_base": server.base_url}
            settings = settings_in(tmp_path / str(reranked), **(chosen if reranked else {}))
            async with running(settings) as app, client_of(app) as api:
                for text, user_id in (
                    ("anna anna", "anna"),
                    ("in lisbon anna does live", "anna"),
                    ("anna", "ben"),
                ):
                    await add_profile(api, text, user_id=user_id)
                await add_profile(api, "anna lives")
                everyone = (await api.get("/api/get_all_profiles")).json()["user_profiles"]
                ids = [one["profile_id"] for one in everyone if one["content"] != "anna lives"]
                body = {"user_id": "anna", "query": "where does anna live", "profile_ids": [*ids, "no-such"]}
                found = (await api.post("/api/rerank_user_profiles", json=body)).json()
                first = await api.post("/api/rerank_user_profiles", json=body | {"top_k": 1})
                nobody = await api.post("/api/rerank_user_profiles", json=body | {"profile_ids": []})
        told = [one["content"] for one in found["user_profiles"]]
        assert sorted(told) == ["anna anna", "in lisbon anna does live"]
        assert told[0] == "in lisbon anna does live" or not reranked
        assert ("SAGACITY_RERANKER" in found.get("msg", "")) is not reranked
        assert [one["content"] for one in first.json()["user_profiles"]] == told[:1]
        assert nobody.json()["user_profiles"] == []


async def test_wrong_reranker_stops_the_start(tmp_path: Path) -> None:
    """Rather than that every search says it failed."""
    with reranking_server() as server:
        server.script(Answer(status=401))
        settings = settings_in(tmp_path, reranker="hosted_vllm/scripted", reranker_api_base=server.base_url)
        with pytest.raises(ConfigError, match=r"SAGACITY_RERANKER: .*401"):
            async with running(settings):
                pass
