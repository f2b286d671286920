"""Recorded calls on their way into the database, in batches; a call never waits for it, and never fails by it."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from sagacity.dispatch.loops import end, wait
from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.clock import Clock
from sagacity.domain.errors import StorageError, StorageUnavailable
from sagacity.domain.ids import ORGANISATION, OrgId
from sagacity.domain.tenant import Tenant
from sagacity.learning.analytics_upkeep import AFTER_MIDNIGHT
from sagacity.storage.transaction import Storage

LEAST_KEPT = 1_000
"""As many calls wait at least, however small a batch is, while the database cannot be reached."""
_BATCHES_KEPT = 10
_PAUSE_SECONDS = 0.2
"""Between two writes, so that many calls share one where they come fast."""
_ROWS_A_WRITE = 200
_Batch = tuple[Tenant, Sequence[RequestAnalytics]]
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class EmitterPolicy:
    """When calls are written."""

    batch_size: int = 10
    """As soon as so many wait."""
    seconds: float = 10.0
    """After so long at the latest; and so long after a write that failed."""

    @property
    def kept(self) -> int:
        """How many may wait; beyond that the oldest are dropped."""
        return max(LEAST_KEPT, _BATCHES_KEPT * self.batch_size)


class Emitter:
    """Keeps recorded calls until they are written. What is lost is counted in `dropped`."""

    def __init__(self, storage: Storage, clock: Clock, policy: EmitterPolicy) -> None:
        self._storage = storage
        self._clock = clock
        self._policy = policy
        self._waiting: deque[tuple[Tenant, RequestAnalytics]] = deque()
        self._is_full = asyncio.Event()
        self._writing = asyncio.Lock()
        self._loop: asyncio.Task[None] | None = None
        self._planned: dict[OrgId, datetime] = {}
        self.dropped = 0
        """Calls that were not written, because too many waited or because the database took them by no means."""

    @property
    def waiting(self) -> int:
        """How many calls wait to be written."""
        return len(self._waiting)

    def record(self, tenant: Tenant, call: RequestAnalytics) -> None:
        """Note down one call; it never fails and never waits."""
        self._waiting.append((tenant, call))
        self._keep_within_bounds()
        if len(self._waiting) >= self._policy.batch_size:
            self._is_full.set()

    def forget(self, is_meant: Callable[[Tenant, RequestAnalytics], bool]) -> None:
        """Drop the calls that wait and of which *is_meant* is true: they are not to be written."""
        self._waiting = deque(one for one in self._waiting if not is_meant(*one))

    async def start(self) -> None:
        """Begin to write what waits."""
        self._loop = asyncio.create_task(self._write_for_ever())

    async def stop(self) -> None:
        """Write what waits, and end; what cannot be written now is lost, and counted."""
        if self._loop is not None:
            await end([self._loop])
        try:
            await self._storage.retry(self.flush)
        except StorageError as error:
            _log.warning("analytics.lost", kind=type(error).__name__, count=len(self._waiting))
            self.dropped += len(self._waiting)
            self._waiting.clear()

    async def flush(self, tenant: Tenant | None = None) -> int:
        """
        Write what waits, of one tenant if one is named; returns how many calls were written.

        Raises:
            StorageUnavailable: the database could not be reached; what was not written waits on.
        """
        async with self._writing:
            left, failed = self._taken(tenant), list[_Batch]()
            written, problem = 0, None
            try:
                while left:
                    whose, calls = left[0]
                    try:
                        written += await self._write(whose, calls)
                    except StorageUnavailable as error:
                        problem = error
                        failed.append(left[0])
                    left.pop(0)
            finally:
                self._put_back([*failed, *left])
            if problem is not None:
                raise problem
            return written

    def _taken(self, tenant: Tenant | None) -> list[_Batch]:
        """Take what waits, in parts that are written together."""
        taken: dict[Tenant, list[RequestAnalytics]] = {}
        others: deque[tuple[Tenant, RequestAnalytics]] = deque()
        for whose, call in self._waiting:
            if tenant is None or whose.org_id == tenant.org_id:
                taken.setdefault(whose, []).append(call)
            else:
                others.append((whose, call))
        self._waiting = others
        self._is_full.clear()
        return [
            (whose, calls[start : start + _ROWS_A_WRITE])
            for whose, calls in taken.items()
            for start in range(0, len(calls), _ROWS_A_WRITE)
        ]

    def _put_back(self, batches: Sequence[_Batch]) -> None:
        calls = [(tenant, call) for tenant, calls in batches for call in calls]
        self._waiting.extendleft(reversed(calls))
        self._keep_within_bounds()

    def _keep_within_bounds(self) -> None:
        while len(self._waiting) > self._policy.kept:
            self._waiting.popleft()
            self.dropped += 1

    async def _write_for_ever(self) -> None:
        while True:
            await wait(self._is_full, self._policy.seconds)
            started, pause_seconds = time.monotonic(), _PAUSE_SECONDS
            try:
                if self._waiting:
                    await self.flush()
            except Exception as error:  # noqa: BLE001  the loop: it records and goes on
                _log.warning("analytics.not_written", kind=type(error).__name__, count=len(self._waiting))
                pause_seconds = self._policy.seconds
            await self._storage.yield_to_publishes(time.monotonic() - started)
            await asyncio.sleep(pause_seconds)

    async def _write(self, tenant: Tenant, calls: Sequence[RequestAnalytics]) -> int:
        """Write calls together; where the database refuses them, one by one, so that only the bad ones are lost."""
        try:
            await self._insert(tenant, calls)
        except StorageUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  whatever it was, the others are not lost by it
            if len(calls) > 1:
                return sum([await self._write(tenant, [call]) for call in calls])
            _log.warning("analytics.refused", org_id=tenant.org_id, kind=type(error).__name__)
            self.dropped += 1
            return 0
        return len(calls)

    async def _insert(self, tenant: Tenant, calls: Sequence[RequestAnalytics]) -> None:
        """Write calls, and see that their day is summed up when it is over."""
        now = self._clock.now()
        midnight = step_of(now, Granularity.DAY) + timedelta(days=1)
        plans = self._planned.get(tenant.org_id) != midnight
        async with self._storage.begin(tenant) as transaction:
            await transaction.request_analytics.add(calls)
            if plans:
                await transaction.cursors.ensure_due(ORGANISATION, midnight + AFTER_MIDNIGHT)
        if plans:
            self._planned[tenant.org_id] = midnight
