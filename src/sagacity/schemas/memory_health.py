"""The reply about problems of stored memories."""

from sagacity.domain.kinds import KINDS
from sagacity.domain.memory import MemoryKind
from sagacity.domain.memory_health import NEXT_STEPS, WEIGHTS, Counts, MemoryProblem, SickMemory
from sagacity.schemas.base import Reply, Schema


class SickMemoryView(Schema):
    """A memory that has a problem. Null fields are included."""

    entity_type: MemoryKind
    """The kind of memory."""
    entity_id: str
    """The memory's id in the API: a profile's id, or another memory's number."""
    user_id: str | None = None
    content: str
    """How it begins."""


class ProblemReport(Schema):
    """One problem: how many memories have it, and what to do about it."""

    problem: MemoryProblem
    """What is wrong."""
    count: int
    """Number of memories with it."""
    share: float
    """Their share of all memories in force, from 0 to 1."""
    weight: float
    """Its weight in the score."""
    examples: tuple[SickMemoryView, ...] = ()
    """Up to three of them, the oldest first."""
    next_step: str
    """What to do about it, as a command."""


class MemoryHealth(Reply):
    """The health of stored memories."""

    score: int | None = None
    """From 0 to 100: 100 less each problem's share times its weight; null if there are no memories."""
    memory_count: int
    """Number of memories in force."""
    problems: tuple[ProblemReport, ...]
    """Every problem, including those that no memory has."""


def problem_report(found: Counts, problem: MemoryProblem) -> ProblemReport:
    """Return what the API shows of one problem."""
    count = found.counts[problem]
    return ProblemReport(
        problem=problem,
        count=count,
        share=round(count / found.total, 4) if found.total else 0.0,
        weight=WEIGHTS[problem],
        examples=tuple(map(_shown, found.examples.get(problem, ()))),
        next_step=NEXT_STEPS[problem],
    )


def _shown(one: SickMemory) -> SickMemoryView:
    return SickMemoryView(
        entity_type=one.kind,
        entity_id=one.uid if KINDS[one.kind].is_known_by_uid else str(one.memory_id),
        user_id=one.user_id,
        content=one.content,
    )
