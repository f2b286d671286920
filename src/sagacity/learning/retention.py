"""What is kept how long: turns and usage events up to a limit, and expired memories, where a setting says so."""

from datetime import datetime, timedelta

import structlog

from sagacity.domain.cursor import RETAIN, Lease
from sagacity.domain.ids import ORGANISATION, OrgId
from sagacity.domain.tenant import Tenant
from sagacity.learning.tasks.base import Subject, TaskReport, TaskScope
from sagacity.learning.tasks.parts import TaskParts, TaskPolicy
from sagacity.storage.transaction import Transaction

_log = structlog.get_logger(__name__)
_FARTHEST = timedelta(days=365)
"""No look is planned for later, so that what expires in the year 9999 is a date like any other."""
_BATCHES_CHOSEN = 20
"""To choose turns takes a look at many, so it is done for some batches at once."""


class Retain:
    """Cleans up after one organisation."""

    name = RETAIN
    scope = TaskScope.ORGANISATION

    def __init__(self, parts: TaskParts) -> None:
        self._storage = parts.storage
        self._policy = parts.policy
        self._clock = parts.clock

    async def is_due(self, subject: Subject) -> bool:
        """Return that it is due: looking costs little."""
        return True

    async def next_due(self, snapshot: Transaction, subject: Subject) -> datetime | None:
        """Return when the next memory has been expired, or the next usage event kept, for long enough; None: none."""
        purge_at = await _next_purge(snapshot, self._policy, self._clock.now())
        first_at = await snapshot.usage.first_at()
        drop_at = None if first_at is None else first_at + timedelta(days=self._policy.usage_days)
        return min(filter(None, (purge_at, drop_at)), default=None)

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Delete what need not be kept, a batch a transaction.

        Raises:
            Conflict: the lease was lost.
        """
        turns = await self._drop_turns(subject, lease)
        purged = await self._purge(subject.tenant, lease)
        events = await self._drop_events(subject.tenant, lease)
        if turns or purged or events:
            counts = {"turns": turns, "memories": purged, "events": events}
            _log.info("retention.cleaned", org_id=subject.tenant.org_id, **counts)
        return TaskReport()

    async def _drop_turns(self, subject: Subject, lease: Lease) -> int:
        policy, tenant, dropped = self._policy, subject.tenant, 0
        if not policy.interaction_limit:
            return dropped
        learners = [one.key for group in subject.groups for one in group.learners]
        judged = bool(subject.config.agent_success_configs)
        async with self._storage.read(tenant) as snapshot:
            excess = await snapshot.retention.excess(policy.interaction_limit)
        while dropped < excess:
            wanted = min(excess - dropped, policy.cleanup_batch * _BATCHES_CHOSEN)
            async with self._storage.read(tenant) as snapshot:
                chosen = await snapshot.retention.oldest_read(learners, judged=judged, limit=wanted)
            before = dropped
            for start in range(0, len(chosen), policy.cleanup_batch):
                batch = chosen[start : start + policy.cleanup_batch]
                async with self._storage.begin(tenant) as transaction:
                    await transaction.leases.check(lease)
                    dropped += await transaction.retention.drop(batch, learners, judged=judged)
            if dropped - before < wanted:
                break
        return dropped

    async def _drop_events(self, tenant: Tenant, lease: Lease) -> int:
        """Delete usage events that are too old, and then the oldest of those that are too many."""
        policy, dropped, left = self._policy, 0, 0
        before = self._clock.now() - timedelta(days=policy.usage_days)
        while True:
            async with self._storage.begin(tenant) as transaction:
                await transaction.leases.check(lease)
                count = await transaction.usage.drop(before=before, limit=policy.cleanup_batch)
            dropped += count
            if count < policy.cleanup_batch:
                break
        if policy.usage_limit:
            async with self._storage.read(tenant) as snapshot:
                left = await snapshot.usage.count() - policy.usage_limit
        while left > 0:
            async with self._storage.begin(tenant) as transaction:
                await transaction.leases.check(lease)
                count = await transaction.usage.drop(limit=min(left, policy.cleanup_batch))
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
    Lets an organisation that is in use be looked at when there is something to clean up; once an interval.

    What was written is then compared for duplicates, too (`learning/duplicates.py`).
    """

    name = "plan_retention"
    scope = TaskScope.USER

    def __init__(self, parts: TaskParts) -> None:
        self._storage = parts.storage
        self._policy = parts.policy
        self._clock = parts.clock
        self._planned: dict[OrgId, datetime] = {}

    async def is_due(self, subject: Subject) -> bool:
        """Return whether this process has not planned it for an interval."""
        now = self._clock.now()
        return now >= self._planned.get(subject.tenant.org_id, now)

    async def next_due(self, snapshot: Transaction, subject: Subject) -> datetime | None:
        """Return None: it comes along with other work."""
        return None

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """Make the organisation due in an interval, or when something will have expired for long enough."""
        now, tenant = self._clock.now(), subject.tenant
        soon = now + timedelta(seconds=self._policy.cleanup_interval_seconds)
        self._planned[tenant.org_id] = soon
        async with self._storage.read(tenant) as snapshot:
            head = await snapshot.cursors.log_head(ORGANISATION)
            purge_at = await _next_purge(snapshot, self._policy, now)
            is_uncompared = bool(await snapshot.duplicates.uncompared())
        due_at = None if purge_at is None else max(soon, purge_at)
        if self._policy.interaction_limit or is_uncompared:
            due_at = soon
        if due_at is not None and (head.due_at is None or head.due_at > due_at):
            async with self._storage.begin(tenant) as transaction:
                await transaction.cursors.ensure_due(ORGANISATION, due_at)
        return TaskReport()


async def _next_purge(snapshot: Transaction, policy: TaskPolicy, now: datetime) -> datetime | None:
    """Return when the next memory has been expired for long enough to be deleted; None: none will."""
    if policy.expired_seconds is None:
        return None
    expiry = await snapshot.retention.next_expiry()
    return (
        None if expiry is None else min(expiry, now + _FARTHEST) + timedelta(seconds=policy.expired_seconds)
    )
