"""Count how often memories are used: at once in memory, and in the database in batches."""

import asyncio
from collections import Counter
from collections.abc import Iterable

import structlog

from sagacity.dispatch.loops import end, every
from sagacity.domain.clock import Clock
from sagacity.domain.errors import StorageError
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage

FLUSH_SECONDS = 3.0
"""How often counts are written, and so how much a killed process may lose."""
MOST_WAITING = 50_000
"""How many memories may wait to be written. While the database is down, further uses are not counted."""
_log = structlog.get_logger(__name__)


class Accesses:
    """
    Counts the uses of memories in this process.

    Searches and answers do not wait for a write; a crash loses only counts.
    """

    def __init__(self, storage: Storage, clock: Clock, *, seconds: float = FLUSH_SECONDS) -> None:
        self._storage = storage
        self._clock = clock
        self._seconds = seconds
        self._waiting: dict[Tenant, Counter[int | str]] = {}
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start writing every few seconds."""
        self._task = every(self._seconds, self.flush)

    async def stop(self) -> None:
        """Write what waits, and stop."""
        if self._task is not None:
            await end([self._task])
        await self.flush()

    def note(self, tenant: Tenant, used: Iterable[int | str]) -> None:
        """Count one more use of each of *used*: numbers or uids of memories."""
        waiting = self._waiting.setdefault(tenant, Counter())
        for one in used:
            if one in waiting or len(waiting) < MOST_WAITING:
                waiting[one] += 1

    async def flush(self) -> None:
        """Write the waiting counts; those that cannot be written wait for the next time."""
        for tenant in list(self._waiting):
            noted = self._waiting.pop(tenant)
            if not noted:
                continue
            try:
                await self._storage.retry(lambda tenant=tenant, noted=noted: self._write(tenant, noted))
            except (StorageError, asyncio.CancelledError) as error:
                self._waiting.setdefault(tenant, Counter()).update(noted)
                if not isinstance(error, StorageError):
                    raise
                _log.warning("access.not_written", kind=type(error).__name__, count=len(noted))

    async def _write(self, tenant: Tenant, noted: Counter[int | str]) -> None:
        now = self._clock.now()
        counts = {number: times for number, times in noted.items() if isinstance(number, int)}
        uids = [uid for uid in noted if isinstance(uid, str)]
        async with self._storage.begin(tenant) as transaction:
            if uids:
                numbers = await transaction.user_memories.numbers_of(uids)
                for uid, number in numbers.items():
                    counts[number] = counts.get(number, 0) + noted[uid]
            await transaction.user_memories.note_accesses(counts, now)
