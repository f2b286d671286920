"""How likely what was found answers the question."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.query import StrategyName
from sagacity.retrieval.evidence import evidence_of
from sagacity.retrieval.relevance import OF_MEMORIES, RELEVANCE_OF_ALL_WORDS, WORDS_ONLY, relevances
from sagacity.storage.hits import Hit, Hits

KEYWORD, VECTOR, GRAPH, PROFILE = (
    StrategyName.KEYWORD,
    StrategyName.VECTOR,
    StrategyName.GRAPH,
    StrategyName.PROFILE,
)
MINILM = "all-MiniLM-L6-v2@8199be6f"


def hit(owner: int, score: float, *, ceiling: float = 1.0, kind: str = "profile") -> Hit:
    return Hit(owner, owner, kind, score, ceiling)


def relevance(
    found: dict[StrategyName, list[Hit]], *, kind: str = "profile", embedder: str = MINILM
) -> float:
    evidence = evidence_of(kind, {name: Hits.of(hits) for name, hits in found.items()})
    return float(relevances(evidence, embedder)[evidence.owners == 1][0])


def of_words(coverage: float) -> float:
    """What words alone say."""
    return float(WORDS_ONLY(np.zeros(1), np.full(1, coverage))[0])


def test_a_paraphrase_is_relevant_and_a_stranger_is_not() -> None:
    """Whatever else was found."""
    assert relevance({VECTOR: [hit(1, 0.7)]}) > 0.95
    assert relevance({VECTOR: [hit(1, 0.05)]}) < 0.06
    alone = relevance({VECTOR: [hit(1, 0.3)]})
    assert relevance({VECTOR: [hit(2, 0.9), hit(1, 0.3)], KEYWORD: [hit(2, 4.0, ceiling=5.0)]}) == alone


def test_who_says_all_the_words_is_relevant() -> None:
    """A number or a code means nothing to an embedder."""
    found = {VECTOR: [hit(1, 0.05)], KEYWORD: [hit(1, 3.0, ceiling=5.0)]}
    assert relevance(found) == RELEVANCE_OF_ALL_WORDS
    common = {VECTOR: [hit(1, 0.05)], KEYWORD: [hit(1, 0.5, ceiling=5.0)]}
    assert relevance(common) == relevance({VECTOR: [hit(1, 0.05)]})


def test_words_alone_count_where_there_is_no_vector() -> None:
    """What is not embedded yet, and a search by words only."""
    assert relevance({KEYWORD: [hit(1, 1.0, ceiling=5.0)]}) == of_words(0.2)
    assert relevance({KEYWORD: [hit(1, 0.4, ceiling=0.0)]}) >= RELEVANCE_OF_ALL_WORDS


def test_what_is_found_without_a_match_has_none() -> None:
    """The graph and the profile do not say how well something matches."""
    found = {GRAPH: Hits.of([hit(1, 0.9)]), PROFILE: Hits.of([hit(2, 1.0)]), VECTOR: Hits.of([hit(3, 0.4)])}
    assert np.isnan(relevances(evidence_of("profile", found), MINILM)).tolist() == [True, True, False]


def test_each_embedder_has_its_own_scale() -> None:
    """An unknown one has the default's; the weights' version changes nothing."""
    by_name = {
        name: relevance({VECTOR: [hit(1, 0.25)]}, embedder=name)
        for name in ("use-multilingual@3", MINILM, "text-embedding-3-small")
    }
    [expected] = OF_MEMORIES["use-multilingual"](np.full(1, 0.25), np.zeros(1))
    assert by_name["use-multilingual@3"] == expected
    assert by_name["text-embedding-3-small"] == by_name[MINILM] != by_name["use-multilingual@3"]


def test_turns_have_a_scale_of_their_own() -> None:
    """A turn's words count beside its meaning."""
    turn = {VECTOR: [hit(1, 0.4, kind="interaction")]}
    with_words = turn | {KEYWORD: [hit(1, 1.5, ceiling=5.0, kind="interaction")]}
    assert relevance(with_words, kind="interaction") > relevance(turn, kind="interaction")


@given(st.floats(-1, 1), st.floats(0, 10), st.floats(0, 10), st.sampled_from(["profile", "interaction"]))
def test_it_is_a_probability(cosine: float, score: float, ceiling: float, kind: str) -> None:
    """For any scores."""
    found = {VECTOR: [hit(1, cosine, kind=kind)], KEYWORD: [hit(1, score, ceiling=ceiling, kind=kind)]}
    assert 0 <= relevance(found, kind=kind) <= 1


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_higher_cosine_is_never_less_relevant(one: float, other: float) -> None:
    """So a threshold on relevance is one on the cosine."""
    low, high = sorted((one, other))
    assert relevance({VECTOR: [hit(1, low)]}) <= relevance({VECTOR: [hit(1, high)]})


def test_the_default_calibration_is_that_of_the_built_in_model() -> None:
    """Even odds at a cosine of 0.29."""
    assert OF_MEMORIES["all-MiniLM-L6-v2"](3.46 / 11.75, 0.0) == pytest.approx(0.5)
