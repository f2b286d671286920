"""Run the CPU work of embedded models outside the event loop, in two lanes by priority."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Lanes:
    """
    Two worker threads: one for calls with somebody waiting, one for the rest.

    A long background queue then slows a query only by sharing the processor; the query never waits behind it.
    """

    def __init__(self, name: str) -> None:
        self._interactive = ThreadPoolExecutor(1, thread_name_prefix=f"{name}-interactive")
        self._background = ThreadPoolExecutor(1, thread_name_prefix=f"{name}-background")

    async def run(self, work: Callable[[], T], *, background: bool) -> T:
        """Run *work* in its lane, after earlier work."""
        lane = self._background if background else self._interactive
        return await asyncio.get_running_loop().run_in_executor(lane, work)
