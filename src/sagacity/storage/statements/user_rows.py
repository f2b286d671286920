"""
Narrow statements to one user's rows, for a database without row-level security.

This is the counterpart of the policies in `postgres/row_security.py`, by the same rules. It applies to all statements
on a connection, so no repository has to think of it.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql import visitors

from sagacity.domain.errors import Forbidden
from sagacity.domain.ids import ORGANISATION, UserId
from sagacity.storage.postgres.row_security import RULES, Rule
from sagacity.storage.schema.tables import memories, search_scopes
from sagacity.storage.statements.narrowing import narrowed_once
from sagacity.storage.statements.user_key import user_key

_USER = "pinned_user_id"


@contextmanager
def narrowed(connection: AsyncConnection, user_id: UserId) -> Generator[None]:
    """During the block, restrict statements on *connection* to rows of *user_id* and of the organisation."""

    def narrow(
        _connection: object,
        statement: sa.Executable,
        several: Sequence[Mapping[str, Any]],
        one: Mapping[str, Any],
        _options: object,
    ) -> tuple[sa.Executable, Sequence[Mapping[str, Any]], Mapping[str, Any]]:
        if isinstance(statement, sa.Insert):
            _check_rows(statement, several or [one], user_id)
        whole, names_user = _narrowed(statement)
        if not names_user:
            return whole, several, one
        given = {_USER: user_id}
        return whole, [{**row, **given} for row in several], {} if several else {**one, **given}

    event.listen(connection.sync_connection, "before_execute", narrow, retval=True)
    try:
        yield
    finally:
        event.remove(connection.sync_connection, "before_execute", narrow)


@narrowed_once
def _narrowed(statement: Any) -> tuple[Any, bool]:
    """Return a statement narrowed to the user in the parameter `_USER`, and whether it uses that parameter."""
    names_user = False

    def seen(source: sa.FromClause) -> sa.ColumnElement[bool] | None:
        nonlocal names_user
        condition = _seen(source)
        names_user |= condition is not None
        return condition

    def narrow(found: Any) -> None:
        conditions = [seen(one) for one in tables_in(found.get_final_froms())]
        found._where_criteria += tuple(one for one in conditions if one is not None)  # noqa: SLF001  in place

    whole: Any = visitors.cloned_traverse(statement, {}, {"select": narrow})
    if isinstance(whole, sa.Update | sa.Delete) and (condition := seen(whole.table)) is not None:
        whole = whole.where(condition)
    return whole, names_user


def tables_in(froms: Iterable[sa.FromClause]) -> Iterable[sa.FromClause]:
    """Return the tables and aliases that are read, with joins split into their parts."""
    for one in froms:
        if isinstance(one, sa.Join):
            yield from tables_in((one.left, one.right))
        else:
            yield one


def _seen(source: sa.FromClause) -> sa.ColumnElement[bool] | None:
    """Return the condition for the rows of a table or alias that the user may reach; None for all rows."""
    table: object = getattr(source, "element", source)
    rule = RULES.get(table.name, Rule.TENANT) if isinstance(table, sa.Table) else Rule.TENANT
    match rule:
        case Rule.TENANT:
            return None
        case Rule.CLOSED:
            return sa.false()
        case Rule.OWN:
            return _own(source.c.user_id)
        case Rule.SCOPE:
            scope = search_scopes.alias()
            return source.c.scope_id.in_(sa.select(scope.c.scope_id).where(_own(scope.c.user_id)))
        case Rule.MEMORY:
            memory = memories.alias()
            return (
                sa.exists()
                .where(memory.c.memory_id == source.c.memory_id, _own(memory.c.user_id))
                .correlate(source)
            )


def _own(column: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    return sa.or_(
        column.is_(None), column == user_key(ORGANISATION), column == sa.bindparam(_USER, type_=sa.Text)
    )  # not IN, which does not work with several rows of values


def _check_rows(statement: sa.Insert, rows: Sequence[Mapping[str, Any]], user_id: UserId) -> None:
    """
    Check that new rows name no other user.

    Raises:
        Forbidden: one of them does.
    """
    if RULES.get(str(statement.table.name)) is not Rule.OWN:
        return
    for row in rows:
        whose = row["user_id"] if "user_id" in row else statement.compile().params.get("user_id")
        if whose not in (None, user_key(ORGANISATION), user_id):
            raise Forbidden(f"this caller acts for one user, and may not write for {whose!r}")
