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
"""Serialisation failure, deadlock, a lock that did not come, a key that someone else took meanwhile: the same
transaction may go another way next time."""
_PASSING = ("08", "53", "57")
"""Connection lost, too many connections, shutting down: states of the server."""
_MISTAKES = ("authentication failed", "does not exist", "no pg_hba.conf entry")
"""What a server says to a connection that it refuses for good, so that nobody waits for another answer."""
_DATA = "22"
"""Errors about values, whose messages quote them."""


_ROWS_AT_ONCE = 250
"""A memory's row takes the driver some 25 microseconds: it has columns of JSON."""


class _Cursor(psycopg.AsyncCursor[Any]):
    """Takes rows that have come out of what the server sent a few at a time: others have the event loop in between."""

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
        url: where, and as whom.
        connections: maximum number of open connections.
        pooler: a transaction pooler stands between, so that nothing outlives a transaction: no prepared statements.
        vectors: the database has pgvector already.
    """
    engine = create_async_engine(
        address(url),
        # Transactions are opened by a statement of ours, which says at once whose they are.
        isolation_level="AUTOCOMMIT",
        poolclass=AsyncAdaptedQueuePool,
        pool_size=connections,
        max_overflow=0,
        insertmanyvalues_page_size=50,  # others have the event loop between two pages
        pool_timeout=POOL_SECONDS,
        json_deserializer=read_json,
        hide_parameters=True,  # what users said is not for error messages and logs
        connect_args={
            "connect_timeout": CONNECT_SECONDS,
            "prepare_threshold": None if pooler else 3,
            "application_name": "sagacity",
            "cursor_factory": _Cursor,
        },
    )
    if vectors:

        def on_connect(connection: AdaptedConnection, _record: object) -> None:
            with suppress(psycopg.ProgrammingError):  # not migrated yet; the check of the schema says so
                connection.run_async(register_vector_async)

        event.listen(engine.sync_engine, "connect", on_connect)
    return engine


def literal(value: str) -> str:
    """Return *value* as a statement that the driver looks through for placeholders writes it."""
    return sql.Literal(value).as_string(None).replace("%", "%%")


def identifier(name: str) -> str:
    """Return a name as a statement that the driver looks through for placeholders writes it."""
    return sql.Identifier(name).as_string(None).replace("%", "%%")


async def verifier(connection: AsyncConnection, role: sa.URL) -> str:
    """Return what a server keeps in place of the role's password, so that no statement and no log of it says that."""
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
    except AssertionError as error:  # psycopg 3.3 says so where a pipeline is cancelled while it begins
        await connection.invalidate(error)
        raise asyncio.CancelledError from error


async def _driven(driver: psycopg.AsyncConnection[Any], told: BoundStatement) -> DriverResult:
    text = told.text.encode()
    values = told.values
    if isinstance(values, list) and len(values) == 1:  # mostly; a pipeline takes more turns
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
    Insert *rows* by COPY; all have the same columns, and those that are left out get their defaults.

    They go through a table of this transaction's own: PostgreSQL copies into none whose rows it has to check.
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
    """Keep the database's message, and drop the statement with its values."""
    if isinstance(error, PoolTimeout):
        return StorageUnavailable("every connection to the database was busy for too long; try again")
    original = error.orig if isinstance(error, DBAPIError) else error
    state = getattr(original, "sqlstate", None)
    if not state and isinstance(original, psycopg.OperationalError | psycopg.InterfaceError):
        _, fatal, reason = str(original).partition("FATAL:")  # the server's own words, if it said any
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
