"""Run CPU-heavy work on long texts outside the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sagacity.domain.paced import is_on_a_loop

T = TypeVar("T")
INLINE = 4_000
"""Characters, or terms: below that the way to another thread and back costs more than the work."""
_threads = ThreadPoolExecutor(1, thread_name_prefix="texts")


async def beside_the_loop(work: Callable[[], T], *, size: int) -> T:
    """
    Return what *work* makes of texts.

    Args:
        work: touches nothing that others change.
        size: characters that it goes through, or terms.
    """
    if size <= INLINE or not is_on_a_loop():
        return work()
    return await asyncio.get_running_loop().run_in_executor(_threads, work)
