"""Batch the look-ups that every call begins with: calls at the same time share one visit to the database."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class SharedLookups:
    """
    Shares one look-up between all callers who ask for the same before it begins.

    Nothing is cached: a caller who asks while a look-up runs waits for the next one, so that no result is older than
    the call.
    """

    def __init__(self) -> None:
        self._next: dict[Hashable, asyncio.Task[Any]] = {}
        self._running: dict[Hashable, asyncio.Task[Any]] = {}

    async def ask(self, key: Hashable, look: Callable[[], Awaitable[T]]) -> T:
        """
        Return the result of *look*, or raise its error; it begins after this call.

        Args:
            key: identifies the query.
            look: queries the database. It continues when a caller is cancelled, because others may wait for it.
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
        self._next.clear()  # a task that had not begun does not remove itself
        self._running.clear()


def _heard(task: asyncio.Task[Any]) -> None:
    """Retrieve an error, so that asyncio does not report it if every caller was cancelled."""
    if not task.cancelled():
        task.exception()
