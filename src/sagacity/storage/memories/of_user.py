"""One user's memories of several kinds together: pages, counts, access counts, limits."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from sagacity.domain.ids import MemoryId, UserId
from sagacity.domain.memory import Memory, MemoryKind, Status, Visibility
from sagacity.domain.paced import each
from sagacity.domain.query import Filter
from sagacity.storage.base import Scope
from sagacity.storage.memories.memories import memory_of
from sagacity.storage.schema.tables import entities, memories, relationships
from sagacity.storage.search.filters import has_document, values_of
from sagacity.storage.statements.array_params import one_of
from sagacity.storage.statements.planner_hints import unindexed

_NAME_DIGITS = 19
"""The most digits of a row's number."""


class Place(NamedTuple):
    """Where a page ended: the time and the number of its last memory."""

    created_at: datetime
    memory_id: int


class MemoryCounts(NamedTuple):
    """Statistics of a user's memories."""

    by_kind: Mapping[MemoryKind, int]
    entities: int
    relationships: int
    average_confidence: float
    """0 if there are no memories."""
    oldest: datetime | None
    newest: datetime | None


class StoredCount(NamedTuple):
    """How many memories of a kind a user has, of any status, and when they were last changed."""

    total: int
    oldest_change: datetime
    newest_change: datetime


class UserMemoryRepository:
    """
    Memories of a tenant's users, one user at a time.

    A memory is in force if it is current, has not expired, and the user said or confirmed it.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def find(self, user_id: UserId, name: str, *, kinds: Sequence[MemoryKind]) -> Memory | None:
        """Return a user's memory in force by its uid, or else by its number; None if there is none."""
        column, named = memories.c, [memories.c.uid == name]
        if name.isascii() and name.isdigit() and len(name) < _NAME_DIGITS:
            named.append(column.memory_id == int(name))
        for is_named in named:
            statement = sa.select(memories).where(is_named, *self._in_force(user_id, kinds))
            rows = await self._scope.all(self._scope.locked(statement), self._values())
            if rows:
                return memory_of(rows[0])
        return None

    async def page(
        self,
        user_id: UserId,
        kinds: Sequence[MemoryKind],
        *,
        before: Place | None = None,
        limit: int,
        offset: int = 0,
    ) -> list[Memory]:
        """
        Return a user's memories in force, the newest first.

        Args:
            user_id: the user.
            kinds: the kinds.
            before: where the previous page ended.
            limit: the most memories.
            offset: how many to skip.
        """
        column = memories.c
        statement = sa.select(memories).where(*self._in_force(user_id, kinds))
        if before is not None:
            end = sa.literal(before.created_at, column.created_at.type), sa.literal(before.memory_id)
            statement = statement.where(sa.tuple_(column.created_at, column.memory_id) < sa.tuple_(*end))
        statement = statement.order_by(column.created_at.desc(), column.memory_id.desc())
        rows = await self._scope.all(statement.limit(limit).offset(offset), self._values())
        return await each(memory_of, rows)

    async def count(self, user_id: UserId, kinds: Sequence[MemoryKind]) -> int:
        """Return how many memories `page` returns over all pages."""
        counted = self._in_force(user_id, kinds, by_kind=True)
        statement = sa.select(sa.func.count(memories.c.memory_id)).where(*counted)
        [(count,)] = await self._scope.all(statement, self._values())
        return count

    async def counts(self, user_id: UserId, kinds: Sequence[MemoryKind]) -> MemoryCounts:
        """Return statistics of a user's memories."""
        column = memories.c
        statement = (
            sa.select(
                column.kind,
                sa.func.count(column.memory_id),
                sa.func.sum(column.confidence),
                sa.func.min(column.created_at, type_=column.created_at.type),
                sa.func.max(column.created_at, type_=column.created_at.type),
            )
            .where(*self._in_force(user_id, kinds, by_kind=True))
            .group_by(column.kind)
        )
        rows = await self._scope.all(statement, self._values())
        total = sum(count for _, count, *_ in rows)
        return MemoryCounts(
            by_kind={MemoryKind(kind): count for kind, count, *_ in rows},
            entities=await self._count_all(entities, user_id),
            relationships=await self._count_all(relationships, user_id),
            average_confidence=sum(confidence for _, _, confidence, *_ in rows) / total if total else 0.0,
            oldest=min((oldest for *_, oldest, _ in rows), default=None),
            newest=max((newest for *_, newest in rows), default=None),
        )

    async def stored(self, user_id: UserId, kinds: Sequence[MemoryKind]) -> dict[MemoryKind, StoredCount]:
        """Return how many memories a user has of each kind, of any status; kinds without any are left out."""
        column = memories.c
        statement = (
            sa.select(
                column.kind,
                sa.func.count(column.memory_id),
                sa.func.min(column.updated_at, type_=column.updated_at.type),
                sa.func.max(column.updated_at, type_=column.updated_at.type),
            )
            .where(*self._owned(user_id, kinds), column.is_held.is_(sa.false()))
            .group_by(column.kind)
        )
        rows = await self._scope.all(statement)
        return {MemoryKind(kind): StoredCount(*counted) for kind, *counted in rows}

    async def numbers(self, user_id: UserId, kind: MemoryKind, *, limit: int) -> list[MemoryId]:
        """Return the numbers of up to *limit* of a user's memories of a kind, of any status."""
        column = memories.c
        statement = sa.select(column.memory_id).where(*self._owned(user_id, [kind])).limit(limit)
        return [row.memory_id for row in await self._scope.all(statement)]

    async def note_accesses(self, counts: Mapping[int, int], at: datetime) -> int:
        """Add to the access counts of memories, by number; returns how many of them exist."""
        column, noted = memories.c, 0
        by_count: dict[int, list[int]] = {}
        for number in sorted(counts):
            by_count.setdefault(counts[number], []).append(number)
        for times, numbers in by_count.items():
            values = {"access_count": column.access_count + times, "last_accessed_at": at}
            is_one = one_of(column.memory_id, numbers)
            await self._lock(is_one)
            noted += await self._scope.run(
                sa.update(memories).where(is_one, self._scope.owns(memories)).values(values)
            )
        return noted

    async def numbers_of(self, uids: Sequence[str]) -> dict[str, MemoryId]:
        """Return the numbers of those memories that exist, by uid."""
        column = memories.c
        statement = sa.select(column.uid, column.memory_id).where(
            column.org_id == self._scope.org_id, column.uid.in_(list(uids))
        )
        return {row.uid: row.memory_id for row in await self._scope.all(statement)}

    async def beyond(
        self, user_id: UserId, kind: MemoryKind, *, keep: int, limit: int, spared: Sequence[int] = ()
    ) -> list[Memory]:
        """
        Return up to *limit* of a user's current memories of a kind beyond *keep*.

        The least valuable come first: those with the lowest confidence and, among these, those not accessed for
        longest. Memories in *spared* are left out.
        """
        column = memories.c
        is_served = column.is_held.is_(sa.false())
        current = (*self._owned(user_id, [kind]), column.status == str(Status.CURRENT), is_served)
        [(count,)] = await self._scope.all(sa.select(sa.func.count()).where(*current))
        if count <= keep:
            return []
        looked_at = sa.func.coalesce(column.last_accessed_at, column.updated_at)
        statement = (
            sa.select(memories)
            .where(*current, column.memory_id.not_in(list(spared)))
            .order_by(column.confidence, looked_at, column.memory_id)
            .limit(min(count - keep, limit))
        )
        return await each(memory_of, await self._scope.all(self._scope.locked(statement)))

    async def unused_since(
        self, user_id: UserId, kinds: Sequence[MemoryKind], before: datetime, *, limit: int
    ) -> list[tuple[MemoryId, MemoryKind]]:
        """Return up to *limit* of a user's memories that were neither changed nor accessed since *before*."""
        column = memories.c
        statement = (
            sa.select(column.memory_id, column.kind)
            .where(
                *self._owned(user_id, kinds),
                column.is_held.is_(sa.false()),
                _last_used() < sa.literal(before, column.updated_at.type),
            )
            .order_by(column.memory_id)
            .limit(limit)
        )
        return [(row.memory_id, MemoryKind(row.kind)) for row in await self._scope.all(statement)]

    async def first_used(self, user_id: UserId, kinds: Sequence[MemoryKind]) -> datetime | None:
        """Return the time of last use of the memory that was not used for longest; None if there is no memory."""
        first = sa.func.min(_last_used(), type_=memories.c.updated_at.type)
        served = (*self._owned(user_id, kinds), memories.c.is_held.is_(sa.false()))
        [(moment,)] = await self._scope.all(sa.select(first).where(*served))
        return moment

    async def _lock(self, is_one: sa.ColumnElement[bool]) -> None:
        """Lock rows in the order of their numbers, as all code that locks several does."""
        column = memories.c
        statement = sa.select(column.memory_id).where(is_one, self._scope.owns(memories))
        if self._scope.backend.locks_rows:
            await self._scope.all(self._scope.locked(statement.order_by(column.memory_id)))

    async def _count_all(self, table: sa.Table, user_id: UserId) -> int:
        statement = sa.select(sa.func.count()).where(
            table.c.org_id == self._scope.org_id, table.c.user_id == user_id
        )
        [(count,)] = await self._scope.all(statement)
        return count

    def _in_force(
        self, user_id: UserId, kinds: Sequence[MemoryKind], *, by_kind: bool = False
    ) -> list[sa.ColumnElement[bool]]:
        """Return the conditions of a user's memories in force; *by_kind* is faster for all than for an ordered few."""
        column = memories.c
        kind = column.kind if by_kind else unindexed(column.kind)
        return [
            column.org_id == self._scope.org_id,
            column.user_id == user_id,
            kind.in_([str(one) for one in kinds]),
            column.status == str(Status.CURRENT),
            has_document(column.memory_id, column.kind, ("visibility", "valid_at")),
        ]

    def _values(self) -> dict[str, Any]:
        return values_of(
            Filter(statuses=(), visibility=(Visibility.SERVED,), valid_at=self._scope.clock.now())
        )

    def _owned(self, user_id: UserId, kinds: Sequence[MemoryKind]) -> list[sa.ColumnElement[bool]]:
        column = memories.c
        return [
            column.org_id == self._scope.org_id,
            column.kind.in_([str(kind) for kind in kinds]),
            column.user_id == user_id,
        ]


def _last_used() -> sa.ColumnElement[datetime]:
    """Return when a memory was last changed or accessed."""
    column = memories.c
    accessed = sa.func.coalesce(column.last_accessed_at, column.updated_at)
    return sa.case((accessed > column.updated_at, accessed), else_=column.updated_at)
