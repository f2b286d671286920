"""Ask questions with known evidence through the callers' search, with each strategy alone and with all."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import Annotated, Final

from pydantic import Field

from sagacity.domain.base import Value
from sagacity.domain.errors import NotFound
from sagacity.domain.ids import MemoryId
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.kinds import USER_KINDS, visibility_of
from sagacity.domain.memory import Memory, Status, Visibility
from sagacity.domain.query import Filter, Query, Ranking, Scored, StrategyName
from sagacity.memories.acting import Acting
from sagacity.memories.search import found_by_kind
from sagacity.quality.draw import Question
from sagacity.quality.ir_metrics import Gains, ndcg_at, reciprocal_rank_at, share_interval

LEAST_QUESTIONS = 30
"""Fewer say too little: with 30 the interval of a share is up to 0.34 wide."""
ALL = "all"
"""All strategies together, as contexts use them."""
WAYS: Final[Mapping[str, tuple[StrategyName, ...]]] = {
    **{str(name): (name,) for name in StrategyName},
    ALL: tuple(StrategyName),
}
_OF_MEMORIES: Final = frozenset({str(StrategyName.GRAPH), str(StrategyName.PROFILE)})
"""The strategies that find no turns."""
_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Progress = Callable[[int, int], None]
"""Told how many of how many questions were asked."""


class Subject(StrEnum):
    """The target of the search: the turn that states it, or memories learned from that turn."""

    TURNS = "turns"
    MEMORIES = "memories"


class Score(Value):
    """The results of one question."""

    recall: _Share
    ndcg: _Share
    reciprocal_rank: _Share


class Figure(Value):
    """A mean over questions, and where it lies with 95%."""

    mean: float
    low: float
    high: float


class Row(Value):
    """How well one way of searching finds the targets."""

    strategy: str
    """A strategy, or `all`."""
    subject: Subject
    questions: int
    recall: Figure
    ndcg: Figure
    mrr: Figure


class Outcome(Value):
    """A question with the scores of each way of searching, and of each subject that there is evidence of."""

    question: Question
    scores: dict[str, dict[Subject, Score]]


class Measured(Value):
    """The results of all questions."""

    outcomes: tuple[Outcome, ...]
    failed: dict[str, int] = {}
    """How many searches a strategy gave no answer in; then the figures say little of ranking."""
    gone: int = 0
    """Questions that were not asked, because the turn is not there any more."""


class SearchOptions(Value):
    """How questions are asked."""

    limit: int = 10
    """How many results are looked at: the k of recall@k and NDCG@k."""
    ranking: Ranking = Ranking.BLENDED
    at: datetime
    """"Today" for the questions, so that they can be repeated later."""


async def measured(
    acting: Acting,
    questions: Sequence[Question],
    asking: SearchOptions,
    on_progress: Progress,
    *,
    ways: Collection[str] = tuple(WAYS),
) -> Measured:
    """Ask every question in all of *ways*; nothing is recorded as surfaced."""
    outcomes: list[Outcome] = []
    failed: Counter[str] = Counter()
    gone = 0
    for number, question in enumerate(questions, start=1):
        try:
            evidence = await _evidence(acting, question)
        except NotFound:
            gone += 1
            continue
        scores: dict[str, dict[Subject, Score]] = {}
        for way in ways:
            turns, memories, troubles = await _ask(acting, question, asking, WAYS[way])
            failed.update(troubles)
            scores[way] = {}
            if way not in _OF_MEMORIES:
                scores[way][Subject.TURNS] = _score(_first_only(turns), asking.limit, wanted=1)
            if evidence:
                gains = [number in evidence for number in memories]
                scores[way][Subject.MEMORIES] = _score(gains, asking.limit, wanted=len(evidence))
        outcomes.append(Outcome(question=question, scores=scores))
        on_progress(number, len(questions))
    return Measured(outcomes=tuple(outcomes), failed=dict(failed), gone=gone)


def rows_of(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return the figures of each way and subject that has enough questions."""
    return list(_rows(outcomes))


def scores_of(outcomes: Sequence[Outcome], way: str, subject: Subject) -> list[Score]:
    """Return what questions that have evidence of *subject* brought in one way."""
    return [one.scores[way][subject] for one in outcomes if subject in one.scores.get(way, {})]


def _rows(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    for subject in Subject:
        for way in WAYS:
            scores = scores_of(outcomes, way, subject)
            if len(scores) >= LEAST_QUESTIONS:
                yield Row(
                    strategy=way,
                    subject=subject,
                    questions=len(scores),
                    recall=_figure([one.recall for one in scores]),
                    ndcg=_figure([one.ndcg for one in scores]),
                    mrr=_figure([one.reciprocal_rank for one in scores]),
                )


def _figure(values: Sequence[float]) -> Figure:
    low, high = share_interval(values)
    return Figure(mean=round(sum(values) / len(values), 4), low=round(low, 4), high=round(high, 4))


async def _evidence(acting: Acting, question: Question) -> set[MemoryId]:
    """
    Return the memories in force that rest on the turn of a question.

    Raises:
        NotFound: the turn is not there any more.
    """
    async with acting.read(user_id=question.user_id) as snapshot:
        if not await snapshot.interactions.existing([question.interaction_id]):
            raise NotFound(f"no interaction {question.interaction_id}")
        taught = await snapshot.memories.taught_by(question.request_id)
    now = acting.parts.clock.now()
    return {
        one.memory_id
        for one in taught
        if question.interaction_id in one.source_interaction_ids and _is_served(one, now)
    }


def _is_served(memory: Memory, now: datetime) -> bool:
    return (
        memory.kind in USER_KINDS
        and memory.status is Status.CURRENT
        and not memory.is_held
        and (memory.expires_at is None or memory.expires_at > now)
        and visibility_of(memory) is Visibility.SERVED
    )


async def _ask(
    acting: Acting, question: Question, asking: SearchOptions, strategies: Sequence[StrategyName]
) -> tuple[list[bool], list[MemoryId], Collection[str]]:
    """Return which turns that were found answer the question, which memories were found, and what failed."""
    query = Query(
        text=question.text,
        wanted=Filter(kinds=tuple(sorted(USER_KINDS)), interactions=True, user_id=question.user_id),
        limit=asking.limit,
        ranking=asking.ranking,
        strategies=tuple(strategies),
        reference_at=asking.at,
        keeps_cautions=False,
    )
    found, trace = await found_by_kind(acting, query)
    turns = [_answers(one, question) for one in found.get(INTERACTION, ())]
    items = sorted(chain.from_iterable(found.values()), key=lambda one: -one.score)
    memories = [one.memory.memory_id for one in items if one.memory is not None]
    return turns, memories, trace.failed.keys()


def _answers(one: Scored, question: Question) -> bool:
    turn = one.interaction
    return turn is not None and (
        turn.interaction_id == question.interaction_id or question.statement in turn.content
    )


def _first_only(gains: Gains) -> list[bool]:
    """Count one turn of several that say the same."""
    return [hit and not any(gains[:place]) for place, hit in enumerate(gains)]


def _score(gains: Gains, k: int, *, wanted: int) -> Score:
    return Score(
        recall=sum(gains[:k]) / min(wanted, k),
        ndcg=ndcg_at(gains, k, wanted=wanted),
        reciprocal_rank=reciprocal_rank_at(gains, k),
    )
