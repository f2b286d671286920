"""What is put together also ends."""

import asyncio
from pathlib import Path

from sagacity.bootstrap import _copying
from sagacity.domain.tenant import Tenant
from sagacity.storage.open import open_storage, open_vector_store
from sagacity.storage.transaction import Storage
from support.parts import CountingIds, StoppedClock


class Deaf(Storage):
    """A storage whose driver takes the first cancellation for something else, as `wait_for` of Python 3.11 does."""

    swallowed = 0

    async def uncopied_tenants(self) -> list[Tenant]:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.swallowed += 1
            if self.swallowed > 1:
                raise
        return []


async def test_copying_ends_where_a_cancellation_is_swallowed(tmp_path: Path) -> None:
    """A server that stops does not wait for ever for the copy of its vectors."""
    opened = await open_storage(f"sqlite:///{tmp_path / 'a.db'}", clock=StoppedClock(), ids=CountingIds())
    store = open_vector_store("http://127.0.0.1:9", "")
    deaf = Deaf(opened.backend, clock=opened._clock, ids=opened._ids, vector_store=store)
    try:
        async with asyncio.timeout(60), _copying(deaf, CountingIds()):
            await asyncio.sleep(0.05)
        assert deaf.swallowed >= 1
    finally:
        await deaf.close()
