"""A worker on ARQ: it runs queued jobs, queues what follows, and sweeps the database."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from sagacity.dispatch.arq.consumer import QueueConsumer
from sagacity.dispatch.arq.queue import WORKER_SECONDS, JobQueue
from sagacity.dispatch.base import Handler
from sagacity.dispatch.job import Job, JobKind, index_job, learn_job
from sagacity.dispatch.lease import acquire_lease
from sagacity.dispatch.loops import end, for_ever, handle
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource
from sagacity.domain.tenant import LOCAL_ORG, DueScope, Tenant
from sagacity.storage.transaction import Storage

_log = structlog.get_logger(__name__)
_SWEEP = "sweep"
_SWEEPER = Tenant(org_id=LOCAL_ORG)
_SCOPES_A_SWEEP = 1_000
_LOOK_SECONDS = 1.0
_REST_SHARE = 10
"""The pause after a sweep, as a multiple of the time that the sweep took."""

IndexHandler = Callable[[Tenant], Awaitable[int | None]]
"""Makes some of an organisation's vectors and returns how many: 0 if none can be made now, None if none are missing."""


class ArqWorker:
    """
    Does due work beside any number of other workers; one user's work is never done by two at a time.

    Jobs arrive as hints through Redis. After each, the database says who of its organisation is due next. One worker
    at a time sweeps the database for work without a hint, and queues it fairly between organisations.
    """

    def __init__(
        self,
        storage: Storage,
        queue: JobQueue,
        learn: Handler,
        index: IndexHandler,
        *,
        clock: Clock,
        ids: IdSource,
        concurrency: int,
        sweep_seconds: float,
    ) -> None:
        self._storage = storage
        self._queue = queue
        self._learn = learn
        self._index = index
        self._clock = clock
        self._name = ids.new()
        self._sweep_seconds = sweep_seconds
        self._lanes = [
            QueueConsumer(
                queue, JobKind.LEARN, self._do_learn, self._follow_learning, concurrency=concurrency
            ),
            QueueConsumer(queue, JobKind.INDEX, self._do_index, self._follow_indexing, concurrency=1),
        ]
        self._stalled: set[Job] = set()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def is_running(self) -> bool:
        """Whether every loop is alive; they survive outages of Redis."""
        return bool(self._tasks) and not any(task.done() for task in self._tasks)

    async def start(self) -> None:
        """Start working; the first sweep finds what others left."""
        loops = [
            self._sweep,
            self._be_known,
            *(lane.run for lane in self._lanes),
        ]  # the first two end before the others
        self._tasks = [asyncio.create_task(for_ever(loop)) for loop in loops]

    async def stop(self, drain_seconds: float = 0) -> None:
        """
        Take no more work, wait for running jobs, then cancel them. Unfinished work stays due for other workers.

        Args:
            drain_seconds: the longest wait; cancelling `stop` ends it early.
        """
        await end(self._tasks[:2])
        try:
            await asyncio.gather(*(lane.drain(drain_seconds) for lane in self._lanes))
        finally:
            await end(self._tasks)
            self._tasks = []
            await self._queue.close()

    async def _do_learn(self, job: Job) -> None:
        started = time.perf_counter()
        await handle(self._learn, job.scope, self._storage, self._clock)
        await self._storage.yield_to_calls(time.perf_counter() - started)

    async def _do_index(self, job: Job) -> None:
        self._stalled.add(job)
        try:
            if await self._index(job.tenant) != 0:
                self._stalled.discard(job)
        except Exception:  # noqa: BLE001  one organisation's failure is recorded and stops no other
            _log.exception("dispatch.index_failed", org_id=job.org_id)

    async def _follow_learning(self, job: Job) -> None:
        """
        Queue the organisation's users who have been due longest, and the indexing of what was learned.

        Hints for the job's scope were refused while it ran, so their work is found here. Scopes in progress are also
        due, and are skipped, so more are read than there are slots.
        """
        async with self._storage.read(job.tenant) as snapshot:
            due = await snapshot.cursors.list_due(limit=2 * self._queue.tenant_concurrency)
            waits = bool(await snapshot.search.unembedded(1))
        jobs = [learn_job(DueScope(tenant=job.tenant, user_id=user_id)) for user_id in due]
        await self._queue.offer([*jobs, index_job(job.tenant)] if waits else jobs)

    async def _follow_indexing(self, job: Job) -> None:
        """Queue the rest behind jobs of other organisations; if the embedder is down, the sweep tries again."""
        if job in self._stalled:
            self._stalled.discard(job)
            return
        async with self._storage.read(job.tenant) as snapshot:
            waits = bool(await snapshot.search.unembedded(1))
        if waits:
            await self._queue.offer([job])

    async def _be_known(self) -> None:
        """Let servers know that a worker is running."""
        await self._queue.note_worker()
        await asyncio.sleep(WORKER_SECONDS / 3)

    async def _sweep(self) -> None:
        """Sweep unless another worker does, then pause until something may be due."""
        async with acquire_lease(
            self._storage, _SWEEPER, _SWEEP, self._name, seconds=self._queue.lease_seconds
        ) as lease:
            if lease is not None:
                await self._sweep_once()
                return
        await asyncio.sleep(min(self._sweep_seconds, self._queue.lease_seconds / 3))

    async def _sweep_once(self) -> None:
        began, started = self._clock.now(), time.perf_counter()
        due = await self._storage.due_scopes(limit=_SCOPES_A_SWEEP, each=2 * self._queue.tenant_concurrency)
        waiting = await self._storage.unembedded_tenants()
        answer = await self._queue.offer([*map(learn_job, due), *map(index_job, waiting)])
        rest = max(_LOOK_SECONDS, _REST_SHARE * (time.perf_counter() - started))
        await asyncio.sleep(min(rest, self._sweep_seconds))
        end = began + timedelta(seconds=self._sweep_seconds)
        while answer is not None and self._clock.now() < end:
            next_due = await self._storage.next_due_at(after=began)
            is_due = next_due is not None and next_due <= self._clock.now()
            if is_due or await self._queue.is_sweep_requested():
                return
            await asyncio.sleep(_LOOK_SECONDS)
