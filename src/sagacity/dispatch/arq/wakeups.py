"""The dispatcher of a process that does no background work: it passes hints to workers through Redis or Valkey."""

import asyncio

from sagacity.dispatch.arq.queue import JobQueue
from sagacity.dispatch.job import Job, index_job, learn_job
from sagacity.dispatch.loops import end, for_ever
from sagacity.domain.tenant import DueScope

NO_WORKER = "no worker is running: start one with `sagacity worker`"
_UNREACHABLE = "Redis does not answer: workers start nothing new until it does"
_MOST_JOBS = 10_000
_PAUSE_WHEN_LOST_SECONDS = 1.0


class ArqWakeups:
    """
    Sends hints to the workers in the background, so that no call waits for Redis.

    Hints are dropped while Redis cannot be reached, and when a process holds too many: a sweep finds the work.
    """

    def __init__(self, queue: JobQueue) -> None:
        self._queue = queue
        self._jobs: set[Job] = set()
        self._is_sweep_wanted = False
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether hints are being sent; an outage of Redis does not change that."""
        return self._task is not None and not self._task.done()

    def wake(self, scope: DueScope, *, turns: int | None = None) -> None:
        """Hint that a user's log has grown. *turns* is ignored, because no single process sees all turns."""
        del turns
        if len(self._jobs) < _MOST_JOBS:
            self._jobs.update((learn_job(scope), index_job(scope.tenant)))
        self._news.set()

    async def obstacle(self) -> str:
        """Return a message if Redis cannot be reached or no worker is running; empty otherwise."""
        has_worker = await self._queue.has_worker()
        if has_worker is None:
            return _UNREACHABLE
        return "" if has_worker else NO_WORKER

    def poll_now(self) -> None:
        """Hint that something of any user may be due or unindexed."""
        self._is_sweep_wanted = True
        self._news.set()

    async def start(self) -> None:
        """Start sending."""
        self._task = asyncio.create_task(for_ever(self._send))

    async def stop(self) -> None:
        """Stop sending at once, and close the connections."""
        if self._task is not None:
            await end([self._task])
        await self._queue.close()

    async def _send(self) -> None:
        await self._news.wait()
        self._news.clear()
        jobs, self._jobs = self._jobs, set()
        is_sweep_wanted, self._is_sweep_wanted = self._is_sweep_wanted, False
        if is_sweep_wanted:
            await self._queue.request_sweep()
        if await self._queue.offer(jobs) is None:
            await asyncio.sleep(_PAUSE_WHEN_LOST_SECONDS)
