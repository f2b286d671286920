"""What stands beside a turn and who said it adds to its score."""

from datetime import UTC, datetime

import pytest

from sagacity.domain.analysis import Intent, QueryAnalysis, Speaker
from sagacity.domain.query import Ranking, StrategyName
from sagacity.retrieval.evidence import evidence_of
from sagacity.retrieval.rank import DEPTH, Ranked, rank
from sagacity.retrieval.talk import ASSISTED, BY_NAME, speakers_named, talk_of, weights_for
from sagacity.storage.hits import Hit, Hits
from sagacity.storage.search.ranking_signals import RankingSignals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEYWORD, VECTOR = StrategyName.KEYWORD, StrategyName.VECTOR
Standings = dict[tuple[str, int], RankingSignals]


def turn(owner: int, score: float) -> Hit:
    return Hit(owner, owner, "interaction", score, 1.0)


def said(
    seq: int, speaker: str = "", *, session: str = "s", terms: int = 10, asks: bool = False, first: float = 0
) -> RankingSignals:
    return RankingSignals(
        happened_at=NOW,
        term_count=terms,
        first_person=first,
        session=("anna", session),
        seq=seq,
        speaker=speaker,
        asks=asks,
    )


def standings(*turns: RankingSignals) -> Standings:
    """By number in the log, which is the number of the hit."""
    return {("interaction", one.seq): one for one in turns}


def ranked(hits: list[Hit], known: Standings, text: str = "", speaker: Speaker | None = None) -> list[Ranked]:
    analysis = QueryAnalysis(original_query=text, intent=Intent.QUESTION, reference_at=NOW, speaker=speaker)
    evidence = evidence_of("interaction", {KEYWORD: Hits.of(hits)})
    return list(rank(evidence, ranking=Ranking.BLENDED, standings=known, analysis=analysis, now=NOW))


def order(hits: list[Hit], known: Standings, text: str = "") -> list[int]:
    return [one.owner_id for one in ranked(hits, known, text)]


def test_two_named_people_make_a_talk_by_name() -> None:
    """One name beside an assistant does not, nor do memories alone."""
    assert weights_for([said(1, "Ada"), said(2, "Ben")]) is BY_NAME
    assert weights_for([said(1, "Ada"), said(2)]) is ASSISTED
    assert weights_for([said(1, "Ada"), said(2), said(3, "Ada")]) is ASSISTED
    assert weights_for([said(1, "Ada"), said(2, "Ben"), said(3), said(4)]) is ASSISTED
    assert talk_of([None, RankingSignals(happened_at=NOW)]) is None


def test_the_answer_goes_before_what_follows_no_question() -> None:
    """ "A beagle!" says no word of the question; the question before it does."""
    asked = standings(said(1, "Ada", asks=True), said(2, "Ben"), said(7, "Ada"), said(8, "Ben"))
    hits = [turn(1, 4.0), turn(7, 4.0), turn(2, 0.5), turn(8, 0.5)]
    answer, other = (
        one for one in sorted(ranked(hits, asked), key=lambda one: one.owner_id) if one.owner_id in {2, 8}
    )
    assert answer.components["answer_part"] > 0
    assert "answer_part" not in other.components
    assert answer.score > other.score


def test_a_question_stands_behind_a_statement() -> None:
    """Of two that match alike, among named people."""
    hits = [turn(1, 2.0), turn(5, 2.0)]
    asking = standings(said(1, "Ada", asks=True), said(5, "Ben", session="t"))
    assert order(hits, asking) == [5, 1]
    assert ranked(hits, asking)[1].components["asking_part"] < 0


def test_who_is_named_goes_first() -> None:
    """A question about Ben is mostly answered by Ben; one about both by either."""
    both = standings(said(1, "Ada Byron"), said(5, "Ben", session="t"))
    hits = [turn(1, 2.0), turn(5, 1.95)]
    assert order(hits, both) == [1, 5]
    assert order(hits, both, "What does Ben's dog eat?") == [5, 1]
    assert order(hits, both, "Where did ada go?") == [1, 5]
    assert order(hits, both, "Where did Ada and Ben meet?") == [1, 5]
    assert speakers_named("What does Benny eat?", both.values()) == frozenset()
    assert speakers_named("ada, Ben?", both.values()) == {"Ada Byron", "Ben"}


def test_the_session_of_the_best_goes_first() -> None:
    """Among named people what is told in one session belongs together, also far from the best match."""
    known = standings(
        said(1, "Ada"), said(9, "Ben"), said(20, "Ben", session="t"), said(21, "Ada", session="t")
    )
    hits = [turn(1, 4.0), turn(9, 1.0), turn(20, 1.1)]
    assert order(hits, known) == [1, 9, 20]
    assert all("session_part" in one.components for one in ranked(hits, known))


def test_an_assistant_is_ranked_by_other_signals() -> None:
    """Neither session nor length nor question count there; whoever speaks of themself counts more."""
    known = standings(said(1, asks=True), said(2), said(9, first=0.1, session="t"))
    found = ranked([turn(1, 4.0), turn(2, 1.0), turn(9, 1.0)], known)
    names = {name for one in found for name in one.components if name.endswith("_part")}
    assert names == {"keyword_part", "neighbours_part", "first_person_part"}


def test_the_agent_asked_for_is_not_outdone_by_who_speaks_of_themself() -> None:
    """ "What did you recommend?" """
    known = standings(said(1, first=0.1), said(9, session="t"))
    found = ranked([turn(1, 2.0), turn(9, 1.9)], known, speaker=Speaker.AGENT)
    assert not any("first_person_part" in one.components for one in found)


def test_parts_add_up() -> None:
    """Of every turn, whatever was added and taken away."""
    known = standings(said(1, "Ada", asks=True), said(2, "Ben", first=0.2), said(9, "Ben", session="t"))
    for one in ranked([turn(1, 4.0), turn(2, 1.0), turn(9, 3.0)], known, "What has Ben?"):
        parts = [part for name, part in one.components.items() if name.endswith("_part")]
        assert sum(parts) == pytest.approx(one.score)


def test_what_lies_deeper_follows_and_changes_nothing_before() -> None:
    """However many are asked for; by every ranking."""
    words = [turn(number, 500.0 - number) for number in range(1, DEPTH + 51)]
    meaning = [turn(number, 0.9 - number / 1_000) for number in range(DEPTH + 50, 0, -1)]
    meaning.sort(key=lambda hit: -hit.score)
    known = standings(*(said(number, "Ada" if number % 2 else "Ben") for number in range(1, DEPTH + 51)))
    analysis = QueryAnalysis(original_query="", intent=Intent.QUESTION, reference_at=NOW)
    for ranking in Ranking:
        shallow, deep = (
            list(
                rank(
                    evidence_of(
                        "interaction", {KEYWORD: Hits.of(words[:depth]), VECTOR: Hits.of(meaning[:depth])}
                    ),
                    ranking=ranking,
                    standings=known,
                    analysis=analysis,
                    now=NOW,
                )
            )
            for depth in (DEPTH, DEPTH + 50)
        )
        assert deep[: len(shallow)] == shallow
        assert len(deep) == DEPTH + 50
        scores = [one.score for one in deep]
        assert scores == sorted(scores, reverse=True)
