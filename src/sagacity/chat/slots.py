"""A limited number of slots, given in order of arrival; a holder that takes long lets others pass."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Slots:
    """Slots for work that keeps others waiting."""

    def __init__(self, count: int, *, seconds: float) -> None:
        """
        Create slots, all free.

        Args:
            count: how many slots there are.
            seconds: how long work keeps its slot. Work that takes longer is most likely waiting for another server.
        """
        self._free = asyncio.Semaphore(count)
        self._seconds = seconds

    @asynccontextmanager
    async def take(self) -> AsyncGenerator[None]:
        """Wait for a slot, and hold it during the block."""
        await self._free.acquire()
        is_mine = True

        def give_back() -> None:
            nonlocal is_mine
            if is_mine:
                is_mine = False
                self._free.release()

        timer = asyncio.get_running_loop().call_later(self._seconds, give_back)
        try:
            yield
        finally:
            timer.cancel()
            give_back()
