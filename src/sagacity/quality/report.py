"""The report of an evaluation, its file, and whether a later one is worse."""

import asyncio
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from sagacity.domain.base import Value
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.query import Ranking
from sagacity.memories.acting import Acting
from sagacity.quality.draw import drawn
from sagacity.quality.evaluate import (
    ALL,
    LEAST_QUESTIONS,
    Measured,
    Outcome,
    Progress,
    Row,
    SearchOptions,
    Subject,
    measured,
    rows_of,
    scores_of,
)
from sagacity.quality.ir_metrics import paired_interval

MOST_QUESTIONS = 1_000
_MOST_BYTES = 20_000_000


class Verdict(StrEnum):
    """The figures of an evaluation."""

    MEASURED = "measured"
    TOO_FEW = "too_few"
    """There are too few questions to say anything."""
    NO_WORSE = "no_worse"
    WORSE = "worse"


class Saved(Value):
    """Questions and their results, as saved in a file."""

    format: Literal["sagacity-eval-1"] = "sagacity-eval-1"
    at: datetime
    org_id: OrgId
    user_id: UserId | None = None
    seed: int
    limit: int = Field(ge=1, le=100)
    ranking: Ranking
    embedder: str
    outcomes: tuple[Outcome, ...] = Field(max_length=MOST_QUESTIONS)


class Comparison(Value):
    """The results of the same questions before and now: the NDCG of all strategies together."""

    subject: Subject
    questions: int
    before: float
    now: float
    difference: float
    low: float
    high: float
    is_worse: bool
    """The loss is more than may be lost, and its 95% interval is below zero."""


class Evaluation(Value):
    """How good retrieval is on an organisation's own data."""

    verdict: Verdict
    org_id: OrgId
    user_id: UserId | None = None
    seed: int
    limit: int
    ranking: Ranking
    embedder: str
    questions: int
    """How many were asked."""
    needed: int = LEAST_QUESTIONS
    rows: tuple[Row, ...] = ()
    failed: dict[str, int] = {}
    gone: int = 0
    unembedded: int = 0
    """Documents that wait for their vector, of all organisations."""
    comparisons: tuple[Comparison, ...] = ()
    may_lose: float | None = None


class Wanted(Value):
    """The evaluation to make."""

    count: int = 100
    seed: int = 1
    user_id: UserId | None = None
    limit: int = 10
    ranking: Ranking | None = None
    """None: the default, or of questions from a file the one that it was saved with."""


async def evaluate(acting: Acting, wanted: Wanted, on_progress: Progress) -> tuple[Evaluation, Saved]:
    """Draw questions, ask them, and return the figures, with the data to save."""
    questions = await drawn(acting, count=wanted.count, seed=wanted.seed, user_id=wanted.user_id)
    asking = SearchOptions(
        limit=wanted.limit, ranking=wanted.ranking or Ranking.BLENDED, at=acting.parts.clock.now()
    )
    enough = questions if len(questions) >= LEAST_QUESTIONS else []
    found = await measured(acting, enough, asking, on_progress)
    saved = Saved(
        at=asking.at,
        org_id=acting.tenant.org_id,
        user_id=wanted.user_id,
        seed=wanted.seed,
        limit=asking.limit,
        ranking=asking.ranking,
        embedder=acting.parts.embedder.model,
        outcomes=found.outcomes,
    )
    evaluation = await _evaluation(acting, saved, found)
    return evaluation.model_copy(update={"questions": len(questions)}), saved


async def evaluate_again(
    acting: Acting, saved: Saved, *, may_lose: float, ranking: Ranking | None, on_progress: Progress
) -> Evaluation:
    """
    Ask the questions of an earlier evaluation again, of all strategies together, and compare.

    Args:
        acting: on whose behalf.
        saved: the earlier evaluation.
        may_lose: by how much the mean NDCG may be lower.
        ranking: how to rank; None as then.
        on_progress: told how far it is.

    Raises:
        InvalidInput: it is another organisation's.
    """
    if saved.org_id != acting.tenant.org_id:
        raise InvalidInput(f"the file is of the organisation {saved.org_id!r}: name it with --org")
    acting.principal.acting_for(saved.user_id)
    asking = SearchOptions(limit=saved.limit, ranking=ranking or saved.ranking, at=saved.at)
    questions = [one.question for one in saved.outcomes]
    found = await measured(acting, questions, asking, on_progress, ways=(ALL,))
    now = saved.model_copy(
        update={
            "ranking": asking.ranking,
            "embedder": acting.parts.embedder.model,
            "outcomes": found.outcomes,
        }
    )
    evaluation = await _evaluation(acting, now, found)
    if evaluation.verdict is Verdict.TOO_FEW:
        return evaluation.model_copy(update={"may_lose": may_lose})
    compared = tuple(
        one for subject in Subject if (one := _compared(saved, now, subject, may_lose)) is not None
    )
    is_worse = any(one.is_worse for one in compared)
    verdict = (Verdict.WORSE if is_worse else Verdict.NO_WORSE) if compared else Verdict.TOO_FEW
    return evaluation.model_copy(update={"verdict": verdict, "comparisons": compared, "may_lose": may_lose})


def read_saved(path: Path) -> Saved:
    """
    Return an earlier evaluation as saved.

    Raises:
        InvalidInput: the file cannot be read, or is no such file.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InvalidInput(f"{path} is too large for a file that `sagacity eval --save` wrote")
        given = path.read_bytes()
        if b"\\u0000" in given:
            raise InvalidInput(f"{path} holds a character that no database stores")
        return Saved.model_validate_json(given)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise InvalidInput(f"{path} is not a file that `sagacity eval --save` wrote") from error


async def _evaluation(acting: Acting, saved: Saved, found: Measured) -> Evaluation:
    rows = tuple(await asyncio.to_thread(rows_of, found.outcomes))
    return Evaluation(
        verdict=Verdict.MEASURED if len(found.outcomes) >= LEAST_QUESTIONS else Verdict.TOO_FEW,
        **saved.model_dump(include={"org_id", "user_id", "seed", "limit", "ranking", "embedder"}),
        questions=len(found.outcomes),
        rows=rows,
        failed=found.failed,
        gone=found.gone,
        unembedded=await acting.parts.storage.unembedded_count(),
    )


def _compared(saved: Saved, now: Saved, subject: Subject, may_lose: float) -> Comparison | None:
    """Return the difference in questions that have evidence of *subject* both times; None if these are too few."""
    then = {one.question.interaction_id: one for one in saved.outcomes if subject in one.scores.get(ALL, {})}
    both = [
        (then[one.question.interaction_id], one)
        for one in now.outcomes
        if one.question.interaction_id in then and subject in one.scores[ALL]
    ]
    if len(both) < LEAST_QUESTIONS:
        return None
    before = [one.ndcg for one in scores_of([old for old, _ in both], ALL, subject)]
    after = [one.ndcg for one in scores_of([new for _, new in both], ALL, subject)]
    difference, low, high = paired_interval(before, after)
    return Comparison(
        subject=subject,
        questions=len(both),
        before=round(sum(before) / len(before), 4),
        now=round(sum(after) / len(after), 4),
        difference=round(difference, 4),
        low=round(low, 4),
        high=round(high, 4),
        is_worse=difference < -may_lose and high < 0,
    )
