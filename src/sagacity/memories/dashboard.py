"""Dashboard figures of the last days: published, learned, judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sagacity.domain.analytics_reports import Granularity, length_of
from sagacity.domain.dashboard import Figure, FigureFilter, FigureGroup, FigureReport, series_of
from sagacity.domain.errors import InvalidInput
from sagacity.domain.memory import MemoryKind
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction

_PLAYBOOKS = (MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK)
_MOST_STEPS = 750
"""A month of hours, two years of days."""
_MOST_GROUPS = 10
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Counts of one period by day; days without any are missing."""

    start: datetime
    """Start of the first day, midnight UTC."""
    days: int
    interactions: Sequence[Figure]
    profiles: Sequence[Figure]
    playbooks: Sequence[Figure]
    """User and agent playbooks."""
    evaluations: Sequence[Figure]

    @property
    def success_rate(self) -> float:
        """Percentage of judged sessions that were successful; 0 if none were judged."""
        judged = sum(one.count for one in self.evaluations)
        successes = sum(one.successes for one in self.evaluations)
        return round(100 * successes / judged, 2) if judged else 0.0


async def last_days(acting: Acting, days: int) -> tuple[Figures, Figures]:
    """Return the figures of the last *days* including today, and of the same number of days before."""
    today = acting.parts.clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    start = today - timedelta(days=days - 1)
    async with acting.read() as snapshot:
        before = await _figures(snapshot, start - timedelta(days=days), days)
        return await _figures(snapshot, start, days), before


async def figure_report(
    acting: Acting,
    *,
    days: int,
    granularity: Granularity,
    agent_version: str | None = None,
    source: str | None = None,
    by: FigureGroup | None = None,
) -> FigureReport:
    """
    Return the figures of the last *days* times 24 hours, step by step, as of one moment.

    Args:
        acting: on whose behalf; a user gets only their own figures.
        days: how far to look back.
        granularity: the length of a step.
        agent_version: only of this version, if given.
        source: only from this source, if given.
        by: one series for each of the largest agent versions or sources; None: a single series.

    Raises:
        InvalidInput: there would be too many steps.
    """
    if days * _DAY / length_of(granularity) > _MOST_STEPS:
        most = int(_MOST_STEPS * length_of(granularity) / _DAY)
        raise InvalidInput(
            f"days: at most {most} for steps of one {granularity}; longer steps reach further back"
        )
    now = acting.parts.clock.now()
    wanted = FigureFilter(
        start=now - timedelta(days=days),
        end=now + timedelta(microseconds=1),
        granularity=granularity,
        agent_version=agent_version,
        source=source,
        by=by,
    )
    async with acting.read() as snapshot:
        names = await snapshot.figures.groups(wanted, limit=_MOST_GROUPS + 1)
        wanted = wanted.model_copy(update={"groups": tuple(names[:_MOST_GROUPS])})
        figures = await _counted(snapshot, wanted)
    groups: Sequence[str | None] = [None] if by is None else wanted.groups
    return FigureReport(
        period_days=days,
        granularity=granularity,
        by=by,
        series=tuple(series_of(wanted, group, **figures) for group in groups),
        has_more=len(names) > _MOST_GROUPS,
    )


async def _figures(snapshot: Transaction, start: datetime, days: int) -> Figures:
    counted = await _counted(snapshot, FigureFilter(start=start, end=start + timedelta(days=days)))
    return Figures(start=start, days=days, **counted)


async def _counted(snapshot: Transaction, wanted: FigureFilter) -> dict[str, list[Figure]]:
    """Return the figures of each kind, by its name."""
    found = snapshot.figures
    return {
        "interactions": await found.interactions(wanted),
        "profiles": await found.memories([MemoryKind.PROFILE], wanted),
        "playbooks": await found.memories(_PLAYBOOKS, wanted),
        "evaluations": await found.evaluations(wanted),
    }
