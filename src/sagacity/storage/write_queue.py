"""The order of writers, for a database with one writer at a time."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

MOST_IN_A_ROW = 8
"""How many calls may pass waiting background work. So one turn in nine goes to background work, and leases are renewed
and logs read however many calls arrive."""


class Turns:
    """A lock that calls get before background work, within a limit; in each group, first come, first served."""

    def __init__(self) -> None:
        self._is_taken = False
        self._in_a_row = 0
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._patient: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def take(self, *, urgent: bool) -> AsyncGenerator[None]:
        """Hold the turn during the block."""
        await self._wait(self._urgent if urgent else self._patient)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, queue: deque[asyncio.Future[None]]) -> None:
        if not self._is_taken:
            self._is_taken = True
            return
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._pass_on()  # the lock had already been passed to this waiter
            raise

    def _pass_on(self) -> None:
        queues = (self._urgent, self._patient)
        for queue in queues if self._in_a_row < MOST_IN_A_ROW else reversed(queues):
            while queue:
                turn = queue.popleft()
                if not turn.done():
                    self._in_a_row = self._in_a_row + 1 if queue is self._urgent else 0
                    turn.set_result(None)
                    return
        self._is_taken, self._in_a_row = False, 0
