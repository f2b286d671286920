"""A limited number of slots, given in order of arrival; a holder that takes long lets others pass."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Slots:
    """Places for work that keeps others waiting while it goes on."""

    def __init__(self, count: int, *, seconds: float) -> None:
        """
        Begin with all places free.

        Args:
            count: how many there are.
            seconds: how long work has its place. Work that goes on for longer waits, for another server most likely.
        """
        self._free = asyncio.Semaphore(count)
        self._seconds = seconds

    @asynccontextmanager
    async def take(self) -> AsyncGenerator[None]:
        """Wait for a place, and have it in the block."""
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
