"""The search documents made anew from what they stand for."""

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.storage.base import Scope
from sagacity.storage.repositories.interactions import document_of as document_of_turn
from sagacity.storage.repositories.interactions import interaction_of, request_of
from sagacity.storage.repositories.memories import document_of as document_of_memory
from sagacity.storage.repositories.memories import memory_of
from sagacity.storage.repositories.search import Document, SearchRepository
from sagacity.storage.tables import (
    interactions,
    memories,
    requests,
    search_documents,
    search_scopes,
    search_terms,
)

_BATCH = 500


async def rebuild(scopes: Sequence[Scope], on_progress: Callable[[int, int], None]) -> None:
    """
    Replace the search documents of the tenants of *scopes*, all in one transaction; none has a vector afterwards.

    Args:
        scopes: one for each tenant, over the same connection.
        on_progress: told how many documents of how many are written.
    """
    total = done = 0
    for scope in scopes:
        await _enter(scope)
        await _clear(scope)
        total += sum([await _count(scope, table) for table in (interactions, memories)])
    on_progress(done, total)
    for scope in scopes:
        await _enter(scope)
        search = SearchRepository(scope)
        async for documents in _documents(scope):
            await search.put(documents)
            done += len(documents)
            on_progress(done, total)


async def _enter(scope: Scope) -> None:
    await scope.backend.enter(scope.connection, scope.org_id)


async def _clear(scope: Scope) -> None:
    mine = sa.select(search_scopes.c.scope_id).where(search_scopes.c.org_id == scope.org_id)
    await scope.run(sa.delete(search_terms).where(search_terms.c.scope_id.in_(mine)))
    for table in (search_documents, search_scopes):
        await scope.run(sa.delete(table).where(table.c.org_id == scope.org_id))


async def _count(scope: Scope, table: sa.Table) -> int:
    statement = sa.select(sa.func.count()).select_from(table).where(table.c.org_id == scope.org_id)
    return (await scope.all(statement))[0][0]


async def _documents(scope: Scope) -> AsyncGenerator[list[Document]]:
    async for rows in _pages(scope, sa.select(memories), memories.c.memory_id):
        yield [document_of_memory(memory_of(row), None) for row in rows]
    async for rows in _pages(scope, sa.select(interactions), interactions.c.interaction_id):
        ids = {row.request_id for row in rows}
        found = await scope.all(
            sa.select(requests).where(requests.c.org_id == scope.org_id, requests.c.request_id.in_(ids))
        )
        owners = {row.request_id: request_of(row) for row in found}
        turns = [(owners[row.request_id], _with_origin(row, owners[row.request_id])) for row in rows]
        yield [document_of_turn(request, turn, turn.interaction_id) for request, turn in turns]


def _with_origin(row: Any, request: Any) -> Any:
    return interaction_of(
        dict(row._mapping) | {"source": request.source, "agent_version": request.agent_version}
    )


async def _pages(
    scope: Scope, statement: sa.Select[Any], key: sa.Column[Any]
) -> AsyncGenerator[Sequence[Any]]:
    """Yield a tenant's rows in the order of *key*, a batch at a time."""
    after = 0
    while rows := await scope.all(
        statement.where(key.table.c.org_id == scope.org_id, key > after).order_by(key).limit(_BATCH)
    ):
        after = getattr(rows[-1], key.name)
        yield rows
