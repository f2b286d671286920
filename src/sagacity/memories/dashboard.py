"""The figures of the last days: what was published, learned and judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sagacity.domain.memory import MemoryKind
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction

_PLAYBOOKS = (MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK)
Counts = Sequence[tuple[int, int]]
"""Days since 1970 (UTC), and how many; a day without any is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Counts of one period, day by day."""

    start: datetime
    """Midnight UTC of the first day."""
    days: int
    interactions: Counts
    profiles: Counts
    playbooks: Counts
    """Of users and of agents."""
    evaluations: Sequence[tuple[int, int, int]]
    """Days since 1970 (UTC), how many sessions were judged, and how many were successful."""

    @property
    def success_rate(self) -> float:
        """Percentage of the judged sessions that were successful; 0 if none was judged."""
        judged = sum(count for _, count, _ in self.evaluations)
        successes = sum(count for _, _, count in self.evaluations)
        return round(100 * successes / judged, 2) if judged else 0.0


async def last_days(acting: Acting, days: int) -> tuple[Figures, Figures]:
    """Return the figures of the last *days* including today, and those of as many days before."""
    today = acting.parts.clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    start = today - timedelta(days=days - 1)
    async with acting.read() as snapshot:
        before = await _figures(snapshot, start - timedelta(days=days), days)
        return await _figures(snapshot, start, days), before


async def _figures(snapshot: Transaction, start: datetime, days: int) -> Figures:
    found, end = snapshot.evaluations, start + timedelta(days=days)
    return Figures(
        start=start,
        days=days,
        interactions=await found.interactions_by_day(start, end),
        profiles=await found.memories_by_day([MemoryKind.PROFILE], start, end),
        playbooks=await found.memories_by_day(_PLAYBOOKS, start, end),
        evaluations=await found.success_by_day(start, end),
    )
