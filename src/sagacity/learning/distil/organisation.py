"""The background task of an organisation that distils agent playbooks and skills from user playbooks."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog

from sagacity.domain.cursor import DISTIL, Lease
from sagacity.domain.errors import Conflict
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.operation import ItemStatus, Operation, OperationItem, OperationName
from sagacity.domain.tenant import Tenant
from sagacity.learning.distil.agent_playbooks.spec import AGENT_PLAYBOOKS
from sagacity.learning.distil.pipeline import Distiller
from sagacity.learning.distil.skills.spec import SKILLS
from sagacity.learning.distil.spec import Result
from sagacity.learning.progress import OperationCancelled, OperationWatch
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope
from sagacity.learning.tasks.failure import postpone_or_fail
from sagacity.learning.tasks.parts import TaskParts
from sagacity.storage.transaction import Transaction

_log = structlog.get_logger(__name__)
_FAILED_RETRY_SECONDS = 60.0


class Distil:
    """Makes agent playbooks and skills from user playbooks: first those requested, then those that are due."""

    name = DISTIL
    scope = TaskScope.ORGANISATION

    def __init__(self, parts: TaskParts, *, aggregation: Distiller | None = None) -> None:
        given = (parts.storage, parts.embedder, parts.configs, parts.models)
        self._storage = parts.storage
        self._aggregation = aggregation or Distiller(
            AGENT_PLAYBOOKS, *given, clock=parts.clock, ids=parts.ids
        )
        self._skills = Distiller(SKILLS, *given, clock=parts.clock, ids=parts.ids)
        self._retrying = parts.retrying
        self._clock = parts.clock

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return that the task is due, because new playbooks wake the organisation, and when an operation is due."""
        waiting = await _asked(snapshot)
        moments = (self._due_at(operation, item) for operation, item in waiting)
        return Look(min(moments, default=None), is_due=True)

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Run requested operations of the organisation, then what is due.

        Raises:
            Conflict: another worker took over.
        """
        aggregated = await self._operations(subject.tenant, lease)
        return TaskReport(retry_at=await self._unasked(subject.tenant, lease, aggregated))

    async def _operations(self, tenant: Tenant, lease: Lease) -> list[tuple[str, str]]:
        """Run requested operations; returns name and agent version of the aggregated playbooks."""
        aggregated: list[tuple[str, str]] = []
        async with self._storage.read(tenant) as snapshot:
            waiting = await _asked(snapshot)
        for operation, item in waiting:
            if self._due_at(operation, item) > self._clock.now():
                continue
            try:
                done = await self._do(tenant, operation, item, lease)
            except OperationCancelled:
                await self._stop(tenant, operation, item, lease)
                continue
            except Conflict:
                raise
            except Exception as error:  # noqa: BLE001  recorded with the item; others are not affected
                await self._fail(tenant, operation, item, error)
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
        """End a cancelled operation, and keep its remaining work from starting automatically at once."""
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
        Run one operation; returns its result.

        Raises:
            OperationCancelled: it was cancelled; nothing was written.
        """
        watch = OperationWatch(self._storage, tenant, item)
        async with self._storage.read(tenant) as snapshot:
            await watch.check(snapshot)
        name, version = _asked_of(operation)
        is_skills = operation.name is OperationName.SKILL_GENERATION
        distiller = self._skills if is_skills else self._aggregation
        return await distiller.run(tenant, name, version, requested=True, lease=lease, watch=watch)

    async def _unasked(
        self, tenant: Tenant, lease: Lease, aggregated_before: Sequence[tuple[str, str]]
    ) -> datetime | None:
        """
        Aggregate if enough was taught since the last run, then write skills from what was aggregated.

        Args:
            tenant: the organisation.
            lease: its lease.
            aggregated_before: what was just aggregated on request; the requester does not wait for skills.

        Returns:
            When to retry what failed; None if nothing did.
        """
        has_failed = False
        aggregated_now = await self._aggregation.due(tenant)
        for name, version in aggregated_now:
            try:
                aggregated = await self._aggregation.run(tenant, name, version, requested=False, lease=lease)
            except Conflict:
                raise
            except Exception as error:  # noqa: BLE001  one name's failure stops no other name
                _log.warning("aggregate.failed", org_id=tenant.org_id, kind=type(error).__name__)
                has_failed = True
                continue
            has_failed = has_failed or bool(aggregated.failed)
            await self._generate_skills(tenant, name, version, lease)
        for name, version in dict.fromkeys([*aggregated_before, *await self._skills.due(tenant)]):
            if (name, version) not in aggregated_now:
                await self._generate_skills(tenant, name, version, lease)
        return self._clock.now() + timedelta(seconds=_FAILED_RETRY_SECONDS) if has_failed else None

    async def _generate_skills(self, tenant: Tenant, name: str, version: str, lease: Lease) -> None:
        """Write skills after an aggregation, if configured; a failure does not undo the aggregation."""
        try:
            await self._skills.run(tenant, name, version, requested=False, lease=lease)
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001  tried again after the next aggregation
            _log.warning("skills.failed", org_id=tenant.org_id, kind=type(error).__name__)

    async def _fail(
        self, tenant: Tenant, operation: Operation, item: OperationItem, error: Exception
    ) -> None:
        failure = self._retrying.failed(f"operation:{operation.name}", error, attempts=item.attempts)
        async with self._storage.begin(tenant) as transaction:
            await postpone_or_fail(transaction, item, failure)


async def _asked(snapshot: Transaction) -> list[tuple[Operation, OperationItem]]:
    """Return the operations of the organisation that distil something."""
    waiting = await snapshot.operations.waiting_for(ORGANISATION)
    return [one for one in waiting if one[0].name is not OperationName.USER_ERASURE]


def _asked_of(operation: Operation) -> tuple[str, str]:
    """Return name and agent version of the playbooks that an operation is about."""
    [name] = operation.parameters.extractor_names
    return name, operation.parameters.agent_version or ""
