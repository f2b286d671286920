"""How recorded calls and usage events are written, and how the task that deletes old ones is made due."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from sagacity.auth.erasure_key import OpenKey
from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.clock import Clock
from sagacity.domain.ids import ORGANISATION, OrgId
from sagacity.domain.tenant import Tenant
from sagacity.domain.usage import UsageEvent
from sagacity.learning.analytics_upkeep import AFTER_MIDNIGHT
from sagacity.storage.transaction import Storage, Transaction

_BEFORE = datetime.min.replace(tzinfo=UTC)
One = TypeVar("One", RequestAnalytics, UsageEvent)


class _NightlyWriter:
    """
    Writes, and once a day in each process makes the organisation due after midnight.

    What was recorded of a user who has been erased since is left out: the process that erased the user could not reach
    what waited in others.
    """

    def __init__(self, storage: Storage, clock: Clock, erasure_key: OpenKey) -> None:
        self._storage = storage
        self._clock = clock
        self._erasure_key = erasure_key
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

    async def _still_known(
        self, transaction: Transaction, tenant: Tenant, values: Sequence[One]
    ) -> list[One]:
        gone = await transaction.erasures.gone_since(min(one.created_at for one in values))
        if not gone:
            return list(values)
        key = self._erasure_key()
        return [
            one
            for one in values
            if one.created_at > gone.get(key.hash_user(tenant.org_id, one.user_id or ""), _BEFORE)
        ]


class CallWriter(_NightlyWriter):
    """Writes recorded calls, and makes the task due that sums up their day."""

    name = "analytics"

    async def write(self, tenant: Tenant, values: Sequence[RequestAnalytics]) -> None:
        """Write calls; those that are stored already stay unchanged."""

        async def add(transaction: Transaction) -> None:
            await transaction.request_analytics.add(await self._still_known(transaction, tenant, values))

        await self._write(tenant, add)


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
            known = await self._still_known(transaction, tenant, values)
            await transaction.usage.add(await transaction.usage.known(known))

        await self._write(tenant, add)
