"""
A PostgreSQL database with rows of two organisations and two users in every table, and raw sessions in it.

Rows are made from the tables' declarations, so a new table is filled without a change here.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import sql

from sagacity.storage.schema.tables import metadata
from support.local_servers import PostgresServer
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START

A, B = str(ORG.org_id), str(OTHER_ORG.org_id)
NOBODY = ""
"""In place of a user: what belongs to the organisation."""
TABLES = {table.name: table for table in metadata.sorted_tables}
COMMON = {"search_index"}
"""One row for all organisations."""
_ONCE = {"organisations", "tenant_configs", "distillations", "quarantines", "quotas"}
"""No user's: one row an organisation."""

Row = tuple[Any, ...]


@dataclass
class Tenants:
    """The database, and the keys of each owner's rows."""

    server: PostgresServer
    database: str
    keys: dict[tuple[str, str, str], set[Row]] = field(default_factory=lambda: defaultdict(set))
    """(table, organisation, user) → primary keys."""

    def keys_of(self, table: str, org: str, *users: str) -> set[Row]:
        """Of *users*, or of all."""
        wanted = users or (NOBODY, ANNA, BEN)
        return set().union(*(self.keys.get((table, org, user), set()) for user in wanted))

    def url(self, role: str) -> str:
        return self.server.url_of(self.database, role)


def filled(server: PostgresServer, database: str) -> Tenants:
    """Fill every table of *database*."""
    tenants = Tenants(server, database)
    engine = sa.create_engine(
        tenants.url("postgres").replace("postgresql:", "postgresql+psycopg:"), poolclass=sa.NullPool
    )
    owners = [(org, user) for org in (A, B) for user in (NOBODY, ANNA, BEN)]
    with engine.begin() as connection:
        for table in TABLES.values():
            for number, (org, user) in enumerate(owners, start=1_001):
                if table.name in COMMON | _ONCE and (user or (table.name in COMMON and org != A)):
                    continue
                row = _row(table, org, user, number)
                connection.execute(table.insert(), row)
                tenants.keys[table.name, org, user].add(tuple(row[key.name] for key in table.primary_key))
    engine.dispose()
    return tenants


def _row(table: sa.Table, org: str, user: str, number: int) -> dict[str, Any]:
    return {column.name: _value(column, org, user, number) for column in table.c if column.name != "vector"}


def _value(column: sa.Column[Any], org: str, user: str, number: int) -> Any:
    match column.name:
        case "org_id":
            return org
        case "user_id":
            return user or (None if column.nullable else "")
        case "quarantine_id":
            return f"{org} quarantine"
        case "due_at":
            return START if user == ANNA else None
    kind = column.type.python_type if not isinstance(column.type, sa.types.TypeDecorator) else None
    if kind is int:
        return number
    if kind is float:
        return 0.5
    if kind is bool:
        return True
    if kind in (str, bytes):
        text = f"{org} {user} {column.name}"
        return text if kind is str else text.encode()
    return START if kind is None else {"of": f"{org} {user}"}


def columns_of(table: str) -> sql.Composable:
    """The names of a table's primary key."""
    return sql.SQL(", ").join(sql.Identifier(key.name) for key in TABLES[table].primary_key)


def visible(connection: psycopg.Connection[Any], table: str, *, suffix: str = "") -> set[Row]:
    """The primary keys of all rows of *table* that a session sees."""
    statement = sql.SQL("select {} from {} {}").format(
        columns_of(table), sql.Identifier(table), sql.SQL(suffix)
    )
    return set(connection.execute(statement).fetchall())


def whole_rows(connection: psycopg.Connection[Any], table: str, org: str) -> list[dict[str, Any]]:
    """Rows of *org* as they are, of any organisation for a table without one, for a session that may see them."""
    of = sql.SQL("where org_id = {}").format(org) if "org_id" in TABLES[table].c else sql.SQL("")
    with connection.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        return cursor.execute(
            sql.SQL("select * from {} {} order by 1").format(sql.Identifier(table), of)
        ).fetchall()


@contextmanager
def as_tenant(
    connection: psycopg.Connection[Any], org: str | None = None, user: str | None = None
) -> Iterator[psycopg.Connection[Any]]:
    """Open a transaction that names its organisation and user, if given, and is rolled back."""
    with connection.transaction(force_rollback=True):
        for name, value in (("sagacity.org_id", org), ("sagacity.user_id", user)):
            if value is not None:
                connection.execute("select set_config(%s, %s, true)", [name, value])
        yield connection


@contextmanager
def refused(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Check that the block is refused for lack of a right, with an error that mentions no row."""
    try:
        with connection.transaction():
            yield
    except psycopg.errors.InsufficientPrivilege as error:
        said = f"{error} {error.diag.message_detail}"
        assert not any(word in said for word in (A, B, ANNA, BEN)), said
    else:
        raise AssertionError("it was not refused")
