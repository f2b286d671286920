"""Hold a lease for as long as the work takes."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from sagacity.dispatch.loops import end
from sagacity.domain.cursor import Lease
from sagacity.domain.errors import StorageError, StorageUnavailable
from sagacity.domain.ids import ORGANISATION, UserId
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage, Transaction


@asynccontextmanager
async def acquire_lease(
    storage: Storage,
    tenant: Tenant,
    task: str,
    owner: str,
    *,
    seconds: float,
    user_id: UserId | None = ORGANISATION,
) -> AsyncGenerator[Lease | None]:
    """
    Hold a lease during the block, renewing it three times within its duration; yields None if another holds it.

    A failed renewal is retried. If the lease lapses meanwhile, `leases.check` in the writing transaction notices, so
    two holders can never both commit.
    """

    async def claim(transaction: Transaction) -> Lease | None:
        return await transaction.leases.claim(task, owner, seconds, user_id=user_id)

    lease = await storage.visit_to_write(tenant, claim)
    if lease is None:
        yield None
        return
    beat = asyncio.create_task(_beat(storage, tenant, lease, seconds))
    try:
        yield lease
    finally:
        await end([beat])
        with suppress(StorageUnavailable):  # the lease then lapses
            await storage.visit_to_write(tenant, lambda transaction: transaction.leases.finish(lease))


async def _beat(storage: Storage, tenant: Tenant, lease: Lease, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds / 3)
        try:
            async with storage.begin(tenant) as transaction:
                held = await transaction.leases.claim(lease.task, lease.owner, seconds, user_id=lease.user_id)
                if held is not None and held.fencing != lease.fencing:
                    await transaction.leases.finish(held)  # it had lapsed, so this claim made a new lease
        except StorageError:
            continue
        if held is None or held.fencing != lease.fencing:
            return
