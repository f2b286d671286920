"""Run due work in this process: hints start it, and a sweep of the database finds what they missed."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from sagacity.dispatch.base import Handler
from sagacity.dispatch.loops import end, for_ever, handle, wait
from sagacity.domain.clock import Clock
from sagacity.domain.tenant import DueScope
from sagacity.observability.tracing import MOST_LINKS, Span, caused_by, current_span
from sagacity.storage.transaction import Storage

_SWEPT_EACH = 5
"""How many users a sweep finds, per worker. More would delay users who publish meanwhile, who queue behind them."""
_SHORTEST_SWEEP_SECONDS = 0.25
_COUNTED_LOGS = 100_000
"""For how many logs turns are counted; beyond that, all counts start over."""


class LocalDispatcher:
    """
    Runs a handler for every due user, a few in parallel, but never two for the same user.

    A wake-up is only a hint: due work is read from the database at the start, after every wait, and at least every
    `sweep_seconds`. Equal hints within `gather_seconds` coalesce; a hint for a user who is being handled runs the
    handler once more afterwards.
    """

    def __init__(
        self,
        storage: Storage,
        handler: Handler,
        index: Callable[[], Awaitable[object]],
        *,
        clock: Clock,
        concurrency: int,
        sweep_seconds: float,
        gather_seconds: float = 0.5,
    ) -> None:
        self._storage = storage
        self._handler = handler
        self._index = index
        self._clock = clock
        self._concurrency = concurrency
        self._sweep_seconds = sweep_seconds
        self._gather_seconds = gather_seconds
        self._queue: asyncio.Queue[DueScope] = asyncio.Queue()
        self._queued: set[DueScope] = set()
        self._busy: set[DueScope] = set()
        self._again: set[DueScope] = set()
        self._turns_left: dict[DueScope, int] = {}
        """How many more turns each log needs before the handler has something to do."""
        self._causes: dict[DueScope, list[Span]] = {}
        """The traced calls that woke each scope."""
        self._look = asyncio.Event()
        self._to_index = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def is_running(self) -> bool:
        """Whether every loop is alive."""
        return bool(self._tasks) and not any(task.done() for task in self._tasks)

    def wake(self, scope: DueScope, *, turns: int | None = None) -> None:
        """
        Hint that a user's log has grown; further turns that arrive soon are handled together with it.

        If the turns are too few for the handler, they are only counted: the log becomes due after a quiet time.
        """
        self._to_index.set()
        if turns is not None and (left := self._turns_left.get(scope, 0) - turns) > 0:
            self._turns_left[scope] = left
            return
        cause = current_span()
        if cause is not None and len(causes := self._causes.setdefault(scope, [])) < MOST_LINKS:
            causes.append(cause)
        if scope in self._busy:
            self._again.add(scope)
        elif scope not in self._queued:
            self._queued.add(scope)
            asyncio.get_running_loop().call_later(self._gather_seconds, self._queue.put_nowait, scope)

    async def obstacle(self) -> str:
        """Return an empty text: this process does all work itself."""
        return ""

    def poll_now(self) -> None:
        """Hint that something of any user may be due or unindexed."""
        self._to_index.set()
        self._look.set()

    async def start(self) -> None:
        """Start working; the first sweep finds what an earlier process left."""
        loops = [self._sweep, self._keep_indexing, *[self._work] * self._concurrency]
        self._tasks = [asyncio.create_task(for_ever(loop)) for loop in loops]

    async def stop(self) -> None:
        """Stop at once. What is unfinished stays due in the database."""
        await end(self._tasks)
        self._tasks = []

    async def _work(self) -> None:
        scope = await self._queue.get()
        self._queued.discard(scope)
        self._busy.add(scope)
        started = time.perf_counter()
        try:
            self._turns_left.pop(scope, None)  # the handler may not see turns that arrive from now on
            with caused_by(self._causes.pop(scope, ())):
                left = await handle(self._handler, scope, self._storage, self._clock)
            self._remember(scope, left)
            await self._storage.yield_to_calls(time.perf_counter() - started)
        finally:
            self._busy.discard(scope)
            if scope in self._again:
                self._again.discard(scope)
                self.wake(scope)
            self._look.set()
            self._to_index.set()

    def _remember(self, scope: DueScope, left: int | None) -> None:
        if left is None or scope in self._again:
            return
        if len(self._turns_left) >= _COUNTED_LOGS:
            self._turns_left.clear()
        self._turns_left[scope] = left

    async def _sweep(self) -> None:
        self._look.clear()
        count = _SWEPT_EACH * self._concurrency
        for scope in await self._storage.due_scopes(limit=count, each=count):  # the organisations take turns
            if scope not in self._busy and scope not in self._queued:
                self._queued.add(scope)
                self._queue.put_nowait(scope)
        seconds = await self._wait_seconds()
        await wait(self._look, seconds)
        await asyncio.sleep(_SHORTEST_SWEEP_SECONDS)  # the work of many users may end at once

    async def _wait_seconds(self) -> float:
        """Return the seconds until the next user is due, but at most the interval of sweeps."""
        next_due = await self._storage.next_due_at()
        if next_due is None:
            return self._sweep_seconds
        until = (next_due - self._clock.now()).total_seconds()
        # Users already due are queued, so another look at once would find the same ones.
        return min(self._sweep_seconds, until) if until > 0 else min(self._sweep_seconds, 1.0)

    async def _keep_indexing(self) -> None:
        self._to_index.clear()
        await self._index()
        await wait(self._to_index, self._sweep_seconds)
        await asyncio.sleep(self._gather_seconds)  # let a burst of turns gather into one batch
