"""When the last calls came in, so that background work gives way."""

import asyncio
import time

_BUSY_SECONDS = 0.1
"""Calls with shorter gaps than this count as a stream of calls."""
_LONGEST_WAIT_SECONDS = 2.0


class RecentCalls:
    """Tracks the last call of this process that writes or searches."""

    def __init__(self) -> None:
        self._last = -_BUSY_SECONDS

    def note(self) -> None:
        """Record that a call begins for which somebody waits."""
        self._last = time.monotonic()

    async def give_way(self, worked_seconds: float) -> None:
        """
        If calls are coming in, wait three times as long as the background worked; otherwise return at once.

        So four workers together take about one worker's share of the process.
        """
        if time.monotonic() - self._last < _BUSY_SECONDS:
            await asyncio.sleep(min(3 * worked_seconds, _LONGEST_WAIT_SECONDS))
