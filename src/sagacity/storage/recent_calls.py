"""When the last calls came in, so that background work gives way."""

import asyncio
import time

_BUSY_SECONDS = 0.1
"""Calls that follow one another closer than this are a stream of them."""
_LONGEST_WAIT_SECONDS = 2.0


class RecentCalls:
    """The calls of this process that write or search, of which only the last one matters."""

    def __init__(self) -> None:
        self._last = -_BUSY_SECONDS

    def note(self) -> None:
        """Note that somebody waits for what is begun now."""
        self._last = time.monotonic()

    async def give_way(self, worked_seconds: float) -> None:
        """
        Wait, if calls come in, three times as long as the background worked; otherwise return at once.

        So four workers together take about one worker's share of the process.
        """
        if time.monotonic() - self._last < _BUSY_SECONDS:
            await asyncio.sleep(min(3 * worked_seconds, _LONGEST_WAIT_SECONDS))
