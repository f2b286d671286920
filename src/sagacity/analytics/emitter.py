"""Write recorded values to the database in batches, in the background; no call waits for it or fails with it."""

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import structlog

from sagacity.dispatch.loops import end, for_ever, wait
from sagacity.domain.errors import StorageError, StorageUnavailable
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage

LEAST_KEPT = 1_000
"""How many values may wait at least while the database cannot be reached, however small a batch is."""
_BATCHES_KEPT = 10
"""How many batches may wait, if they are more than `LEAST_KEPT` values."""
_PAUSE_SECONDS = 0.2
"""Pause between two writes, so that values that come in quick succession share one."""
_ROWS_A_WRITE = 500
_log = structlog.get_logger(__name__)
One = TypeVar("One")
Given_contra = TypeVar("Given_contra", contravariant=True)


class Writer(Protocol[Given_contra]):
    """Writes values of one type."""

    @property
    def name(self) -> str:
        """The name of these values in log lines."""
        ...

    async def write(self, tenant: Tenant, values: Sequence[Given_contra]) -> None:
        """Write values in one transaction. Idempotent: writing values again must change nothing."""
        ...


@dataclass(frozen=True, slots=True)
class EmitterPolicy:
    """When values are written."""

    batch_size: int = 10
    """Write as soon as this many values wait."""
    seconds: float = 10.0
    """Write after this time at the latest, and retry after it when a write failed."""

    @property
    def kept(self) -> int:
        """How many values may wait; beyond that the oldest are dropped."""
        return max(LEAST_KEPT, _BATCHES_KEPT * self.batch_size)


class Emitter(Generic[One]):
    """Keeps recorded values in memory until they are written."""

    def __init__(self, storage: Storage, writer: Writer[One], policy: EmitterPolicy) -> None:
        self._storage = storage
        self._writer = writer
        self._policy = policy
        self._waiting: deque[tuple[Tenant, One]] = deque()
        self._is_full = asyncio.Event()
        self._writing = asyncio.Lock()
        self._loop: asyncio.Task[None] | None = None
        self.dropped = 0
        """How many values were lost: too many waited, or the database refused them."""

    @property
    def waiting(self) -> int:
        """How many values wait to be written."""
        return len(self._waiting)

    def record(self, tenant: Tenant, one: One) -> None:
        """Record a value; never fails and never waits."""
        self._waiting.append((tenant, one))
        self._keep_within_bounds()
        if len(self._waiting) >= self._policy.batch_size:
            self._is_full.set()

    async def start(self) -> None:
        """Start writing in the background."""
        self._loop = asyncio.create_task(for_ever(self._step))

    async def stop(self) -> None:
        """Write the waiting values, and stop; those that cannot be written are lost, and counted in `dropped`."""
        if self._loop is not None:
            await end([self._loop])
        try:
            await self._storage.retry(self.flush)
        except StorageError as error:
            _log.warning(f"{self._writer.name}.lost", kind=type(error).__name__, count=len(self._waiting))
            self.dropped += len(self._waiting)
            self._waiting.clear()

    async def flush(self, tenant: Tenant | None = None) -> int:
        """
        Write the waiting values, only those of *tenant* if it is given; returns how many were written.

        Raises:
            StorageUnavailable: the database could not be reached; values that were not written still wait.
        """
        async with self._writing:
            left, failed = self._taken(tenant), list[tuple[Tenant, Sequence[One]]]()
            written, problem = 0, None
            try:
                while left:
                    whose, values = left[0]
                    try:
                        written += await self._write(whose, values)
                    except StorageUnavailable as error:
                        problem = error
                        failed.append(left[0])
                    left.pop(0)
            finally:
                self._put_back([*failed, *left])
            if problem is not None:
                raise problem
            return written

    def _taken(self, tenant: Tenant | None) -> list[tuple[Tenant, Sequence[One]]]:
        """Take the waiting values, in batches that are written together."""
        taken: dict[Tenant, list[One]] = {}
        others: deque[tuple[Tenant, One]] = deque()
        for whose, one in self._waiting:
            if tenant is None or whose.org_id == tenant.org_id:
                taken.setdefault(whose, []).append(one)
            else:
                others.append((whose, one))
        self._waiting = others
        self._is_full.clear()
        return [
            (whose, values[start : start + _ROWS_A_WRITE])
            for whose, values in taken.items()
            for start in range(0, len(values), _ROWS_A_WRITE)
        ]

    def _put_back(self, batches: Sequence[tuple[Tenant, Sequence[One]]]) -> None:
        waiting = [(tenant, one) for tenant, values in batches for one in values]
        self._waiting.extendleft(reversed(waiting))
        self._keep_within_bounds()

    def _keep_within_bounds(self) -> None:
        while len(self._waiting) > self._policy.kept:
            self._waiting.popleft()
            self.dropped += 1

    async def _step(self) -> None:
        await wait(self._is_full, self._policy.seconds)
        started, pause_seconds = time.monotonic(), _PAUSE_SECONDS
        try:
            if self._waiting:
                await self.flush()
        except StorageUnavailable as error:
            _log.warning(
                f"{self._writer.name}.not_written", kind=type(error).__name__, count=len(self._waiting)
            )
            pause_seconds = self._policy.seconds
        await self._storage.yield_to_calls(time.monotonic() - started)
        await asyncio.sleep(pause_seconds)

    async def _write(self, tenant: Tenant, values: Sequence[One]) -> int:
        """Write values together. If the database refuses them, write one by one, so that only the bad ones are lost."""
        try:
            await self._writer.write(tenant, values)
        except StorageUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  any error: the other values must not be lost with a bad one
            if len(values) > 1:
                return sum([await self._write(tenant, [one]) for one in values])
            _log.warning(f"{self._writer.name}.refused", org_id=tenant.org_id, kind=type(error).__name__)
            self.dropped += 1
            return 0
        return len(values)
