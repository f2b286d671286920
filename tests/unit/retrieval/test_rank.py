"""Several rankings become one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sagacity.retrieval.rank import fuse
from sagacity.storage.base import Hit


def hits(*owners: int, best: float = 1.0) -> list[Hit]:
    return [Hit(owner, owner, "profile", best - n / 100) for n, owner in enumerate(owners)]


RANKINGS = st.fixed_dictionaries(
    {},
    optional={
        name: st.lists(st.integers(1, 30), unique=True).map(lambda owners: hits(*owners))
        for name in ("vector", "keyword")
    },
)


def test_found_by_both_beats_found_by_one() -> None:
    """What two strategies found second goes before what one found first."""
    ranked = fuse({"vector": hits(1, 2), "keyword": hits(3, 2)})
    assert [one.owner_id for one in ranked] == [2, 1, 3]
    assert ranked[0].components == {"vector": 0.99, "keyword": 0.99}


def test_first_in_every_strategy_scores_one() -> None:
    """The scale does not depend on how many strategies there are."""
    assert fuse({"vector": hits(1)})[0].score == pytest.approx(1.0)
    assert fuse({"vector": hits(1), "keyword": hits(1)})[0].score == pytest.approx(1.0)


def test_nothing_found_gives_nothing() -> None:
    """Empty rankings are no error."""
    assert fuse({}) == fuse({"vector": [], "keyword": []}) == []


def test_negative_offset_is_a_callers_bug() -> None:
    """The offset can not be below zero."""
    with pytest.raises(ValueError, match="-1"):
        fuse({"vector": hits(1)}, k=-1)


@given(RANKINGS)
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_fused_is_complete_ordered_and_bounded(rankings: dict[str, list[Hit]]) -> None:
    """Everything found is there once with all its evidence, best first, scored in (0, 1]."""
    ranked = fuse(rankings)
    assert sorted(one.owner_id for one in ranked) == sorted(
        {h.owner_id for hs in rankings.values() for h in hs}
    )
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert all(0 < one.score <= 1 + 1e-12 for one in ranked)
    for one in ranked:
        found = {name: h.score for name, hs in rankings.items() for h in hs if h.owner_id == one.owner_id}
        assert one.components == found


@given(st.lists(st.integers(1, 30), unique=True))
@settings(max_examples=50, deadline=None, derandomize=True, database=None)
def test_one_ranking_keeps_its_order(owners: list[int]) -> None:
    """Fusing a single list changes nothing."""
    assert [one.owner_id for one in fuse({"keyword": hits(*owners)})] == owners
