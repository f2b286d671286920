"""The tenant's own work: agent playbooks from what users taught, skills from those, cleaning up."""

from datetime import datetime, timedelta

import structlog
from pydantic import JsonValue

from sagacity.dispatch.lease import hold
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import TENANT_WORK, Lease
from sagacity.domain.errors import Conflict
from sagacity.domain.ids import IdSource
from sagacity.domain.operation import TENANT_SCOPE, ItemStatus, Operation, OperationItem, OperationName
from sagacity.domain.tenant import Tenant
from sagacity.learning.aggregate.aggregator import Aggregator
from sagacity.learning.retention import Retention
from sagacity.learning.skills.generator import SkillGenerator
from sagacity.learning.steps import told
from sagacity.storage.transaction import Storage

_log = structlog.get_logger(__name__)
_BUSY_RETRY_SECONDS, _FAILED_RETRY_SECONDS = 5.0, 60.0


class TenantWork:
    """Does whatever is due of a tenant itself, one worker at a time."""

    def __init__(
        self,
        storage: Storage,
        aggregator: Aggregator,
        skills: SkillGenerator,
        retention: Retention,
        retry: RetryPolicy,
        *,
        lease_seconds: float,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._storage = storage
        self._aggregator = aggregator
        self._skills = skills
        self._retention = retention
        self._retry = retry
        self._lease_seconds = lease_seconds
        self._clock = clock
        self._ids = ids

    async def run(self, tenant: Tenant) -> None:
        """Do the tenant's part of operations and what became due by itself, and say when to look again."""
        async with self._storage.read(tenant) as snapshot:
            head = await snapshot.cursors.log_head(TENANT_SCOPE)
        later: float | None = None
        clean_up_at: datetime | None = None
        try:
            async with hold(
                self._storage, tenant, TENANT_WORK, self._ids.new(), seconds=self._lease_seconds
            ) as lease:
                if lease is None:
                    later = _BUSY_RETRY_SECONDS
                else:
                    await self._operations(tenant, lease)
                    later = await self._by_itself(tenant, lease)
                    clean_up_at = await self._retention.run(tenant, lease)
        except Conflict:
            later = _BUSY_RETRY_SECONDS  # another worker took over
        async with self._storage.begin(tenant) as transaction:
            waiting = await transaction.operations.waiting_for(TENANT_SCOPE)
            moments = [self._due_at(operation, item) for operation, item in waiting]
            if clean_up_at is not None:
                moments.append(clean_up_at)
            if later is not None:
                moments.append(self._clock.now() + timedelta(seconds=later))
            await transaction.cursors.set_due(TENANT_SCOPE, min(moments, default=None), head=head)

    async def _operations(self, tenant: Tenant, lease: Lease) -> None:
        """Do what someone asked for."""
        async with self._storage.read(tenant) as snapshot:
            waiting = await snapshot.operations.waiting_for(TENANT_SCOPE)
        for operation, item in waiting:
            if self._due_at(operation, item) > self._clock.now():
                continue
            if operation.cancel_requested:
                async with self._storage.begin(tenant) as transaction:
                    await transaction.operations.settle(item, ItemStatus.CANCELLED)
                continue
            try:
                result = await self._do(tenant, operation, lease)
            except Conflict:
                raise
            except Exception as error:  # noqa: BLE001  recorded with the item: the others have their turn
                await self._fail(tenant, item, error)
                continue
            async with self._storage.begin(tenant) as transaction:
                await transaction.leases.check(lease)
                await transaction.operations.settle(item, ItemStatus.DONE, result=result)

    def _due_at(self, operation: Operation, item: OperationItem) -> datetime:
        now = self._clock.now()
        return now if operation.cancel_requested else item.next_try_at or now

    async def _do(self, tenant: Tenant, operation: Operation, lease: Lease) -> dict[str, JsonValue]:
        asked = operation.parameters
        [name] = asked.extractor_names
        version = asked.agent_version or ""
        if operation.name is OperationName.SKILL_GENERATION:
            made = await self._skills.run(tenant, name, version, rerun=True, lease=lease)
            return made.model_dump(mode="json")
        aggregated = await self._aggregator.run(tenant, name, version, full=True, lease=lease)
        await self._generate_skills(tenant, name, version, lease)
        return aggregated.model_dump(mode="json")

    async def _by_itself(self, tenant: Tenant, lease: Lease) -> float | None:
        """Aggregate where enough was taught since the last time; returns when to try again what failed."""
        later = None
        for name, version in await self._aggregator.due(tenant):
            try:
                aggregated = await self._aggregator.run(tenant, name, version, full=False, lease=lease)
            except Conflict:
                raise
            except Exception as error:  # noqa: BLE001  one name's failure stops no other's
                _log.warning("aggregate.failed", org_id=tenant.org_id, kind=type(error).__name__)
                later = _FAILED_RETRY_SECONDS
                continue
            if aggregated.failed:
                later = _FAILED_RETRY_SECONDS
            await self._generate_skills(tenant, name, version, lease)
        return later

    async def _generate_skills(self, tenant: Tenant, name: str, version: str, lease: Lease) -> None:
        """Write skills after an aggregation, where the tenant wants that; their failure undoes no aggregation."""
        try:
            await self._skills.after_aggregation(tenant, name, version, lease=lease)
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001  tried again after the next aggregation
            _log.warning("skills.failed", org_id=tenant.org_id, kind=type(error).__name__)

    async def _fail(self, tenant: Tenant, item: OperationItem, error: Exception) -> None:
        attempts = item.attempts + 1
        _log.warning("operation.item_failed", kind=type(error).__name__, attempts=attempts)
        next_try = self._retry.next_try(attempts, self._clock.now())
        async with self._storage.begin(tenant) as transaction:
            if next_try is None:
                await transaction.operations.settle(item, ItemStatus.FAILED, error=told(error))
            else:
                await transaction.operations.postpone(
                    item, attempts=attempts, next_try_at=next_try, error=told(error)
                )
