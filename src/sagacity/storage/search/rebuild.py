"""Rebuild the search documents from the memories and turns."""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from sagacity.domain.interaction import OF_REQUEST
from sagacity.domain.paced import each
from sagacity.storage.base import Scope
from sagacity.storage.evidence.interactions import document_of as document_of_turn
from sagacity.storage.evidence.interactions import interaction_of, request_of
from sagacity.storage.memories.memories import document_of as document_of_memory
from sagacity.storage.memories.memories import memory_of
from sagacity.storage.schema.tables import (
    interactions,
    memories,
    requests,
    search_documents,
    search_scopes,
)
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.search.writing import Document, unpack

_BATCH = 500


async def rebuild(
    scopes: Sequence[Scope], on_progress: Callable[[int, int], None], *, keeps_vectors: bool
) -> None:
    """
    Replace the search documents of the tenants of *scopes* in one transaction.

    Args:
        scopes: one for each tenant, over the same connection.
        on_progress: called with the number of documents written, and of all.
        keeps_vectors: whether a document with unchanged text keeps its vector; otherwise none has one afterwards.
    """
    total = done = 0
    newest: dict[str, int] = {}
    for scope in scopes:
        await _enter(scope)
        await scope.backend.take_time(
            scope.connection
        )  # what is left of a large organisation goes in one statement
        await _clear(scope)
        newest[scope.org_id] = await _newest_document(scope)
        total += sum([await _count(scope, table) for table in (interactions, memories)])
    on_progress(done, total)
    for scope in scopes:
        await _enter(scope)
        search, former = SearchRepository(scope), newest[scope.org_id]
        async for documents in _documents(scope):
            missing = await _without_newer(scope, documents, former)
            await search.put(await _take_out(scope, missing, keeps_vectors=keeps_vectors))
            done += len(missing)
            on_progress(done, total)
        await _remove_former(scope, former)


async def _enter(scope: Scope) -> None:
    await scope.backend.enter(scope.connection, scope.org_id)


async def _clear(scope: Scope) -> None:
    """Empty the scopes; documents stay until the new ones have taken their vectors."""
    column = search_scopes.c
    mine = sa.select(column.scope_id).where(column.org_id == scope.org_id)
    # Waits for everybody who writes to a scope now, so that their documents are seen and replaced.
    await scope.all(scope.locked(mine.order_by(column.kind, column.user_id)))
    await scope.run(
        sa.update(search_scopes)
        .where(column.org_id == scope.org_id)
        .values(
            document_count=0,
            term_count=0,
            revision=column.revision + 1,
            removed_revision=column.revision + 1,
            copied_revision=0,
        )
    )


async def _newest_document(scope: Scope) -> int:
    column = search_documents.c
    newest = sa.select(sa.func.max(column.document_id)).where(column.org_id == scope.org_id)
    return (await scope.all(newest))[0][0] or 0


async def _without_newer(scope: Scope, documents: Sequence[Document], newest: int) -> list[Document]:
    """Leave out owners with a document after *newest*: a user who came in the meantime, already indexed completely."""
    column = search_documents.c
    kinds, owners = {one.kind for one in documents}, [one.owner_id for one in documents]
    rows = await scope.all(
        sa.select(column.kind, column.owner_id).where(
            column.org_id == scope.org_id,
            column.kind.in_(kinds),
            column.owner_id.in_(owners),
            column.document_id > newest,
        )
    )
    newer = {(row.kind, row.owner_id) for row in rows}
    return [one for one in documents if (one.kind, one.owner_id) not in newer]


async def _take_out(
    scope: Scope, documents: Sequence[Document], *, keeps_vectors: bool
) -> Sequence[Document]:
    """Remove the former documents of the same owners, all of one kind; returns the new ones, with vectors to keep."""
    column = search_documents.c
    kinds, owners = {one.kind for one in documents}, [one.owner_id for one in documents]
    rows = await scope.all(
        sa.delete(search_documents)
        .where(column.org_id == scope.org_id, column.kind.in_(kinds), column.owner_id.in_(owners))
        .returning(column.kind, column.owner_id, column.text, column.vector)
    )
    if not keeps_vectors:
        return documents
    former = {(row.kind, row.owner_id, row.text): row.vector for row in rows if row.vector is not None}
    return [
        replace(one, vector=unpack(former[key]))
        if (key := (one.kind, one.owner_id, one.text)) in former
        else one
        for one in documents
    ]


async def _remove_former(scope: Scope, newest: int) -> None:
    """Remove former documents that nothing replaced, and empty scopes."""
    column = search_documents.c
    await scope.run(
        sa.delete(search_documents).where(column.org_id == scope.org_id, column.document_id <= newest)
    )
    is_empty = search_scopes.c.document_count == 0
    await scope.run(sa.delete(search_scopes).where(search_scopes.c.org_id == scope.org_id, is_empty))


async def _count(scope: Scope, table: sa.Table) -> int:
    statement = sa.select(sa.func.count()).select_from(table).where(table.c.org_id == scope.org_id)
    return (await scope.all(statement))[0][0]


async def _documents(scope: Scope) -> AsyncGenerator[list[Document]]:
    async for rows in _pages(scope, sa.select(memories), memories.c.memory_id):
        yield [document_of_memory(one, None) for one in await each(memory_of, rows)]
    async for rows in _pages(scope, sa.select(interactions), interactions.c.interaction_id):
        ids = {row.request_id for row in rows}
        found = await scope.all(
            sa.select(requests).where(requests.c.org_id == scope.org_id, requests.c.request_id.in_(ids))
        )
        owners = {row.request_id: request_of(row) for row in found}
        turns = [(owners[row.request_id], _with_origin(row, owners[row.request_id])) for row in rows]
        yield [document_of_turn(request, turn, turn.interaction_id) for request, turn in turns]


def _with_origin(row: Any, request: Any) -> Any:
    from_request = {name: getattr(request, name) for name in OF_REQUEST}
    return interaction_of(dict(row._mapping) | from_request)


async def _pages(
    scope: Scope, statement: sa.Select[Any], key: sa.Column[Any]
) -> AsyncGenerator[Sequence[Any]]:
    """Yield a tenant's rows in batches, in the order of *key*."""
    after = 0
    while rows := await scope.all(
        statement.where(key.table.c.org_id == scope.org_id, key > after).order_by(key).limit(_BATCH)
    ):
        after = getattr(rows[-1], key.name)
        yield rows
