"""A database that fails where a test wants it to."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.errors import StorageUnavailable
from sagacity.providers.base import Embedder
from sagacity.storage.base import Backend
from sagacity.storage.schema.tables import memories

When = Callable[[AsyncConnection], Awaitable[bool]]


class Faulty:
    """A real backend whose writing transactions break: before their commit, or after it, so that its answer is lost."""

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

    async def visit_to_write(self, org_id, work, **given) -> Any:
        async with self.write(org_id, **given) as connection:
            return await work(connection)


class Unreadable:
    """A real backend whose reading transactions fail at statements that contain certain words."""

    def __init__(self, inner: Backend, words: str) -> None:
        self._inner = inner
        self._words = words

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @asynccontextmanager
    async def read(self, org_id, **given) -> AsyncIterator[AsyncConnection]:
        async with self._inner.read(org_id, **given) as connection:
            sa.event.listen(connection.sync_connection, "before_cursor_execute", self._fail)
            yield connection

    async def visit(self, org_id, work, **given) -> Any:
        async def failing(connection: AsyncConnection) -> Any:
            sa.event.listen(connection.sync_connection, "before_cursor_execute", self._fail)
            return await work(connection)

        return await self._inner.visit(org_id, failing, **given)

    def _fail(self, _connection, _cursor, statement: str, *_rest: object) -> None:
        if self._words in statement:
            raise StorageUnavailable("the connection broke")


class SideBySide:
    """A real backend and embedder that hold each call until all calls that belong together have begun."""

    def __init__(
        self, inner: Backend, embedder: Embedder, together: Mapping[str, int], *, before: Mapping[str, int]
    ) -> None:
        """
        Wrap a backend and an embedder.

        Args:
            inner: the backend.
            embedder: the embedder.
            together: how many calls of each (`write`, `visit`, `embed`) must have begun before any continues.
            before: how many calls of each continue at once, before any is held.
        """
        self.model, self.dimension = embedder.model, embedder.dimension
        self._inner = inner
        self._embedder = embedder
        self._missing = Counter(together)
        self._passing = Counter(before)
        self._all = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def visit(self, org_id, work, **given) -> Any:
        if org_id is not None:  # not the look-up of the caller
            await self._hold("visit")
        return await self._inner.visit(org_id, work, **given)

    @asynccontextmanager
    async def write(self, org_id, **given) -> AsyncIterator[AsyncConnection]:
        await self._hold("write")
        async with self._inner.write(org_id, **given) as connection:
            yield connection

    async def visit_to_write(self, org_id, work, **given) -> Any:
        await self._hold("write")
        return await self._inner.visit_to_write(org_id, work, **given)

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Any:
        if not background:
            await self._hold("embed")
        return await self._embedder.embed(texts, background=background)

    async def _hold(self, what: str) -> None:
        if self._passing[what]:
            self._passing[what] -= 1
            return
        self._missing -= Counter({what: 1})
        if not self._missing:
            self._all.set()
        await asyncio.wait_for(self._all.wait(), 60)


class HeldEmbedder:
    """A real embedder that holds questions until it is released."""

    def __init__(self, inner: Embedder) -> None:
        self.model, self.dimension = inner.model, inner.dimension
        self.asked: list[str] = []
        self.go_on = asyncio.Event()
        self._inner = inner

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Any:
        if not background:
            self.asked += texts
            await self.go_on.wait()
        return await self._inner.embed(texts, background=background)


def with_memories(times: int | None = None) -> When:
    """Break transactions that end with memories in the database: all, or the first *times*."""
    left = times

    async def when(connection: AsyncConnection) -> bool:
        nonlocal left
        count = (await connection.execute(sa.select(sa.func.count()).select_from(memories))).scalar_one()
        if not count or left == 0:
            return False
        left = None if left is None else left - 1
        return True

    return when
