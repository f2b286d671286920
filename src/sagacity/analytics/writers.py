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
    """Writes, and makes the organisation due after midnight, once a day and process."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._planned: dict[OrgId, datetime] = {}

    async def _write(self, tenant: Tenant, add: Callable[[Transaction], Awaitable[None]]) -> None:
        """Do what *add* does, in one transaction with the plan."""
        midnight = step_of(self._clock.now(), Granularity.DAY) + timedelta(days=1)

        async def add_and_plan(transaction: Transaction) -> None:
            await add(transaction)
            if self._planned.get(tenant.org_id) != midnight:
                await transaction.cursors.ensure_due(ORGANISATION, midnight + AFTER_MIDNIGHT)

        await self._storage.visit_to_write(tenant, add_and_plan)
        self._planned[tenant.org_id] = midnight


class CallWriter(_NightlyWriter):
    """Writes recorded calls, and sees that their day is summed up when it is over."""

    name = "analytics"

    async def write(self, tenant: Tenant, values: Sequence[RequestAnalytics]) -> None:
        """Write calls; one that is there already stays as it is."""
        await self._write(tenant, lambda transaction: transaction.request_analytics.add(values))


class UsageWriter(_NightlyWriter):
    """Writes usage events, and sees that old ones are deleted."""

    name = "usage"

    async def write(self, tenant: Tenant, values: Sequence[UsageEvent]) -> None:
        """
        Write events; one that is there already stays as it is. Citations of what is no memory are left out.

        Raises:
            StorageError: one is of another organisation; none is written then.
        """

        async def add(transaction: Transaction) -> None:
            await transaction.usage.add(await transaction.usage.known(values))

        await self._write(tenant, add)
