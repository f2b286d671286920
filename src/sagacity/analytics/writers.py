"""How recorded calls and usage events are written, and how the task that deletes old ones is made due."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.clock import Clock
from sagacity.domain.ids import ORGANISATION, OrgId
from sagacity.domain.tenant import Tenant
from sagacity.domain.usage import UsageEvent
from sagacity.learning.analytics_upkeep import AFTER_MIDNIGHT
from sagacity.storage.transaction import Storage, Transaction


class _NightlyWriter:
    """Writes, and once a day in each process makes the organisation due after midnight."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._planned: dict[OrgId, datetime] = {}

    async def _write(self, tenant: Tenant, add: Callable[[Transaction], Awaitable[None]]) -> None:
        """Run *add* and make the organisation due in one transaction."""
        midnight = step_of(self._clock.now(), Granularity.DAY) + timedelta(days=1)

        async def add_and_plan(transaction: Transaction) -> None:
            await add(transaction)
            if self._planned.get(tenant.org_id) != midnight:
                await transaction.cursors.ensure_due(ORGANISATION, midnight + AFTER_MIDNIGHT)

        await self._storage.visit_to_write(tenant, add_and_plan)
        self._planned[tenant.org_id] = midnight


class CallWriter(_NightlyWriter):
    """Writes recorded calls, and makes the task due that sums up their day."""

    name = "analytics"

    async def write(self, tenant: Tenant, values: Sequence[RequestAnalytics]) -> None:
        """Write calls; those that are stored already stay unchanged."""
        await self._write(tenant, lambda transaction: transaction.request_analytics.add(values))


class UsageWriter(_NightlyWriter):
    """Writes usage events, and makes the task due that deletes old ones."""

    name = "usage"

    async def write(self, tenant: Tenant, values: Sequence[UsageEvent]) -> None:
        """
        Write events; those that are stored already stay unchanged. Citations of non-memories are left out.

        Raises:
            StorageError: an event belongs to another organisation; none is written.
        """

        async def add(transaction: Transaction) -> None:
            await transaction.usage.add(await transaction.usage.known(values))

        await self._write(tenant, add)
