"""
Hide what quarantines hold from callers; this is the one place that decides what they do not see.

It rewrites the statements of every transaction on behalf of a caller (`storage/transaction.py`), so no repository or
endpoint has to think of it. Searches read search documents, and do the same by `Filter.is_held`. A transaction that
writes does not see held rows either, but conditions within its changes, such as whether a name is still mentioned,
cover all rows.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql import visitors

from sagacity.storage.schema.tables import entities, entity_mentions, interactions, memories, requests
from sagacity.storage.statements.narrowing import narrowed_once
from sagacity.storage.statements.user_rows import tables_in

Seen = Callable[[sa.FromClause], sa.ColumnElement[bool]]


def _marked(source: sa.FromClause) -> sa.ColumnElement[bool]:
    return source.c.is_held.is_(sa.false())


def _with_memory(source: sa.FromClause) -> sa.ColumnElement[bool]:
    memory = memories.alias()
    is_held = sa.exists().where(memory.c.memory_id == source.c.memory_id, memory.c.is_held)
    return ~is_held.correlate(source)


def _with_request(source: sa.FromClause) -> sa.ColumnElement[bool]:
    request = requests.alias()
    is_held = sa.exists().where(
        request.c.org_id == source.c.org_id,
        request.c.request_id == source.c.request_id,
        request.c.is_held,
    )
    return ~is_held.correlate(source)


def _with_session(source: sa.FromClause) -> sa.ColumnElement[bool]:
    request, turn = requests.alias(), interactions.alias()
    is_held = sa.exists().where(
        request.c.org_id == source.c.org_id,
        request.c.session_id == source.c.session_id,
        sa.or_(source.c.user_id.is_(None), request.c.user_id == source.c.user_id),
        turn.c.org_id == request.c.org_id,
        turn.c.request_id == request.c.request_id,
        turn.c.is_held,
    )
    return ~is_held.correlate(source)


def _with_mentions(source: sa.FromClause) -> sa.ColumnElement[bool]:
    """Return the condition that an entity is mentioned by a served memory, by no held one, or was made by a person."""

    def mentioned(*, is_held: bool) -> sa.ColumnElement[bool]:
        mention, memory = entity_mentions.alias(), memories.alias()
        return (
            sa.exists()
            .where(
                mention.c.entity_id == source.c.entity_id,
                memory.c.memory_id == mention.c.memory_id,
                memory.c.is_held.is_(sa.true() if is_held else sa.false()),
            )
            .correlate(source)
        )

    return sa.or_(source.c.is_kept, ~mentioned(is_held=True), mentioned(is_held=False))


def _with_entity(source: sa.FromClause, *names: str) -> sa.ColumnElement[bool]:
    """Return the condition that the entities that a row refers to are visible."""

    def seen(name: str) -> sa.ColumnElement[bool]:
        entity = entities.alias()
        is_it = entity.c.entity_id == source.c[name]
        return sa.exists().where(is_it, _with_mentions(entity)).correlate(source)

    return sa.and_(*map(seen, names))


def _names(source: sa.FromClause) -> sa.ColumnElement[bool]:
    return sa.and_(_with_memory(source), _with_entity(source, "entity_id"))


def _ties(source: sa.FromClause) -> sa.ColumnElement[bool]:
    return _with_entity(source, "source_id", "target_id")


RULES: dict[str, Seen] = {
    "memories": _marked,
    "interactions": _marked,
    "requests": _marked,
    "changes": _with_memory,
    "review_actions": _with_memory,
    "memory_requests": _with_memory,
    "duplicate_pairs": _with_memory,
    "entity_names": _names,
    "relationships": _ties,
    "entity_mentions": _with_memory,
    "relationship_mentions": _with_memory,
    "entities": _with_mentions,
    "exchanges": _with_request,
    "evaluations": _with_session,
}
"""The tables whose rows may be held, or belong to held rows. Sessions stay visible; the code that reads them leaves out
titles and summaries (`storage/evidence/conversations.py`)."""

SHOWS_HELD = {"shows_held": True}
"""Execution options of the few statements that must see held rows, in order to hide more."""


@contextmanager
def unheld(connection: AsyncConnection, *, writes: bool = False) -> Generator[None]:
    """
    Hide held rows from statements on *connection* during the block.

    Args:
        connection: the connection of an open transaction.
        writes: whether the transaction writes; then only the rows that a query returns are narrowed, no subqueries.
    """
    narrowing = _narrowed_above if writes else _narrowed

    def narrow(
        _connection: object, statement: sa.Executable, several: Any, one: Any, options: Mapping[str, Any]
    ) -> tuple[sa.Executable, Any, Any]:
        return statement if options.get("shows_held") else narrowing(statement), several, one

    event.listen(connection.sync_connection, "before_execute", narrow, retval=True)
    try:
        yield
    finally:
        event.remove(connection.sync_connection, "before_execute", narrow)


@narrowed_once
def _narrowed(statement: Any) -> Any:
    def narrow(found: Any) -> None:
        froms: Iterable[sa.FromClause] = found.get_final_froms()
        found._where_criteria += tuple(_conditions(froms))  # noqa: SLF001  in place, as nothing public does

    return visitors.cloned_traverse(statement, {}, {"select": narrow})


@narrowed_once
def _narrowed_above(statement: Any) -> Any:
    is_query = isinstance(statement, sa.Select)
    whole: Any = statement
    return whole.where(*_conditions(whole.get_final_froms())) if is_query else whole


def _conditions(froms: Iterable[sa.FromClause]) -> Iterable[sa.ColumnElement[bool]]:
    for source in tables_in(froms):
        table: object = getattr(source, "element", source)
        if isinstance(table, sa.Table) and (seen := RULES.get(table.name)) is not None:
            yield seen(source)
