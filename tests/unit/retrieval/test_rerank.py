"""A second look at the first results: what moves, what stays, what is said about it."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.errors import ProviderError, ProviderTimeout
from sagacity.domain.query import Scored
from sagacity.providers.base import Vectors
from sagacity.retrieval.rerank import Reranked, rerank
from support.windows import memory, turn

LATE = math.nan


class Judge:
    """Gives the looks that it was told, and keeps what it was shown."""

    name = "judge"

    def __init__(self, *looks: float) -> None:
        self._looks = looks
        self.query = ""
        self.shown: list[str] = []

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> Vectors:
        self.query, self.shown = query, list(texts)
        return np.array(self._looks[: len(texts)], np.float32)

    async def warm(self) -> None:
        pass


class BrokenJudge(Judge):
    def __init__(self, error: ProviderError) -> None:
        super().__init__()
        self._error = error

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> Vectors:
        raise self._error


def results(*scores: float) -> list[Scored]:
    return [
        Scored(memory=memory(number, f"text {number}"), score=score, components={"keyword": score * 10})
        for number, score in enumerate(scores, start=1)
    ]


def numbers(found: Reranked) -> list[int]:
    return [int(item.memory.memory_id) for item in found.items if item.memory]


async def looked_at(
    items: Sequence[Scored], judge: Judge, *, blend: float = 0.5, depth: int = 20
) -> Reranked:
    return await rerank(items, query="where?", reranker=judge, blend=blend, depth=depth)


async def test_reranker_alone_decides_with_a_blend_of_one() -> None:
    """The former scores are forgotten, and shown."""
    found = await looked_at(results(0.9, 0.8, 0.2), Judge(0.1, 0.2, 0.7), blend=1)
    assert numbers(found) == [3, 2, 1]
    assert found.failed == ""
    first = found.items[0].components
    assert first == {
        "keyword": pytest.approx(2.0),
        "rerank": pytest.approx(0.7),
        "before_rerank": pytest.approx(0.2),
    }


async def test_blend_of_zero_keeps_the_order() -> None:
    """The looks are shown and move nothing."""
    items = results(0.9, 0.8, 0.2)
    found = await looked_at(items, Judge(0.1, 0.2, 0.7), blend=0)
    assert numbers(found) == [1, 2, 3]
    assert [item.components["rerank"] for item in found.items] == pytest.approx([0.1, 0.2, 0.7])


async def test_blend_weighs_both_on_one_scale() -> None:
    """Each is spread from its least to its greatest: 1, 0.9, 0 and 0, 1, 0.5 give 0.5, 0.95, 0.25."""
    found = await looked_at(results(1.0, 0.95, 0.5), Judge(0.40, 0.42, 0.41))
    assert numbers(found) == [2, 1, 3]


async def test_places_keep_their_scores() -> None:
    """Whatever moves, the list of scores is as before, and falls."""
    found = await looked_at(results(0.9, 0.8, 0.2), Judge(0.1, 0.2, 0.7), blend=1)
    assert [item.score for item in found.items] == [0.9, 0.8, 0.2]


async def test_relationships_keep_their_order() -> None:
    """Equal looks at equal scores move nothing."""
    assert numbers(await looked_at(results(0.5, 0.5, 0.5), Judge(0.3, 0.3, 0.3))) == [1, 2, 3]
    assert numbers(await looked_at(results(0.5, 0.5, 0.5), Judge(0.3, 0.9, 0.3))) == [2, 1, 3]


async def test_only_the_first_are_looked_at() -> None:
    """What is deeper is not shown to the reranker and stays where it was."""
    judge, items = Judge(0.1, 0.9), results(0.9, 0.8, 0.7, 0.6)
    found = await looked_at(items, judge, blend=1, depth=2)
    assert judge.shown == ["text 1", "text 2"]
    assert judge.query == "where?"
    assert numbers(found) == [2, 1, 3, 4]
    assert found.items[2:] == tuple(items[2:])


async def test_what_was_late_keeps_its_place() -> None:
    """The others exchange theirs around it, and it is said how many were late."""
    items = results(0.9, 0.8, 0.7, 0.6)
    found = await looked_at(items, Judge(0.1, LATE, 0.5, 0.9), blend=1)
    assert numbers(found) == [4, 2, 3, 1]
    assert found.items[1] == items[1]
    assert [item.score for item in found.items] == [0.9, 0.8, 0.7, 0.6]
    assert found.failed == "judge did not get to 1 of 4 results in time"


async def test_when_all_were_late_nothing_moves() -> None:
    """The same list comes back, with the reason."""
    items = results(0.9, 0.8)
    found = await looked_at(items, Judge(LATE, LATE))
    assert found == Reranked(items=tuple(items), failed="judge did not get to 2 of 2 results in time")


@pytest.mark.parametrize("error", [ProviderError("out of memory"), ProviderTimeout("no answer")])
async def test_failure_leaves_the_order_and_is_named(error: ProviderError) -> None:
    """A reranker that fails costs nothing but its look."""
    items = results(0.9, 0.8)
    assert await looked_at(items, BrokenJudge(error)) == Reranked(items=tuple(items), failed=str(error))


async def test_nothing_found_asks_nobody() -> None:
    """An empty list comes back empty, also from a reranker that would fail."""
    assert await looked_at([], BrokenJudge(ProviderError("asked"))) == Reranked(items=())
    assert await looked_at(results(0.5), BrokenJudge(ProviderError("asked")), depth=0) == Reranked(
        items=tuple(results(0.5))
    )


async def test_things_are_shown_by_the_text_that_finds_them() -> None:
    """A memory with its trigger, a turn with what the user did."""
    judge = Judge(0.5, 0.5)
    found = [
        Scored(memory=memory(1, "Wants prices in euros.", trigger="asked for a price"), score=0.9),
        Scored(
            interaction=turn(content="The cheaper one.", user_action_description="clicked Buy"), score=0.8
        ),
    ]
    await looked_at(found, judge)
    assert judge.shown == ["asked for a price\nWants prices in euros.", "The cheaper one.\nclicked Buy"]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1) | st.just(LATE)), max_size=30),
    st.floats(0, 1),
    st.integers(0, 30),
)
async def test_nothing_is_lost_and_scores_fall(
    pairs: list[tuple[float, float]], blend: float, depth: int
) -> None:
    """Any scores, looks, blend and depth give the same things with the same falling scores."""
    scores = sorted((score for score, _ in pairs), reverse=True)
    found = await looked_at(results(*scores), Judge(*(look for _, look in pairs)), blend=blend, depth=depth)
    assert sorted(numbers(found)) == list(range(1, len(pairs) + 1))
    assert [item.score for item in found.items] == scores
    late = sum(math.isnan(look) for _, look in pairs[:depth])
    assert (f"did not get to {late} of" in found.failed) == (late > 0)
