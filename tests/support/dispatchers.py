"""All dispatchers behind one interface: the one in this process, and hints with a worker."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta

from sagacity.dispatch.arq.queue import JobQueue
from sagacity.dispatch.arq.wakeups import ArqWakeups
from sagacity.dispatch.arq.worker import ArqWorker, IndexHandler
from sagacity.dispatch.base import Dispatcher, Handler
from sagacity.dispatch.local import LocalDispatcher
from sagacity.domain.clock import SystemClock
from sagacity.domain.cursor import LogHead
from sagacity.domain.ids import TimeOrderedIds
from sagacity.domain.tenant import DueScope, Tenant
from sagacity.storage.transaction import Storage

GATHER_SECONDS = 0.01
Dispatching = Callable[..., AbstractAsyncContextManager[Dispatcher]]
"""Of storage, handler and options: a dispatcher that runs during the block; `places`: those of an organisation."""


async def _nothing() -> None:
    """Index nothing."""


def queue(redis_url: str, *, tenant_concurrency: int = 8, lease_seconds: float = 60.0) -> JobQueue:
    return JobQueue(
        redis_url,
        tenant_concurrency=tenant_concurrency,
        lease_seconds=lease_seconds,
        gather_seconds=GATHER_SECONDS,
    )


def worker(
    storage: Storage,
    jobs: JobQueue,
    handler: Handler,
    index: IndexHandler | None = None,
    *,
    concurrency: int = 2,
    sweep_seconds: float = 60.0,
) -> ArqWorker:
    async def index_nothing(tenant: object) -> None:
        """Index nothing."""

    return ArqWorker(
        storage,
        jobs,
        handler,
        index or index_nothing,
        clock=SystemClock(),
        ids=TimeOrderedIds(),
        concurrency=concurrency,
        sweep_seconds=sweep_seconds,
    )


async def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until *condition* holds, but no longer than *seconds*."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        await asyncio.sleep(0.005)


@asynccontextmanager
async def working(storage: Storage, scope: DueScope) -> AsyncIterator[LogHead]:
    """
    Work on a user's log during the block, as learning does: afterwards only what arrived meanwhile is due.

    A handler that settled turns it never saw would lose them, because hints about a user being handled may be dropped.
    """
    async with storage.read(scope.tenant) as snapshot:
        seen = await snapshot.cursors.log_head(scope.user_id)
    yield seen
    async with storage.begin(scope.tenant) as tx:
        await tx.cursors.set_due(scope.user_id, None, head=seen)


async def due_in(storage: Storage, scope: DueScope, seconds: float) -> None:
    """Make a user's log due only later."""
    async with storage.begin(scope.tenant) as tx:
        await tx.cursors.set_due(scope.user_id, SystemClock().now() + timedelta(seconds=seconds))


class Work:
    """A handler that does what is due, as learning does: it takes a while, settles its user, and keeps count."""

    def __init__(self, storage: Storage, seconds: float = 0.0) -> None:
        self._storage = storage
        self._seconds = seconds
        self.release = asyncio.Event()
        self.release.set()
        self.started: list[DueScope] = []
        self.done: list[DueScope] = []
        self.at_once: Counter[Tenant] = Counter()
        self.most: Counter[Tenant] = Counter()

    async def __call__(self, scope: DueScope) -> None:
        async with working(self._storage, scope) as log:
            if log.due_at is None:
                return
            await self._do(scope)
        self.done.append(scope)

    async def _do(self, scope: DueScope) -> None:
        self.started.append(scope)
        self.at_once[scope.tenant] += 1
        self.most[scope.tenant] = max(self.most[scope.tenant], self.at_once[scope.tenant])
        try:
            await asyncio.sleep(self._seconds)
            await self.release.wait()
        finally:
            self.at_once[scope.tenant] -= 1


@asynccontextmanager
async def running(*parts: ArqWorker | ArqWakeups) -> AsyncIterator[None]:
    """Run them during the block."""
    for part in parts:
        await part.start()
    try:
        yield
    finally:
        for part in parts:
            await part.stop()


class HintsAndWorker:
    """A process that hints and a process that works, in one."""

    def __init__(self, hints: ArqWakeups, worker: ArqWorker) -> None:
        self._hints = hints
        self._worker = worker

    @property
    def is_running(self) -> bool:
        return self._hints.is_running and self._worker.is_running

    def wake(self, scope: DueScope, *, turns: int | None = None) -> None:
        self._hints.wake(scope, turns=turns)

    async def obstacle(self) -> str:
        return await self._hints.obstacle()

    def poll_now(self) -> None:
        self._hints.poll_now()

    async def start(self) -> None:
        await self._worker.start()
        await self._hints.start()

    async def stop(self) -> None:
        await self._hints.stop()
        await self._worker.stop()


def locally() -> Dispatching:
    def dispatcher(
        storage: Storage,
        handler: Handler,
        *,
        index: Callable[[], Awaitable[object]] = _nothing,
        concurrency: int = 2,
        places: int = 8,
        sweep_seconds: float = 60.0,
    ) -> AbstractAsyncContextManager[Dispatcher]:
        return _running(
            LocalDispatcher(
                storage,
                handler,
                index,
                clock=SystemClock(),
                concurrency=min(concurrency, places),
                sweep_seconds=sweep_seconds,
                gather_seconds=GATHER_SECONDS,
            )
        )

    return dispatcher


def by_arq(redis_url: str) -> Dispatching:
    def dispatcher(
        storage: Storage,
        handler: Handler,
        *,
        index: Callable[[], Awaitable[object]] = _nothing,
        concurrency: int = 2,
        places: int = 8,
        sweep_seconds: float = 60.0,
    ) -> AbstractAsyncContextManager[Dispatcher]:
        async def index_all(tenant: object) -> None:
            await index()

        works = worker(
            storage,
            queue(redis_url, tenant_concurrency=places),
            handler,
            index_all,
            concurrency=concurrency,
            sweep_seconds=sweep_seconds,
        )
        return _running(HintsAndWorker(ArqWakeups(queue(redis_url, tenant_concurrency=places)), works))

    return dispatcher


@asynccontextmanager
async def _running(dispatcher: Dispatcher) -> AsyncIterator[Dispatcher]:
    await dispatcher.start()
    try:
        yield dispatcher
    finally:
        await dispatcher.stop()
