"""Pairs of near-duplicate memories, stored in both directions, and how far the search for them got."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from sagacity.domain.ids import ORGANISATION, MemoryId, UserId
from sagacity.domain.kinds import TENANT_KINDS
from sagacity.domain.memory import MemoryKind
from sagacity.domain.review_queue import DuplicatePair
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import duplicate_pairs, memories, search_documents, search_scopes
from sagacity.storage.statements.array_params import one_of
from sagacity.storage.statements.user_key import user_key, user_of

_PAIRS_A_STATEMENT: Final = 100


@dataclass(frozen=True, slots=True)
class ComparedScope:
    """One owner's memories of one kind, and the revision up to which they were searched for duplicates."""

    scope_id: int
    kind: MemoryKind
    user_id: UserId | None
    revision: int
    compared_revision: int


@dataclass(frozen=True, slots=True)
class ChangedMemories:
    """Memories of a scope that were written since the scope was compared."""

    ids: Sequence[MemoryId]
    through: int
    """The revision up to which these are all changed memories."""


class DuplicateRepository:
    """A tenant's pairs of memories that say nearly the same."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def uncompared(self, *, limit: int = 1, user_id: UserId | None = None) -> list[ComparedScope]:
        """
        Return scopes with memories that were not compared since they were written, of all users or of one.

        Scopes with a single memory are left out: it has no duplicates. So are memories without a user, if their kind
        belongs to users.
        """
        column = search_scopes.c
        names = [column[name] for name in ComparedScope.__dataclass_fields__]
        statement = sa.select(*names).where(
            column.org_id == self._scope.org_id,
            column.kind.in_([str(kind) for kind in MemoryKind]),
            column.revision > column.compared_revision,
            column.document_count > 1,
            sa.or_(column.kind.in_(sorted(map(str, TENANT_KINDS))), column.user_id != user_key(ORGANISATION)),
        )
        if user_id is not None:
            statement = statement.where(column.user_id == user_key(user_id))
        rows = await self._scope.all(statement.order_by(column.scope_id).limit(limit))
        return [
            ComparedScope(
                scope_id=row.scope_id,
                kind=MemoryKind(row.kind),
                user_id=user_of(row.user_id),
                revision=row.revision,
                compared_revision=row.compared_revision,
            )
            for row in rows
        ]

    async def changed(self, one: ComparedScope, *, limit: int) -> ChangedMemories:
        """
        Return memories of a scope that were written since the scope was compared, oldest write first.

        Memories that were written together are returned together, so there may be a few more than *limit*.
        """
        column = search_documents.c
        new = (
            column.scope_id == one.scope_id,
            self._scope.owns(search_documents),
            column.revision > one.compared_revision,
        )
        first = sa.select(column.revision).where(*new).order_by(column.revision).limit(limit).subquery()
        [(through,)] = await self._scope.all(sa.select(sa.func.max(first.c.revision)))
        if through is None:
            return ChangedMemories((), one.revision)
        statement = sa.select(column.owner_id).where(*new, column.revision <= through)
        rows = await self._scope.all(statement.order_by(column.owner_id))
        is_all = len(rows) < limit
        return ChangedMemories(
            [MemoryId(row.owner_id) for row in rows], max(through, one.revision) if is_all else through
        )

    async def replace(
        self, one: ComparedScope, changed: ChangedMemories, pairs: Collection[DuplicatePair]
    ) -> int:
        """
        Replace all pairs of the memories in *changed* by *pairs*, and record that these memories were compared.

        Returns:
            How many pairs were written, without those of memories deleted meanwhile.
        """
        await self.remove(changed.ids)
        named = sorted({number for pair in pairs for number in (pair.memory_id, pair.other_id)})
        there = await self._locked(named)
        now = self._scope.clock.now()
        stored = [pair for pair in pairs if pair.memory_id in there and pair.other_id in there]
        for start in range(0, len(stored), _PAIRS_A_STATEMENT):  # others get the event loop in between
            rows = [
                row for pair in stored[start : start + _PAIRS_A_STATEMENT] for row in self._rows(pair, now)
            ]
            await self._scope.run(self._scope.insert_new(duplicate_pairs), rows)
        column = search_scopes.c
        await self._scope.run(
            sa.update(search_scopes)
            .where(column.scope_id == one.scope_id, column.org_id == self._scope.org_id)
            .values(compared_revision=changed.through)
        )
        return len(stored)

    async def remove(self, ids: Sequence[int]) -> int:
        """Delete the pairs of memories that were changed or deleted; returns how many rows there were."""
        if not ids:
            return 0
        return await self._scope.run(forget_pairs(self._scope, ids))

    async def of(self, ids: Sequence[int]) -> list[DuplicatePair]:
        """Return the pairs of memories, most similar first."""
        column = duplicate_pairs.c
        statement = sa.select(column.memory_id, column.other_id, column.similarity).where(
            one_of(column.memory_id, ids), self._scope.owns(duplicate_pairs)
        )
        rows = await self._scope.all(statement.order_by(column.similarity.desc(), column.other_id))
        return [DuplicatePair.model_validate(row._mapping) for row in rows]

    def _rows(self, pair: DuplicatePair, now: datetime) -> Iterator[dict[str, Any]]:
        """Yield a pair in both directions."""
        for first, second in ((pair.memory_id, pair.other_id), (pair.other_id, pair.memory_id)):
            yield {
                "org_id": self._scope.org_id,
                "memory_id": first,
                "other_id": second,
                "similarity": pair.similarity,
                "found_at": now,
            }

    async def _locked(self, ids: Sequence[int]) -> set[int]:
        """Lock and return those of *ids* that are memories of the tenant."""
        if not ids:
            return set()
        column = memories.c
        statement = sa.select(column.memory_id).where(
            one_of(column.memory_id, ids), self._scope.owns(memories)
        )
        rows = await self._scope.all(self._scope.locked(statement.order_by(column.memory_id)))
        return {row.memory_id for row in rows}


def forget_pairs(scope: Scope, ids: Sequence[int]) -> sa.Delete:
    """Return the statement that deletes all pairs of some memories."""
    column = duplicate_pairs.c
    is_one = sa.or_(one_of(column.memory_id, ids), one_of(column.other_id, ids))
    return sa.delete(duplicate_pairs).where(is_one, scope.owns(duplicate_pairs))
