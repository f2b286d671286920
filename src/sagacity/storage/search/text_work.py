"""Run CPU-heavy work on long texts outside the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sagacity.domain.paced import is_on_a_loop

T = TypeVar("T")
INLINE = 4_000
"""Characters or terms below which switching to a thread costs more than the work."""
_threads = ThreadPoolExecutor(1, thread_name_prefix="texts")


async def beside_the_loop(work: Callable[[], T], *, size: int) -> T:
    """
    Return the result of *work*, which runs in a thread if it is long.

    Args:
        work: must not touch anything that others change.
        size: the characters or terms that it processes.
    """
    if size <= INLINE or not is_on_a_loop():
        return work()
    return await asyncio.get_running_loop().run_in_executor(_threads, work)
