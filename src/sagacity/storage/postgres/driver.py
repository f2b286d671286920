"""psycopg: addresses, connections, and the translation of its errors."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import psycopg
import sqlalchemy as sa
from pgvector.psycopg import register_vector_async
from psycopg import sql
from sqlalchemy import event
from sqlalchemy.engine.interfaces import AdaptedConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from sagacity.domain.errors import ConfigError, StorageError, StorageUnavailable
from sagacity.domain.paced import give_way
from sagacity.storage.statements.json_text import read_json
from sagacity.storage.statements.prepared import BoundStatement, DriverResult, driver_of

CONNECT_SECONDS = 10
POOL_SECONDS = 30
_AGAIN = ("40001", "40P01", "55P03", "23505")
"""Serialisation failure, deadlock, lock timeout, and a key that another transaction took meanwhile: the same
transaction may succeed next time."""
_PASSING = ("08", "53", "57")
"""Connection lost, too many connections, shutting down: the server is unavailable."""
_MISTAKES = ("authentication failed", "does not exist", "no pg_hba.conf entry")
"""The server refuses the connection for good, so retrying is useless."""
_DATA = "22"
"""Errors about values, whose messages quote them."""


_ROWS_AT_ONCE = 250
"""How many rows are converted at a time: a memory's row takes the driver some 25 microseconds, for its JSON."""


class _Cursor(psycopg.AsyncCursor[Any]):
    """Converts received rows a few at a time, so that others get the event loop in between."""

    async def fetchall(self) -> list[Any]:
        found: list[Any] = []
        while some := await self.fetchmany(_ROWS_AT_ONCE):
            found += some
            if len(some) < _ROWS_AT_ONCE:
                break
            await give_way()
        return found


def address(url: sa.URL) -> sa.URL:
    """Return *url* with our driver."""
    return url.set(drivername="postgresql+psycopg")


def engine_for(url: sa.URL, *, connections: int, pooler: bool, vectors: bool = True) -> AsyncEngine:
    """
    Return the engine for *url*.

    Args:
        url: the database and role.
        connections: maximum number of open connections.
        pooler: connections go through a transaction pooler, so statements cannot be prepared.
        vectors: whether the database has pgvector already.
    """
    engine = create_async_engine(
        address(url),
        # Our own statement opens transactions, and names their organisation and user at once.
        isolation_level="AUTOCOMMIT",
        poolclass=AsyncAdaptedQueuePool,
        pool_use_lifo=True,  # one used lately is quicker: its caches are warm
        pool_size=connections,
        max_overflow=0,
        insertmanyvalues_page_size=50,  # others get the event loop between two pages
        pool_timeout=POOL_SECONDS,
        json_deserializer=read_json,
        hide_parameters=True,  # users' words do not belong in error messages and logs
        connect_args={
            "connect_timeout": CONNECT_SECONDS,
            "prepare_threshold": None if pooler else 3,
            "application_name": "sagacity",
            "cursor_factory": _Cursor,
        },
    )
    if vectors:

        def on_connect(connection: AdaptedConnection, _record: object) -> None:
            with suppress(psycopg.ProgrammingError):  # not migrated yet; the check of the schema reports it
                connection.run_async(register_vector_async)

        event.listen(engine.sync_engine, "connect", on_connect)
    return engine


def literal(value: str) -> str:
    """Return *value* as a literal for a statement in which the driver looks for placeholders."""
    return sql.Literal(value).as_string(None).replace("%", "%%")


def identifier(name: str) -> str:
    """Return a name as an identifier for a statement in which the driver looks for placeholders."""
    return sql.Identifier(name).as_string(None).replace("%", "%%")


async def verifier(connection: AsyncConnection, role: sa.URL) -> str:
    """Return the verifier that a server stores for the role's password, so that no statement or log contains it."""
    driver: psycopg.AsyncConnection[Any] = (await connection.get_raw_connection()).driver_connection  # type: ignore[assignment]
    password, name = str(role.password or "").encode(), (role.username or "").encode()
    return driver.pgconn.encrypt_password(password, name, b"scram-sha-256").decode()


async def asked(connection: AsyncConnection, told: BoundStatement) -> DriverResult:
    """Run a compiled SQLAlchemy statement through the driver."""
    driver: psycopg.AsyncConnection[Any] = driver_of(connection)  # type: ignore[assignment]  # of `engine_for`
    try:
        return await _driven(driver, told)
    except psycopg.Error as error:
        if driver.closed:
            await connection.invalidate(error)
        raise DBAPIError.instance(told.text, None, error, psycopg.Error, hide_parameters=True) from error
    except AssertionError as error:  # psycopg 3.3 raises it if a pipeline is cancelled while it begins
        await connection.invalidate(error)
        raise asyncio.CancelledError from error


async def _driven(driver: psycopg.AsyncConnection[Any], told: BoundStatement) -> DriverResult:
    text = told.text.encode()
    values = told.values
    if isinstance(values, list) and len(values) == 1:  # the usual case; a pipeline needs more round trips
        [values] = values
    if not isinstance(values, list):
        cursor = await driver.execute(text, values)
        found = await cursor.fetchall() if cursor.description else []
        return DriverResult(cursor.description or (), found, cursor.rowcount)
    async with driver.cursor() as cursor:
        await cursor.executemany(text, values, returning=told.returns_rows)
        if not told.returns_rows:
            return DriverResult((), (), cursor.rowcount)
        found, columns = list[Any](), cursor.description or ()
        while True:
            found += await cursor.fetchall()
            if not cursor.nextset():
                return DriverResult(columns, found, len(found))


async def load_rows(connection: AsyncConnection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """
    Insert *rows* by COPY; all have the same columns, and other columns get their defaults.

    They go through a temporary table, because PostgreSQL cannot COPY into a table with row-level security.
    """
    driver: psycopg.AsyncConnection[Any] = (await connection.get_raw_connection()).driver_connection  # type: ignore[assignment]
    names = list(rows[0])
    processors = [
        table.c[name].type.dialect_impl(connection.dialect).bind_processor(connection.dialect)
        for name in names
    ]
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    into = sql.Identifier(table.name)
    make = sql.SQL("CREATE TEMPORARY TABLE loaded ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA")
    move = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM loaded")
    try:
        async with driver.cursor() as cursor:
            await cursor.execute(make.format(columns, into))
            async with cursor.copy(sql.SQL("COPY loaded ({}) FROM STDIN").format(columns)) as copy:
                for row in rows:
                    await copy.write_row(
                        [
                            row[name] if process is None else process(row[name])
                            for name, process in zip(names, processors, strict=True)
                        ]
                    )
            await cursor.execute(move.format(into, columns, columns))
            await cursor.execute("DROP TABLE loaded")  # one transaction may load more than once
    except psycopg.Error as error:
        raise ours(error) from error


def ours(error: DBAPIError | PoolTimeout | psycopg.Error) -> StorageError:
    """Return our error with the database's message, without the statement and its values."""
    if isinstance(error, PoolTimeout):
        return StorageUnavailable("every connection to the database was busy for too long; try again")
    original = error.orig if isinstance(error, DBAPIError) else error
    state = getattr(original, "sqlstate", None)
    if not state and isinstance(original, psycopg.OperationalError | psycopg.InterfaceError):
        _, fatal, reason = str(original).partition("FATAL:")  # the server's own message, if there is one
        why = f": {reason.splitlines()[0].strip()}" if fatal else ""
        if any(word in why for word in _MISTAKES):
            return StorageError(f"the database refused the connection{why}")
        return StorageUnavailable(f"the database cannot be reached, or the connection broke{why}")
    said = type(original).__name__
    if state and not state.startswith(_DATA):
        said = getattr(getattr(original, "diag", None), "message_primary", None) or said
    is_passing = state is not None and (state in _AGAIN or state.startswith(_PASSING))
    kind = StorageUnavailable if is_passing else StorageError
    return kind(f"the database refused: {said}")


def checked_url(url: sa.URL) -> sa.URL:
    """
    Return *url* if it names a database.

    Raises:
        ConfigError: it does not.
    """
    if not url.database or not url.username:
        raise ConfigError(
            "the database URL needs a role and a database: postgresql://role@host:5432/database"
        )
    return url
