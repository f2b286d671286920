"""Sum up each day of recorded calls when it is over, and delete the calls some time later."""

from datetime import datetime, timedelta

import structlog

from sagacity.domain.analytics import AnalyticsFilter
from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.cursor import Lease
from sagacity.domain.retention import CALLS
from sagacity.domain.tenant import Tenant
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope
from sagacity.learning.tasks.parts import TaskParts
from sagacity.storage.transaction import Transaction

AFTER_MIDNIGHT = timedelta(minutes=5)
"""How long after its end a day is summed up, so that calls of its last seconds are written."""
_DAY = timedelta(days=1)
_USERS_A_WRITE = 100
_log = structlog.get_logger(__name__)


class AnalyticsUpkeep:
    """
    Sums up the recorded calls of one organisation by user and day, then deletes old ones.

    A day is written in parts, one transaction each. A run first writes the newest stored day again, so that a day that
    was cut short is completed; writing a day twice has no other effect. Only calls of summed-up days are deleted: first
    whole days that are too old, then the oldest calls beyond the limit.
    """

    name = "analytics_upkeep"
    scope = TaskScope.ORGANISATION

    def __init__(self, parts: TaskParts) -> None:
        self._storage = parts.storage
        self._policy = parts.policy
        self._clock = parts.clock

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return that the task is due now, and again the next night if there are calls."""
        if await snapshot.analytics_days.first_call() is None:
            return Look(is_due=True)
        today = step_of(self._clock.now(), Granularity.DAY)
        return Look(today + _DAY + AFTER_MIDNIGHT, is_due=True)

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Sum up every day that is over, and delete old calls.

        Raises:
            Conflict: the lease was lost.
        """
        tenant, today = subject.tenant, step_of(self._clock.now(), Granularity.DAY)
        days = self._policy.limits.days.get(CALLS)
        oldest_kept = today - timedelta(days=days) if days else None
        day = await self._first_day(tenant, oldest_kept)
        while day is not None and day < today:
            await self._sum_up(tenant, lease, day)
            day += _DAY
        deleted = 0 if oldest_kept is None else await self._drop(tenant, lease, oldest_kept)
        deleted += await self._drop_excess(tenant, lease)
        if deleted:
            _log.info("analytics.cleaned", org_id=tenant.org_id, calls=deleted)
        return TaskReport()

    async def _first_day(self, tenant: Tenant, oldest_kept: datetime | None) -> datetime | None:
        """Return the first day to sum up; days whose calls may have been deleted are not summed up again."""
        async with self._storage.read(tenant) as snapshot:
            last, first_call = (
                await snapshot.analytics_days.last_day(),
                await snapshot.analytics_days.first_call(),
            )
        if first_call is None:
            return None
        first = step_of(first_call, Granularity.DAY)
        if last is None:
            return first
        is_whole = oldest_kept is None or last >= oldest_kept
        return max(first, last if is_whole else last + _DAY)

    async def _sum_up(self, tenant: Tenant, lease: Lease, day: datetime) -> None:
        after: str | None = None
        while True:
            async with self._storage.begin(tenant) as transaction:
                await transaction.leases.check(lease)
                after = await transaction.analytics_days.sum_up(day, after=after, limit=_USERS_A_WRITE)
            if after is None:
                return

    async def _drop_excess(self, tenant: Tenant, lease: Lease) -> int:
        """Delete the oldest calls beyond the limit; the newest day stays, because it is summed up again."""
        rows = self._policy.limits.rows.get(CALLS)
        if not rows:
            return 0
        async with self._storage.read(tenant) as snapshot:
            last = await snapshot.analytics_days.last_day()
            excess = await snapshot.request_analytics.count(AnalyticsFilter()) - rows
        return 0 if last is None or excess <= 0 else await self._drop(tenant, lease, last, most=excess)

    async def _drop(self, tenant: Tenant, lease: Lease, before: datetime, *, most: int | None = None) -> int:
        """Delete calls before a time: all, or up to *most* of the oldest."""
        deleted, batch = 0, self._policy.cleanup_batch
        while True:
            limit = batch if most is None else min(batch, most - deleted)
            async with self._storage.begin(tenant) as transaction:
                await transaction.leases.check(lease)
                count = await transaction.analytics_days.drop(before, limit=limit)
            deleted += count
            if count < limit or deleted == most:
                return deleted
