"""Wait for a condition."""

import asyncio
import time
from collections.abc import Awaitable, Callable

SECONDS = 60.0


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = SECONDS) -> None:
    """Poll *condition* until it is true; fails after *seconds*."""
    deadline = time.monotonic() + seconds
    while not await condition():
        assert time.monotonic() < deadline, f"not so after {seconds:g} s"
        await asyncio.sleep(0.01)
