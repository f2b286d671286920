"""How recorded calls and usage events are written, and that somebody comes later to clean up after them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.clock import Clock
from sagacity.domain.ids import ORGANISATION, OrgId
from sagacity.domain.tenant import Tenant
from sagacity.domain.usage import UsageEvent
from sagacity.learning.analytics_upkeep import AFTER_MIDNIGHT
from sagacity.storage.transaction import Storage, Transaction


class _Nights:
    """Makes an organisation due after midnight, once a day and process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._planned: dict[OrgId, datetime] = {}

    async def plan(self, transaction: Transaction, tenant: Tenant) -> datetime:
        """Have the organisation looked at after midnight; returns that midnight, for `note` after the commit."""
        midnight = step_of(self._clock.now(), Granularity.DAY) + timedelta(days=1)
        if self._planned.get(tenant.org_id) != midnight:
            await transaction.cursors.ensure_due(ORGANISATION, midnight + AFTER_MIDNIGHT)
        return midnight

    def note(self, tenant: Tenant, midnight: datetime) -> None:
        """Note that it is planned."""
        self._planned[tenant.org_id] = midnight


class CallWriter:
    """Writes recorded calls, and sees that their day is summed up when it is over."""

    name = "analytics"

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._nights = _Nights(clock)

    async def write(self, tenant: Tenant, values: Sequence[RequestAnalytics]) -> None:
        """Write calls; one that is there already stays as it is."""

        async def add(transaction: Transaction) -> datetime:
            await transaction.request_analytics.add(values)
            return await self._nights.plan(transaction, tenant)

        self._nights.note(tenant, await self._storage.visit_to_write(tenant, add))


class UsageWriter:
    """Writes usage events, and sees that old ones are deleted."""

    name = "usage"

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._nights = _Nights(clock)

    async def write(self, tenant: Tenant, values: Sequence[UsageEvent]) -> None:
        """
        Write events; one that is there already stays as it is. Citations of what is no memory are left out.

        Raises:
            StorageError: one is of another organisation; none is written then.
        """

        async def add(transaction: Transaction) -> datetime:
            await transaction.usage.add(await transaction.usage.known(values))
            return await self._nights.plan(transaction, tenant)

        self._nights.note(tenant, await self._storage.visit_to_write(tenant, add))
