"""Delete old turns, records and expired memories beyond the configured limits."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import structlog

from sagacity.domain.cursor import RETAIN, Lease
from sagacity.domain.ids import ORGANISATION, OrgId
from sagacity.domain.retention import CALLS, TURNS, Record, TurnsToGo
from sagacity.domain.tenant import Tenant
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope
from sagacity.learning.tasks.parts import TaskParts, TaskPolicy
from sagacity.storage.transaction import Transaction

_log = structlog.get_logger(__name__)
_DAY = timedelta(days=1)
_APART = (TURNS, CALLS)
"""Tables with rules of their own."""
_FARTHEST = timedelta(days=365)
"""The latest time to plan a run for, because times such as the year 9999 cannot be added to."""
_BATCHES_CHOSEN = 20
"""For how many batches turns are chosen at once, because choosing reads many turns."""


class Retain:
    """Deletes old data of one organisation."""

    name = RETAIN
    scope = TaskScope.ORGANISATION

    def __init__(self, parts: TaskParts) -> None:
        self._storage = parts.storage
        self._policy = parts.policy
        self._clock = parts.clock

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return that the task is due, and when the next memory or row will be old enough to delete."""
        now = self._clock.now()
        expiries = [await _next_purge(snapshot, self._policy, now)]
        for table, days in _limited(self._policy.limits.days):
            if table == CALLS:  # `AnalyticsUpkeep` deletes these each night
                continue
            if table == TURNS:
                first_at = await snapshot.retention.first_at()
            else:
                first_at = await snapshot.records.first_at(Record(table))
            if first_at is not None:
                grown_old_at = first_at + timedelta(days=days)
                # Rows that are old enough but still exist are needed; check again in a day whether they still are.
                expiries.append(grown_old_at if grown_old_at > now else now + _DAY)
        return Look(min(filter(None, expiries), default=None), is_due=True)

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Delete data that is no longer needed, one batch per transaction.

        Raises:
            Conflict: the lease was lost.
        """
        policy, now = self._policy, self._clock.now()
        counts = {TURNS: await self._drop_turns(subject, lease)}
        counts["memories"] = await self._purge(subject.tenant, lease)
        for table, days in _limited(policy.limits.days):
            if table not in _APART:
                before = now - timedelta(days=days)
                counts[table] = await self._drop_old(subject.tenant, lease, Record(table), before)
        for table, rows in _limited(policy.limits.rows):
            if table not in _APART:
                dropped = await self._drop_excess(subject.tenant, lease, Record(table), rows)
                counts[table] = counts.get(table, 0) + dropped
        if any(counts.values()):
            _log.info("retention.cleaned", org_id=subject.tenant.org_id, **counts)
        return TaskReport()

    async def _drop_turns(self, subject: Subject, lease: Lease) -> int:
        """Delete turns that are too old, then the oldest turns beyond the limit."""
        limits, dropped = self._policy.limits, 0
        may_go = TurnsToGo(
            learners=tuple(one.key for group in subject.groups for one in group.learners),
            judged=bool(subject.config.agent_success_configs),
            retain_evidence=limits.retain_evidence,
        )
        if days := limits.days.get(TURNS):
            old = may_go.model_copy(update={"before": self._clock.now() - timedelta(days=days)})
            dropped += await self._drop_chosen(subject.tenant, lease, old, most=None)
        if rows := limits.rows.get(TURNS):
            async with self._storage.read(subject.tenant) as snapshot:
                excess = await snapshot.retention.excess(rows)
            dropped += await self._drop_chosen(subject.tenant, lease, may_go, most=excess)
        return dropped

    async def _drop_chosen(self, tenant: Tenant, lease: Lease, may_go: TurnsToGo, *, most: int | None) -> int:
        """Delete the oldest turns that may be deleted: all, or *most* of them."""
        batch, dropped = self._policy.cleanup_batch, 0
        while most is None or dropped < most:
            wanted = batch * _BATCHES_CHOSEN if most is None else min(most - dropped, batch * _BATCHES_CHOSEN)
            async with self._storage.read(tenant) as snapshot:
                chosen = await snapshot.retention.oldest_read(may_go, limit=wanted)
            before = dropped
            for start in range(0, len(chosen), batch):
                async with self._storage.begin(tenant) as transaction:
                    await transaction.leases.check(lease)
                    dropped += await transaction.retention.drop(chosen[start : start + batch], may_go)
            if dropped - before < wanted:
                break
        return dropped

    async def _drop_old(self, tenant: Tenant, lease: Lease, record: Record, before: datetime) -> int:
        limit, dropped = self._policy.cleanup_batch, 0
        while True:
            async with self._storage.begin(tenant) as transaction:
                await transaction.leases.check(lease)
                count = await transaction.records.drop(record, before=before, limit=limit)
            dropped += count
            if count < limit:
                return dropped

    async def _drop_excess(self, tenant: Tenant, lease: Lease, record: Record, rows: int) -> int:
        async with self._storage.read(tenant) as snapshot:
            left = await snapshot.records.count(record) - rows
        dropped = 0
        while left > 0:
            limit = min(left, self._policy.cleanup_batch)
            async with self._storage.begin(tenant) as transaction:
                await transaction.leases.check(lease)
                count = await transaction.records.drop(record, limit=limit)
            dropped += count
            left = left - count if count else 0
        return dropped

    async def _purge(self, tenant: Tenant, lease: Lease) -> int:
        if self._policy.expired_seconds is None:
            return 0
        before = self._clock.now() - timedelta(seconds=self._policy.expired_seconds)
        purged = 0
        while True:
            async with self._storage.begin(tenant) as transaction:
                await transaction.leases.check(lease)
                count = await transaction.retention.purge_expired(before, limit=self._policy.cleanup_batch)
            purged += count
            if count < self._policy.cleanup_batch:
                return purged


class PlanRetention:
    """
    Makes an organisation that is in use due once per interval, to clean up.

    New memories are then also compared for duplicates (`learning/duplicates.py`).
    """

    name = "plan_retention"
    scope = TaskScope.USER

    def __init__(self, parts: TaskParts) -> None:
        self._storage = parts.storage
        self._policy = parts.policy
        self._clock = parts.clock
        self._planned: dict[OrgId, datetime] = {}

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return whether this process has not planned it for an interval; this is done along with other work."""
        now = self._clock.now()
        return Look(is_due=now >= self._planned.get(subject.tenant.org_id, now))

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """Make the organisation due in an interval, or when the next expired memory is old enough to delete."""
        now, tenant = self._clock.now(), subject.tenant
        soon = now + timedelta(seconds=self._policy.cleanup_interval_seconds)
        self._planned[tenant.org_id] = soon
        async with self._storage.read(tenant) as snapshot:
            head = await snapshot.cursors.log_head(ORGANISATION)
            purge_at = await _next_purge(snapshot, self._policy, now)
            is_uncompared = bool(await snapshot.duplicates.uncompared())
        limits = self._policy.limits
        moments = [] if purge_at is None else [max(soon, purge_at)]
        if limits.rows.get(TURNS) or limits.days.get(TURNS) or is_uncompared:
            moments.append(soon)
        if _limited(limits.days) or _limited(limits.rows):
            moments.append(now + _DAY)
        due_at = min(moments, default=None)
        if due_at is not None and (head.due_at is None or head.due_at > due_at):
            async with self._storage.begin(tenant) as transaction:
                await transaction.cursors.ensure_due(ORGANISATION, due_at)
        return TaskReport()


async def _next_purge(snapshot: Transaction, policy: TaskPolicy, now: datetime) -> datetime | None:
    """Return when the next memory will have been expired for long enough to be deleted; None if none will."""
    if policy.expired_seconds is None:
        return None
    expiry = await snapshot.retention.next_expiry()
    return (
        None if expiry is None else min(expiry, now + _FARTHEST) + timedelta(seconds=policy.expired_seconds)
    )


def _limited(limits: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(table, limit) for table, limit in limits.items() if limit]
