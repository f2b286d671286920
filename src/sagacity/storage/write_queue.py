"""Who writes next, where only one can."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Turns:
    """A lock that people's requests get before background work; within each, first come, first served."""

    def __init__(self) -> None:
        self._is_taken = False
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
                self._pass_on()  # it was ours already
            raise

    def _pass_on(self) -> None:
        for queue in (self._urgent, self._patient):
            while queue:
                turn = queue.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
        self._is_taken = False
