"""When the last calls arrived, so that background work can give way to them."""

import asyncio
import time

_BUSY_SECONDS = 0.1
"""Calls with shorter gaps than this count as a stream of calls."""
_LONGEST_WAIT_SECONDS = 2.0


class RecentCalls:
    """Tracks this process's last calls that write or search."""

    def __init__(self) -> None:
        self._last = -_BUSY_SECONDS

    def note(self) -> None:
        """Record that a call begins that somebody waits for."""
        self._last = time.monotonic()

    async def give_way(self, worked_seconds: float) -> None:
        """
        If calls are arriving, wait three times as long as the background work took; otherwise return at once.

        Four workers together then take about one worker's share of the process.
        """
        if time.monotonic() - self._last < _BUSY_SECONDS:
            await asyncio.sleep(min(3 * worked_seconds, _LONGEST_WAIT_SECONDS))
