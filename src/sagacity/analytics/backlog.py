"""How much work is waiting, read from the database at most once every few seconds."""

import asyncio

from sagacity.domain.backlog import Backlog
from sagacity.domain.clock import Clock
from sagacity.domain.errors import StorageError
from sagacity.storage.transaction import Storage

_FRESH_SECONDS = 5.0
_LIMIT_SECONDS = 5.0


class RecentBacklog:
    """Reads the backlog and caches it for 5 seconds; concurrent callers share one read."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._reading = asyncio.Lock()
        self._read_at: float | None = None
        self._known: Backlog | None = None

    async def get(self) -> Backlog | None:
        """Return the backlog, at most a few seconds old; None if the database did not answer."""
        async with self._reading:
            now = self._clock.monotonic()
            if self._read_at is None or not 0 <= now - self._read_at < _FRESH_SECONDS:
                self._known = await self._read()
                self._read_at = self._clock.monotonic()
            return self._known

    async def _read(self) -> Backlog | None:
        try:
            async with asyncio.timeout(_LIMIT_SECONDS):
                return await self._storage.backlog()
        except (StorageError, TimeoutError):
            return None
