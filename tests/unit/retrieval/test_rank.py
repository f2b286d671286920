"""What the strategies found becomes one list."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.analysis import Intent, QueryAnalysis, Speaker, TimeKind, TimeReference
from sagacity.domain.query import Ranking, StrategyName, similarity
from sagacity.retrieval.evidence import evidence_of
from sagacity.retrieval.rank import Ranked, needs_standings, rank
from sagacity.storage.hits import Hit, Hits
from sagacity.storage.search.ranking_signals import RankingSignals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEYWORD, VECTOR, GRAPH = StrategyName.KEYWORD, StrategyName.VECTOR, StrategyName.GRAPH
PLAIN = QueryAnalysis(original_query="", intent=Intent.QUESTION, reference_at=NOW)


def hit(owner: int, score: float, *, ceiling: float = 1.0, kind: str = "profile") -> Hit:
    return Hit(owner, owner, kind, score, ceiling)


def turn(owner: int, score: float) -> Hit:
    return hit(owner, score, kind="interaction")


def said(seq: int, *, session: str = "s", terms: int = 15, first_person: float = 0.0) -> RankingSignals:
    return RankingSignals(
        happened_at=NOW, term_count=terms, first_person=first_person, session=("anna", session), seq=seq
    )


def ranked(found, *, ranking=Ranking.BLENDED, standings=None, analysis=PLAIN) -> list[Ranked]:
    kind = next((hit.kind for hits in found.values() for hit in hits), "profile")
    evidence = evidence_of(kind, {name: Hits.of(hits) for name, hits in found.items()})
    return list(rank(evidence, ranking=ranking, standings=standings or {}, analysis=analysis, now=NOW))


def owners(found, **options) -> list[int]:
    return [one.owner_id for one in ranked(found, **options)]


# --- blended ----------------------------------------------------------------------------------------------------------


def test_found_by_both_beats_found_by_one() -> None:
    """What says the words and means the same goes before what does one of the two."""
    found = {KEYWORD: [hit(1, 3.0), hit(2, 2.5)], VECTOR: [hit(3, 0.6), hit(2, 0.55)]}
    assert owners(found)[0] == 2


def test_parts_add_up_to_the_score() -> None:
    """What a score was made of is shown, and nothing else went into it."""
    found = {KEYWORD: [turn(1, 3.0), turn(2, 1.0)], VECTOR: [turn(1, 0.6), turn(2, 0.5)], GRAPH: []}
    standings = {
        ("interaction", 1): said(1, first_person=0.1),
        ("interaction", 2): said(2, first_person=0.01),
    }
    for one in ranked(found, standings=standings):
        parts = {name: part for name, part in one.components.items() if name.endswith("_part")}
        assert sum(parts.values()) == pytest.approx(one.score)
        assert {"keyword_part", "neighbours_part", "first_person_part"} <= set(parts)
    assert ranked(found)[0].components["keyword"] == 3.0


def test_words_count_by_how_much_of_the_question_they_are() -> None:
    """Where the best match says one common word of many rare ones, meaning decides."""
    by_meaning = [hit(2, 0.6), hit(1, 0.3)]
    assert owners({KEYWORD: [hit(1, 5.0, ceiling=6.0)], VECTOR: by_meaning}) == [1, 2]
    assert owners({KEYWORD: [hit(1, 0.5, ceiling=6.0)], VECTOR: by_meaning}) == [2, 1]


def test_cosines_close_together_stay_close() -> None:
    """Of two that mean nearly the same neither is drawn down to nothing."""
    first, second = ranked({VECTOR: [hit(1, 0.62), hit(2, 0.60)]})
    assert second.score > 0.9 * first.score


def test_one_thing_alone_scores_one() -> None:
    """The scale does not depend on how much was found or asked."""
    assert ranked({VECTOR: [hit(1, 0.3)]})[0].score == pytest.approx(1.0)
    assert ranked({KEYWORD: [hit(1, 0.1)]})[0].score == pytest.approx(1.0)


def test_a_brief_turn_has_a_share_of_its_neighbours() -> None:
    """ "Yes, at five" is found beside the question that it answers; a page that stands there as well is not raised."""
    found = {KEYWORD: [turn(1, 4.0)], VECTOR: [turn(1, 0.6), turn(2, 0.3), turn(9, 0.3)]}
    brief = {("interaction", 1): said(1), ("interaction", 2): said(2, terms=2)}
    elsewhere = {("interaction", 9): said(2, session="other")}
    assert owners(found, standings=brief | elsewhere) == [1, 2, 9]
    long = {("interaction", 1): said(1), ("interaction", 2): said(2, terms=600)}
    gain = {
        name: next(
            one.components["neighbours_part"] for one in ranked(found, standings=them) if one.owner_id == 2
        )
        for name, them in (("brief", brief), ("long", long))
    }
    assert gain["brief"] > 10 * gain["long"] > 0


def test_neighbours_stand_side_by_side() -> None:
    """A turn further on in the session, and one of another session with the next number, share nothing."""
    found = {KEYWORD: [turn(1, 4.0), turn(2, 1.0)]}
    for other in (said(3), said(2, session="other")):
        standings = {("interaction", 1): said(1), ("interaction", 2): other}
        assert not any("neighbours_part" in one.components for one in ranked(found, standings=standings))


def test_who_speaks_of_themself_goes_first() -> None:
    """Unless the question is what the agent said."""
    found = {KEYWORD: [turn(1, 2.0), turn(2, 1.9)]}
    standings = {("interaction", 1): said(1), ("interaction", 2): said(5, first_person=0.1)}
    assert owners(found, standings=standings) == [2, 1]
    asks_agent = PLAIN.model_copy(update={"speaker": Speaker.AGENT})
    assert owners(found, standings=standings, analysis=asks_agent) == [1, 2]


def test_what_happened_then_goes_first() -> None:
    """Of two equals, the one that happened when the question says; an open end admits all before or after."""
    found = {VECTOR: [hit(1, 0.5), hit(2, 0.5)]}
    standings = {
        ("profile", 1): RankingSignals(happened_at=NOW),
        ("profile", 2): RankingSignals(happened_at=NOW - timedelta(days=40)),
    }
    before = TimeReference(text="before February", kind=TimeKind.RANGE, end=NOW - timedelta(days=30))
    assert owners(found, standings=standings) == [1, 2]
    analysis = PLAIN.model_copy(update={"time_reference": before})
    assert owners(found, standings=standings, analysis=analysis) == [2, 1]
    assert needs_standings(Ranking.BLENDED, analysis, "profile")
    assert not needs_standings(Ranking.BLENDED, PLAIN, "profile")


# --- reciprocal ranks -------------------------------------------------------------------------------------------------


def test_reciprocal_ranks_have_no_other_measure_than_the_place() -> None:
    """What two strategies found second goes before what one found first, whatever the scores."""
    found = {VECTOR: [hit(1, 0.9), hit(2, 0.1)], KEYWORD: [hit(3, 9.0), hit(2, 0.1)]}
    first, *others = ranked(found, ranking=Ranking.RRF)
    assert (first.owner_id, [one.owner_id for one in others]) == (2, [1, 3])
    assert first.score == pytest.approx(2 / 62 / (2 / 61))
    assert ranked({VECTOR: [hit(1, 0.2)]}, ranking=Ranking.RRF)[0].score == pytest.approx(1.0)


# --- the contract's formula -------------------------------------------------------------------------------------------


def test_formula_is_reproducible_from_the_components() -> None:
    """Words .35, meaning .25, reliability .20, recency .15, frequency .05, each as the contract scales it."""
    standing = RankingSignals(happened_at=NOW - timedelta(days=30), confidence=0.8, access_count=10)
    [one] = ranked(
        {KEYWORD: [hit(1, 5.0)], VECTOR: [hit(1, 0.5)]},
        ranking=Ranking.WEIGHTED,
        standings={("profile", 1): standing},
    )
    signals = {
        "keyword": math.tanh(1.0),
        "vector": 0.75,
        "reliability": 0.8,
        "recency": 0.5,
        "frequency": math.log(11) / math.log(1001),
    }
    for name, signal in signals.items():
        assert one.components[f"{name}_score"] == pytest.approx(signal)
    shares = {"keyword": 0.35, "vector": 0.25, "reliability": 0.20, "recency": 0.15, "frequency": 0.05}
    assert one.score == pytest.approx(sum(shares[name] * signal for name, signal in signals.items()))


def test_missing_is_nothing() -> None:
    """What only words found gets no half point for a meaning that nobody compared."""
    standings = {("profile", 1): RankingSignals(happened_at=NOW)}
    [one] = ranked({KEYWORD: [hit(1, 5.0)]}, ranking=Ranking.WEIGHTED, standings=standings)
    assert one.components["vector_score"] == 0.0
    [gone] = ranked({KEYWORD: [hit(1, 5.0)]}, ranking=Ranking.WEIGHTED)
    assert gone.score == pytest.approx(0.35 * math.tanh(1.0))


# --- laws -------------------------------------------------------------------------------------------------------------

SCORES = {KEYWORD: st.floats(0.01, 30), VECTOR: st.floats(-1, 1)}
FOUND = st.fixed_dictionaries(
    {},
    optional={
        name: st.dictionaries(st.integers(1, 30), SCORES.get(name, st.floats(0.01, 1)), max_size=30).map(
            lambda scores: sorted(
                (hit(owner, score, ceiling=30.0, kind="interaction") for owner, score in scores.items()),
                key=lambda one: -one.score,
            )
        )
        for name in StrategyName
    },
)
STANDINGS = st.dictionaries(
    st.tuples(st.just("interaction"), st.integers(1, 30)),
    st.builds(
        RankingSignals,
        happened_at=st.integers(-900, 900).map(lambda days: NOW + timedelta(days=days)),
        term_count=st.integers(0, 900),
        first_person=st.floats(0, 1),
        session=st.sampled_from([("anna", "one"), ("anna", "two")]),
        confidence=st.floats(0, 1),
        access_count=st.integers(0, 5_000),
    ),
).map(
    lambda found: {key: one._replace(seq=key[1]) for key, one in found.items()}
)  # no two turns have one place


@given(FOUND, STANDINGS, st.sampled_from(Ranking), st.sampled_from(Intent))
def test_nothing_is_lost_and_scores_fall(found, standings, ranking, intent) -> None:
    """Everything found is there once with all its evidence, best first, scored in [0, 1]."""
    analysis = PLAIN.model_copy(update={"intent": intent})
    result = ranked(found, ranking=ranking, standings=standings, analysis=analysis)
    assert sorted(one.owner_id for one in result) == sorted({h.owner_id for hs in found.values() for h in hs})
    assert [one.score for one in result] == sorted((one.score for one in result), reverse=True)
    assert all(0 <= one.score <= 1 + 1e-9 for one in result)
    for one in result:
        own = {str(name): h.score for name, hs in found.items() for h in hs if h.owner_id == one.owner_id}
        assert own == one.raw


@given(FOUND, STANDINGS, st.sampled_from(Ranking), st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_insertion(found, standings, ranking, chance) -> None:
    """Other numbers for the same things, and another order of the strategies, give everything the same score."""
    numbers = list(range(101, 131))
    chance.shuffle(numbers)
    renamed = {
        name: [
            Hit(numbers[h.owner_id - 1], numbers[h.owner_id - 1], h.kind, h.score, h.ceiling) for h in hits
        ]
        for name, hits in reversed(found.items())
    }
    moved = {(kind, numbers[owner - 1]): standing for (kind, owner), standing in standings.items()}
    before = {
        numbers[one.owner_id - 1]: one.score for one in ranked(found, ranking=ranking, standings=standings)
    }
    after = {one.owner_id: one.score for one in ranked(renamed, ranking=ranking, standings=moved)}
    assert after == pytest.approx(before)


def test_relevance_is_one_for_a_paraphrase() -> None:
    """And nothing below zero or above one."""
    assert [similarity(cosine) for cosine in (-0.2, 0.0, 0.35, 0.7, 0.9)] == [0.0, 0.0, 0.5, 1.0, 1.0]
