"""A database that fails where a test wants it to."""

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
