"""Batch the look-ups that every call begins with: calls at the same time share one visit to the database."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class SharedLookups:
    """
    Shares one look-up between all callers who ask the same before it begins.

    Nothing is kept: who asks while one runs waits for the next, so that nobody is told what was so before they asked.
    """

    def __init__(self) -> None:
        self._next: dict[Hashable, asyncio.Task[Any]] = {}
        self._running: dict[Hashable, asyncio.Task[Any]] = {}

    async def ask(self, key: Hashable, look: Callable[[], Awaitable[T]]) -> T:
        """
        Return what *look* returns, or raise what it raises; it begins after this was called.

        Args:
            key: the same for the same question.
            look: asks the database. It goes on when a caller goes away, as others may wait for it.
        """
        task = self._next.get(key)
        if task is None:
            task = asyncio.create_task(self._after(self._running.get(key), key, look))
            task.add_done_callback(_heard)
            self._next[key] = task
        return await asyncio.shield(task)

    async def _after(
        self, running: asyncio.Task[Any] | None, key: Hashable, look: Callable[[], Awaitable[T]]
    ) -> T:
        try:
            if running is not None:
                await asyncio.wait([running])
        finally:
            task = self._running[key] = self._next.pop(key)
        try:
            return await look()
        finally:
            if self._running[key] is task:
                del self._running[key]

    async def end(self) -> None:
        """Cancel running look-ups, and return when they have ended."""
        left = {*self._next.values(), *self._running.values()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)
        self._next.clear()  # one that had not begun does not do so itself
        self._running.clear()


def _heard(task: asyncio.Task[Any]) -> None:
    """Take note of an error of which nobody else may hear: whoever asked may have gone away."""
    if not task.cancelled():
        task.exception()
