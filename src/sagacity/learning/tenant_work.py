"""The tenant's own work: agent playbooks from what users taught, skills from those, cleaning up."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog

from sagacity.dispatch.lease import hold
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import TENANT_WORK, Lease
from sagacity.domain.errors import Conflict
from sagacity.domain.ids import IdSource
from sagacity.domain.operation import TENANT_SCOPE, ItemStatus, Operation, OperationItem, OperationName
from sagacity.domain.tenant import Tenant
from sagacity.learning.distil.pipeline import Distiller
from sagacity.learning.distil.spec import Result
from sagacity.learning.retention import Retention
from sagacity.learning.steps import told
from sagacity.learning.watch import OperationWatch, StoppedError
from sagacity.storage.transaction import Storage

_log = structlog.get_logger(__name__)
_BUSY_RETRY_SECONDS, _FAILED_RETRY_SECONDS = 5.0, 60.0


class TenantWork:
    """Does whatever is due of a tenant itself, one worker at a time."""

    def __init__(
        self,
        storage: Storage,
        aggregation: Distiller,
        skills: Distiller,
        retention: Retention,
        retry: RetryPolicy,
        *,
        lease_seconds: float,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._storage = storage
        self._aggregation = aggregation
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
                    aggregated = await self._operations(tenant, lease)
                    later = await self._by_itself(tenant, lease, aggregated)
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

    async def _operations(self, tenant: Tenant, lease: Lease) -> list[tuple[str, str]]:
        """Do what someone asked for; returns name and agent version of the playbooks that were aggregated."""
        aggregated: list[tuple[str, str]] = []
        async with self._storage.read(tenant) as snapshot:
            waiting = await snapshot.operations.waiting_for(TENANT_SCOPE)
        for operation, item in waiting:
            if self._due_at(operation, item) > self._clock.now():
                continue
            try:
                done = await self._do(tenant, operation, item, lease)
            except StoppedError:
                await self._stop(tenant, operation, item, lease)
                continue
            except Conflict:
                raise
            except Exception as error:  # noqa: BLE001  recorded with the item: the others have their turn
                await self._fail(tenant, item, error)
                continue
            async with self._storage.begin(tenant) as transaction:
                await transaction.leases.check(lease)
                await transaction.operations.settle(
                    item, ItemStatus.DONE, generated=done.written, result=done.model_dump(mode="json")
                )
            if operation.name is OperationName.PLAYBOOK_AGGREGATION:
                aggregated.append(_asked_of(operation))
        return aggregated

    async def _stop(self, tenant: Tenant, operation: Operation, item: OperationItem, lease: Lease) -> None:
        """End a cancelled operation; what it left out is not begun again by itself at once."""
        name, version = _asked_of(operation)
        async with self._storage.begin(tenant) as transaction:
            await transaction.leases.check(lease)
            await transaction.operations.settle(item, ItemStatus.CANCELLED)
            if operation.name is OperationName.PLAYBOOK_AGGREGATION:
                await self._aggregation.put_off(transaction, name, version)
            await self._skills.put_off(transaction, name, version)

    def _due_at(self, operation: Operation, item: OperationItem) -> datetime:
        now = self._clock.now()
        return now if operation.cancel_requested else item.next_try_at or now

    async def _do(self, tenant: Tenant, operation: Operation, item: OperationItem, lease: Lease) -> Result:
        """
        Do one operation; returns what was made.

        Raises:
            StoppedError: it was cancelled; nothing was written.
        """
        watch = OperationWatch(self._storage, tenant, item)
        async with self._storage.read(tenant) as snapshot:
            await watch.check(snapshot)
        name, version = _asked_of(operation)
        is_skills = operation.name is OperationName.SKILL_GENERATION
        distiller = self._skills if is_skills else self._aggregation
        return await distiller.run(tenant, name, version, requested=True, lease=lease, watch=watch)

    async def _by_itself(
        self, tenant: Tenant, lease: Lease, aggregated_before: Sequence[tuple[str, str]]
    ) -> float | None:
        """
        Aggregate where enough was taught since the last time, and write skills of what was aggregated.

        Args:
            tenant: whose.
            lease: the tenant's.
            aggregated_before: what someone asked for just now; who did does not wait for skills.

        Returns:
            When to try again what failed, in seconds.
        """
        later = None
        aggregated_now = await self._aggregation.due(tenant)
        for name, version in aggregated_now:
            try:
                aggregated = await self._aggregation.run(tenant, name, version, requested=False, lease=lease)
            except Conflict:
                raise
            except Exception as error:  # noqa: BLE001  one name's failure stops no other's
                _log.warning("aggregate.failed", org_id=tenant.org_id, kind=type(error).__name__)
                later = _FAILED_RETRY_SECONDS
                continue
            if aggregated.failed:
                later = _FAILED_RETRY_SECONDS
            await self._generate_skills(tenant, name, version, lease)
        for name, version in dict.fromkeys([*aggregated_before, *await self._skills.due(tenant)]):
            if (name, version) not in aggregated_now:
                await self._generate_skills(tenant, name, version, lease)
        return later

    async def _generate_skills(self, tenant: Tenant, name: str, version: str, lease: Lease) -> None:
        """Write skills after an aggregation, where the tenant wants that; their failure undoes no aggregation."""
        try:
            await self._skills.run(tenant, name, version, requested=False, lease=lease)
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


def _asked_of(operation: Operation) -> tuple[str, str]:
    """Return name and agent version of the playbooks that an operation is about."""
    [name] = operation.parameters.extractor_names
    return name, operation.parameters.agent_version or ""
