"""Which of a tenant's search documents a separate vector store has, and which it still needs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import sqlalchemy as sa

from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import search_documents, search_index, search_scopes


@dataclass(frozen=True, slots=True)
class Home:
    """Where an index is copied to: the name of the collection, and the dimension of its vectors."""

    name: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a scope is copied."""

    scope_id: int
    revision: int
    removed_revision: int
    copied_revision: int


@dataclass(frozen=True, slots=True)
class Copied:
    """A document to copy: its vector in little-endian half precision, and the fields to filter by."""

    document_id: int
    scope_id: int
    kind: str
    status: str
    approval: str
    visibility: str
    is_held: bool
    agent_version: str
    name: str
    source: str
    request_id: str | None
    changed_at: datetime
    expires_at: datetime | None
    vector: bytes


_column = search_documents.c
_copied = sa.select(*(_column[name] for name in Copied.__dataclass_fields__))


async def home_of(scope: Scope) -> Home | None:
    """
    Return where the search index is copied to; None before an embedder claimed it.

    The name identifies this index of this database: another database on the same vector store, or a rebuilt index, gets
    a collection of its own.
    """
    rows = await scope.all(sa.select(search_index))
    if not rows:
        return None
    index = rows[0]
    made_of = f"{index.embedder}\n{index.dimension}\n{index.created_at.isoformat()}"
    return Home(f"sagacity-{sha256(made_of.encode()).hexdigest()[:16]}", index.dimension)


class CopyRepository:
    """A tenant's search scopes, as seen by the job that copies vectors."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def home(self) -> Home | None:
        """Return where the search index is copied to; None before an embedder claimed it."""
        return await home_of(self._scope)

    async def scope_ids(self) -> list[int]:
        """Return the numbers of all scopes."""
        column = search_scopes.c
        mine = sa.select(column.scope_id).where(column.org_id == self._scope.org_id)
        return [row.scope_id for row in await self._scope.all(mine.order_by(column.scope_id))]

    async def behind(self, *, after: int, limit: int) -> list[int]:
        """Return scopes that changed since they were copied, in the order of their numbers, after *after*."""
        column = search_scopes.c
        rows = await self._scope.all(
            sa.select(column.scope_id)
            .where(
                column.org_id == self._scope.org_id,
                column.copied_revision < column.revision,
                column.scope_id > after,
            )
            .order_by(column.scope_id)
            .limit(limit)
        )
        return [row.scope_id for row in rows]

    async def progress(self, scope_id: int) -> Progress | None:
        """Return how far a scope is copied; None if it does not exist."""
        column = search_scopes.c
        rows = await self._scope.all(
            sa.select(
                column.scope_id, column.revision, column.removed_revision, column.copied_revision
            ).where(self._scope.owns(search_scopes), column.scope_id == scope_id)
        )
        return Progress(**rows[0]._mapping) if rows else None

    async def changed(self, scope_id: int, since: int, *, after: int, limit: int) -> list[Copied]:
        """Return a page of a scope's documents with vectors that changed *since* a revision, by number."""
        statement = (
            _copied.where(
                self._scope.owns(search_documents),
                _column.scope_id == scope_id,
                _column.revision > since,
                _column.document_id > after,
                _column.vector.is_not(None),
            )
            .order_by(_column.document_id)
            .limit(limit)
        )
        return _all_copied(await self._scope.all(statement))

    async def by_number(self, document_ids: Collection[int]) -> list[Copied]:
        """Return those of the documents that exist and have a vector."""
        statement = _copied.where(
            self._scope.owns(search_documents),
            _column.document_id.in_(sorted(document_ids)),
            _column.vector.is_not(None),
        )
        return _all_copied(await self._scope.all(statement))

    async def numbers(self, scope_id: int) -> dict[int, int]:
        """Return the revision of each of a scope's documents that has a vector, by its number."""
        rows = await self._scope.all(
            sa.select(_column.document_id, _column.revision).where(
                self._scope.owns(search_documents),
                _column.scope_id == scope_id,
                _column.vector.is_not(None),
            )
        )
        return {row.document_id: row.revision for row in rows}

    async def advance(self, reached: Sequence[Progress]) -> list[int]:
        """Record that scopes are copied up to their revisions; returns those that another process moved meanwhile."""
        column = search_scopes.c
        beaten: list[int] = []
        for one in reached:
            statement = (
                sa.update(search_scopes)
                .where(
                    self._scope.owns(search_scopes),
                    column.scope_id == one.scope_id,
                    column.copied_revision == one.copied_revision,
                )
                .values(copied_revision=one.revision)
            )
            if not await self._scope.run(statement):
                beaten.append(one.scope_id)
        return beaten

    async def forget(self) -> None:
        """Record that nothing is copied."""
        column = search_scopes.c
        await self._scope.run(
            sa.update(search_scopes)
            .where(column.org_id == self._scope.org_id, column.copied_revision > 0)
            .values(copied_revision=0)
        )

    async def counts(self) -> tuple[int, int]:
        """Return how many documents have a vector, and how many scopes changed since they were copied."""
        documents = sa.select(sa.func.count(_column.vector)).where(_column.org_id == self._scope.org_id)
        scopes = sa.select(sa.func.count()).where(
            search_scopes.c.org_id == self._scope.org_id,
            search_scopes.c.copied_revision < search_scopes.c.revision,
        )
        row = (await self._scope.all(sa.select(documents.scalar_subquery(), scopes.scalar_subquery())))[0]
        return row[0], row[1]


def _all_copied(rows: Sequence[Any]) -> list[Copied]:
    return [Copied(**row._mapping) for row in rows]
