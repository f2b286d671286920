"""What is kept how long: the oldest turns beyond a limit go, and memories some time after they expired."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from sagacity.config.base import ConfigStore
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import Lease
from sagacity.domain.ids import OrgId
from sagacity.domain.operation import TENANT_SCOPE
from sagacity.domain.tenant import Tenant
from sagacity.learning.ask import Calls
from sagacity.learning.learners import learner_groups
from sagacity.storage.transaction import Storage, Transaction

_log = structlog.get_logger(__name__)
_FARTHEST = timedelta(days=365)
"""No look is planned for later, so that what expires in the year 9999 is a date like any other."""
_BATCHES_CHOSEN = 20
"""To choose turns takes a look at many, so it is done for some batches at once."""


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How much of a tenant's data is kept."""

    interaction_limit: int
    """Turns; 0: all."""
    expired_seconds: float
    """How long a memory stays after it expired."""
    interval_seconds: float = 3_600.0
    batch: int = 500
    """Rows deleted in one transaction, so that nobody waits long for it."""


class Retention:
    """Cleans up after one tenant, as part of the tenant's own work."""

    def __init__(
        self,
        storage: Storage,
        configs: ConfigStore,
        policy: RetentionPolicy,
        *,
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._configs = configs
        self._policy = policy
        self._clock = clock
        self._planned: dict[OrgId, datetime] = {}

    async def plan(self, tenant: Tenant) -> None:
        """Let the tenant's own work be looked at when there is something to clean up; asks at most once an interval."""
        now = self._clock.now()
        if now < self._planned.get(tenant.org_id, now):
            return
        self._planned[tenant.org_id] = now + timedelta(seconds=self._policy.interval_seconds)
        async with self._storage.read(tenant) as snapshot:
            head = await snapshot.cursors.log_head(TENANT_SCOPE)
            due_at = await self._next_look(snapshot)
        if due_at is not None and (head.due_at is None or head.due_at > due_at):
            async with self._storage.begin(tenant) as transaction:
                await transaction.cursors.ensure_due(TENANT_SCOPE, due_at)

    async def run(self, tenant: Tenant, lease: Lease) -> datetime | None:
        """
        Delete what need not be kept, a batch a transaction.

        Returns:
            When to look again, if nothing is learned until then; None: not before.
        """
        turns = await self._drop_turns(tenant, lease)
        purged = await self._purge(tenant, lease)
        if turns or purged:
            _log.info("retention.cleaned", org_id=tenant.org_id, turns=turns, memories=purged)
        async with self._storage.read(tenant) as snapshot:
            expiry = await snapshot.retention.next_expiry()
        return None if expiry is None else self._purged_at(expiry)

    async def _drop_turns(self, tenant: Tenant, lease: Lease) -> int:
        policy, dropped = self._policy, 0
        if not policy.interaction_limit:
            return dropped
        config = await self._configs.get(tenant)
        learners = [one.name for group in learner_groups(config, Calls()) for one in group.learners]
        judged = bool(config.agent_success_configs)
        async with self._storage.read(tenant) as snapshot:
            excess = await snapshot.retention.excess(policy.interaction_limit)
        while dropped < excess:
            wanted = min(excess - dropped, policy.batch * _BATCHES_CHOSEN)
            async with self._storage.read(tenant) as snapshot:
                chosen = await snapshot.retention.oldest_read(learners, judged=judged, limit=wanted)
            before = dropped
            for start in range(0, len(chosen), policy.batch):
                batch = chosen[start : start + policy.batch]
                async with self._storage.begin(tenant) as transaction:
                    await transaction.leases.check(lease)
                    dropped += await transaction.retention.drop(batch, learners, judged=judged)
            if dropped - before < wanted:
                break
        return dropped

    async def _purge(self, tenant: Tenant, lease: Lease) -> int:
        before = self._clock.now() - timedelta(seconds=self._policy.expired_seconds)
        purged = 0
        while True:
            async with self._storage.begin(tenant) as transaction:
                await transaction.leases.check(lease)
                count = await transaction.retention.purge_expired(before, limit=self._policy.batch)
            purged += count
            if count < self._policy.batch:
                return purged

    async def _next_look(self, snapshot: Transaction) -> datetime | None:
        soon = self._clock.now() + timedelta(seconds=self._policy.interval_seconds)
        if self._policy.interaction_limit:
            return soon
        expiry = await snapshot.retention.next_expiry()
        return None if expiry is None else max(soon, self._purged_at(expiry))

    def _purged_at(self, expiry: datetime) -> datetime:
        return min(expiry, self._clock.now() + _FARTHEST) + timedelta(seconds=self._policy.expired_seconds)
