"""Take jobs from one queue with ARQ, a few at a time, through any outage of Redis."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import structlog
from arq.worker import RetryJob, Worker, func
from pydantic import ValidationError
from redis.exceptions import RedisError

from sagacity.dispatch.arq.queue import JobQueue, from_bytes, to_bytes
from sagacity.dispatch.job import Job, JobKind
from sagacity.dispatch.loops import end

_log = structlog.get_logger(__name__)
_POLL_SECONDS = 0.1
_NEVER_SECONDS = 10.0**8
_ANY_NUMBER_OF_TRIES = 10**6
_LOOKED_AT = 1_000
"""How many jobs a poll reads: ARQ leaves running jobs at the head of the queue, whichever worker runs them."""
_LONGEST_END_SECONDS = 10.0
_CANCEL_AGAIN_SECONDS = 1.0
_JOB = "job"


class QueueConsumer:
    """
    Takes jobs of one kind and runs them.

    ARQ's worker ends when the connection breaks; a new one starts when Redis answers again. Jobs that are running
    continue meanwhile, and count as running.
    """

    def __init__(
        self,
        queue: JobQueue,
        kind: JobKind,
        work: Callable[[Job], Awaitable[None]],
        follow_up: Callable[[Job], Awaitable[None]],
        *,
        concurrency: int,
    ) -> None:
        """
        Prepare to take jobs.

        Args:
            queue: the queue to read.
            kind: the kind of jobs to take.
            work: runs one job.
            follow_up: called after a job has left the queue, when hints about its scope are accepted again.
            concurrency: how many jobs run at a time.
        """
        self._queue = queue
        self._kind = kind
        self._work = work
        self._follow_up = follow_up
        self._concurrency = concurrency
        self._running = asyncio.Semaphore(concurrency)
        self._workers: list[Worker] = []
        self._here: dict[str, asyncio.Task[Any]] = {}
        self._pick: asyncio.Task[None] | None = None
        self._is_draining = False

    async def run(self) -> None:
        """Take jobs until Redis cannot be reached, then wait until it can."""
        worker = self._new_worker()
        self._workers = [*(one for one in self._workers if _tasks_of(one)), worker]
        try:
            await worker.main()
        except (RedisError, OSError) as error:
            self._queue.lost(error)
        await self._queue.found()

    async def drain(self, seconds: float) -> None:
        """Take no more jobs and let running ones end; after *seconds*, cancel them and return them to the queue."""
        self._is_draining = True
        try:
            async with asyncio.timeout(seconds):
                while running := self._unfinished():
                    await asyncio.wait(running)
        except TimeoutError:
            _log.warning("worker.cancelled", kind=str(self._kind), jobs=len(self._here))
        finally:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LONGEST_END_SECONDS):
                    await self._cut()
            await end(self._unfinished())

    async def _cut(self) -> None:
        """
        Cancel the work, and wait until ARQ has returned its jobs to the queue.

        ARQ's own tasks are not cancelled: between taking a job and returning it, that would leave the job taken, and
        no worker could run it until the lease lapses. `loops.end` explains why the work is cancelled repeatedly.
        """
        while running := self._unfinished():
            for task in self._here.values():
                task.cancel()
            await asyncio.wait(running, timeout=_CANCEL_AGAIN_SECONDS)

    def _unfinished(self) -> list[asyncio.Task[Any]]:
        picks = [] if self._pick is None or self._pick.done() else [self._pick]
        return [*picks, *_tasks_of(*self._workers), *self._here.values()]

    def _new_worker(self) -> Worker:
        worker = Worker(
            [func(self._job, name=str(self._kind))],
            queue_name=self._kind.queue,
            redis_pool=self._queue.redis,
            handle_signals=False,
            max_jobs=self._concurrency,
            job_timeout=_NEVER_SECONDS,  # model calls have their own limits, and the lease shows who is alive
            keep_result=0,
            poll_delay=_POLL_SECONDS,
            queue_read_limit=_LOOKED_AT,
            max_tries=_ANY_NUMBER_OF_TRIES,
            after_job_end=self._after,
            job_serializer=to_bytes,
            job_deserializer=from_bytes,
            log_results=False,
        )
        worker.tasks = _Tasks(self._hear)
        worker.in_progress_timeout_s = self._queue.lease_seconds
        take = worker.start_jobs

        def pick(job_ids: list[bytes]) -> asyncio.Task[None]:
            """Start jobs that are not running here, in a task that `drain` can wait for."""
            self._pick = asyncio.create_task(take(self._startable(job_ids)))
            return self._pick

        worker.start_jobs = pick  # pyright: ignore[reportAttributeAccessIssue]  # a task can be awaited too
        return worker

    def _startable(self, job_ids: list[bytes]) -> list[bytes]:
        """
        Return the jobs that may start.

        If Redis was emptied, a job that runs here may be queued again. Started twice, it would make ARQ lose track of
        the first run. When the job ends, ARQ removes both from the queue, and the database says what is left to do.
        """
        if self._is_draining:
            return []
        here = {
            job_id for worker in self._workers for job_id, task in worker.tasks.items() if not task.done()
        }
        return [job_id for job_id in job_ids if job_id.decode() not in here]

    def _hear(self, task: asyncio.Task[Any]) -> None:
        """Retrieve the error of a job whose end could not be written to Redis, because ARQ may no longer do so."""
        if not task.cancelled() and isinstance(error := task.exception(), RedisError | OSError):
            self._queue.lost(error)

    async def _job(self, ctx: dict[Any, Any], org_id: str, user_id: str | None) -> None:
        try:
            job = Job.model_validate({"kind": self._kind, "org_id": org_id, "user_id": user_id})
        except ValidationError:
            _log.warning("worker.unreadable_job", kind=str(self._kind))
            return
        if self._is_draining:
            raise RetryJob
        if job.job_id in self._here:
            return  # its id differs from the job's own, so no program of ours queued it
        self._here[job.job_id] = asyncio.ensure_future(self._claimed(job))
        try:
            if await self._here[job.job_id]:
                ctx[_JOB] = job
        finally:
            del self._here[job.job_id]

    async def _claimed(self, job: Job) -> bool:
        """Run a job if its organisation has a free slot; if not, another job that ends queues what is due next."""
        if not await self._queue.claim(job):
            return False
        beat = asyncio.create_task(self._beat(job, self._here[job.job_id]))
        try:
            async with self._running:
                await self._work(job)
        finally:
            await end([beat])
            await self._queue.release(job)
        return True

    async def _beat(self, job: Job, run: asyncio.Task[Any]) -> None:
        """
        Keep the job taken while *run* runs it.

        It checks whether *run* has ended instead of waiting to be cancelled: if a driver swallowed that cancellation
        (see `loops.end`), the job would stay taken forever.
        """
        while True:
            await asyncio.sleep(self._queue.lease_seconds / 3)
            if run.done():
                return
            await self._queue.prolong(job)

    async def _after(self, ctx: dict[Any, Any]) -> None:
        job = ctx.get(_JOB)
        if not isinstance(job, Job):
            return
        try:
            await self._follow_up(job)
        except Exception:  # noqa: BLE001  recorded; the sweep finds what should follow
            _log.exception("worker.follow_up_failed", kind=str(self._kind))


class _Tasks(dict[str, asyncio.Task[Any]]):
    """ARQ's tasks by job. The end of each is handled even after ARQ's own loop has ended."""

    def __init__(self, hear: Callable[[asyncio.Task[Any]], None]) -> None:
        super().__init__()
        self._hear = hear

    def __setitem__(self, job_id: str, task: asyncio.Task[Any]) -> None:
        task.add_done_callback(self._hear)
        super().__setitem__(job_id, task)


def _tasks_of(*workers: Worker) -> list[asyncio.Task[Any]]:
    return [task for worker in workers for task in worker.tasks.values() if not task.done()]
