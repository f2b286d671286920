"""A database that fails where a test wants it to."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.errors import StorageUnavailable
from sagacity.storage.base import Backend
from sagacity.storage.schema.tables import memories

When = Callable[[AsyncConnection], Awaitable[bool]]


class Faulty:
    """A real backend whose writing transactions break off: before their commit, or after it when nobody hears of it."""

    def __init__(self, inner: Backend, when: When, *, after_commit: bool) -> None:
        self._inner = inner
        self._when = when
        self._after_commit = after_commit

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @asynccontextmanager
    async def write(self, org_id, *, user_id=None, urgent: bool = False) -> AsyncIterator[AsyncConnection]:
        async with self._inner.write(org_id, user_id=user_id, urgent=urgent) as connection:
            yield connection
            breaks = await self._when(connection)
            if breaks and not self._after_commit:
                raise StorageUnavailable("the connection broke")
        if breaks:
            raise StorageUnavailable("the connection broke")


class Unreadable:
    """A real backend that cannot run statements with certain words in them, where nothing is to be written."""

    def __init__(self, inner: Backend, words: str) -> None:
        self._inner = inner
        self._words = words

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @asynccontextmanager
    async def read(self, org_id, **given) -> AsyncIterator[AsyncConnection]:
        def fail(_connection, _cursor, statement: str, *_rest: object) -> None:
            if self._words in statement:
                raise StorageUnavailable("the connection broke")

        async with self._inner.read(org_id, **given) as connection:
            sa.event.listen(connection.sync_connection, "before_cursor_execute", fail)
            yield connection


class SideBySide:
    """A real backend that holds each strategy of a search, and all that is written, until so many strategies wait."""

    def __init__(self, inner: Backend, strategies: int) -> None:
        self.begun: list[str] = []
        """What was held, in the order in which it began."""
        self._inner = inner
        self._strategies = strategies
        self._all = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @asynccontextmanager
    async def read(self, org_id, **given) -> AsyncIterator[AsyncConnection]:
        if _is_strategy(asyncio.current_task()):
            await self._hold("strategy")
        async with self._inner.read(org_id, **given) as connection:
            yield connection

    @asynccontextmanager
    async def write(self, org_id, **given) -> AsyncIterator[AsyncConnection]:
        await self._hold("write")
        async with self._inner.write(org_id, **given) as connection:
            yield connection

    async def _hold(self, what: str) -> None:
        self.begun.append(what)
        if self.begun.count("strategy") == self._strategies:
            self._all.set()
        await asyncio.wait_for(self._all.wait(), 30)


def _is_strategy(task: "asyncio.Task[Any] | None") -> bool:
    """Whether a task is that of one strategy: each has one of its own if they run side by side."""
    return task is not None and getattr(task.get_coro(), "__qualname__", "").endswith("Searcher._timed")


def with_memories(times: int | None = None) -> When:
    """Break transactions at whose end there are memories: all, or the first few."""
    left = times

    async def when(connection: AsyncConnection) -> bool:
        nonlocal left
        count = (await connection.execute(sa.select(sa.func.count()).select_from(memories))).scalar_one()
        if not count or left == 0:
            return False
        left = None if left is None else left - 1
        return True

    return when
