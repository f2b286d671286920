"""Who writes search documents locks in one order, so that no two wait for each other."""

import asyncio

from sagacity.storage.transaction import Storage
from support.parts import ORG, said, unit_rows


async def test_turns_are_deleted_while_they_get_their_vectors(storage: Storage) -> None:
    """Whoever embeds has locked the scope, and then writes to what is being deleted."""
    first = await storage.append(ORG, said("Tea, please."))

    async def delete() -> int:
        async with storage.begin(ORG) as transaction:
            return await transaction.interactions.delete_requests([first.request_id])

    async with storage.begin(ORG) as transaction:
        waiting = await transaction.search.unembedded(1)
        await transaction.interactions.append([said("Coffee, please.", request_id="r2")])
        deleting = asyncio.create_task(delete())
        await asyncio.sleep(0.3)  # until it waits, holding what it has locked by then
        await transaction.search.set_vectors(waiting, unit_rows(1))
    assert await deleting == 1
    async with storage.read(ORG) as snapshot:
        assert [one.text for one in await snapshot.search.unembedded(9)] == ["Coffee, please."]
