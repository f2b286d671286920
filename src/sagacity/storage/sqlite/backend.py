"""SQLite: one file, one writer at a time, readers that never wait for it."""

import asyncio
import math
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from sagacity.domain.backlog import ConnectionUse
from sagacity.domain.errors import StorageError, StorageUnavailable
from sagacity.domain.ids import OrgId, UserId
from sagacity.storage.base import VectorIndex
from sagacity.storage.pools import in_use
from sagacity.storage.schema.migrate import SchemaChange, check, migrate
from sagacity.storage.search.exact_vectors import ExactVectors
from sagacity.storage.search.term_index import TermIndex
from sagacity.storage.sqlite.driver import OneHopConnection, connect
from sagacity.storage.sqlite.file import rewrite
from sagacity.storage.sqlite.point_reads import NEVER_WAITS, PointReads
from sagacity.storage.sqlite.visits import BEGIN_TO_WRITE, BUSY_SECONDS, Visits, asked, is_busy
from sagacity.storage.statements.json_conditions import SQLITE_FUNCTION, holds
from sagacity.storage.statements.json_text import read_json
from sagacity.storage.statements.prepared import BoundStatement, DriverResult, PreparedStatements
from sagacity.storage.write_queue import Turns

READERS = 4
_WRITER = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON")
_WRITER_IN_A_THREAD = (*_WRITER, "busy_timeout = 200")
"""SQLite waits for a lock 200 ms at a time; in between, a transaction checks that its caller is still there."""
_READER = ("query_only = ON",)
Result = TypeVar("Result")


class SQLite:
    """The embedded default backend."""

    name = "sqlite"
    locks_rows = False
    joins_laterally = False
    checks_rows = False

    def __init__(self, path: Path, *, as_found: bool = False) -> None:
        """
        Prepare connections, without opening any.

        Args:
            path: the file; created with its folder unless *as_found*.
            as_found: neither create nor migrate the file.
        """
        self._path = path
        self._as_found = as_found
        if not as_found:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not path.exists():
                path.touch(mode=0o600)
        self._writer = _engine(path, BEGIN_TO_WRITE, _WRITER, connections=1)
        self._readers = _engine(path, "BEGIN", _READER, connections=READERS)
        self._visits = Visits(
            _engine_of_threads(path, _READER, connections=READERS), self._readers, threads=READERS
        )
        self._writes = Visits(
            _engine_of_threads(path, _WRITER_IN_A_THREAD, connections=1), self._writer, threads=1, writes=True
        )
        self._turns = Turns()
        self._statements = PreparedStatements(self._visits.engine.dialect)
        self._point_reads = PointReads(
            partial(_connected, path, (*_READER, *NEVER_WAITS)), _driven, self._statements
        )
        self.vectors: VectorIndex = ExactVectors()
        self.terms = TermIndex()
        self.statements: dict[object, Any] = {}

    @property
    def label(self) -> str:
        """Return the file's name without its folder."""
        return self._path.name

    @property
    def connections(self) -> ConnectionUse:
        """Return how many connections are in use: those of the event loop, and those of threads."""
        return in_use(self._writer, self._readers, self._writes.engine, self._visits.engine)

    @property
    def file(self) -> Path:
        """Return the file."""
        return self._path

    def insert(self, table: sa.Table) -> Any:
        """Return SQLite's INSERT."""
        return sqlite_insert(table)

    @asynccontextmanager
    async def write(
        self, org_id: OrgId | None, *, user_id: UserId | None = None, urgent: bool = False
    ) -> AsyncGenerator[AsyncConnection]:
        """Open the one writing transaction; others in this process wait in order, other processes up to a timeout."""
        del org_id, user_id
        async with self._turns.take(urgent=urgent):
            try:
                async with self._writer.begin() as connection:
                    yield connection
            except (DBAPIError, PoolTimeout) as error:
                raise _ours(error) from error

    @asynccontextmanager
    async def read(
        self, org_id: OrgId | None, *, user_id: UserId | None = None, keeps_plans: bool = False
    ) -> AsyncGenerator[AsyncConnection]:
        """Open a snapshot, which begins with the first statement and ends with a ROLLBACK that nobody waits for."""
        del org_id, user_id
        try:
            async with self._readers.connect() as connection:
                yield connection
        except (DBAPIError, PoolTimeout) as error:
            raise _ours(error) from error

    async def visit(
        self,
        org_id: OrgId | None,
        work: Callable[[AsyncConnection], Awaitable[Result]],
        *,
        user_id: UserId | None = None,
        keeps_plans: bool = False,
    ) -> Result:
        """Run *work* on a snapshot in a thread, or on the event loop if vector searches call another server."""
        if self.vectors.waits:
            async with self.read(org_id, user_id=user_id, keeps_plans=keeps_plans) as connection:
                return await work(connection)
        try:
            return await self._visits.run(work)
        except (DBAPIError, PoolTimeout) as error:
            raise _ours(error) from error

    async def visit_to_write(
        self,
        org_id: OrgId | None,
        work: Callable[[AsyncConnection], Awaitable[Result]],
        *,
        user_id: UserId | None = None,
        urgent: bool = False,
    ) -> Result:
        """Run *work* in the one writing transaction, in a thread; writers take turns as in `write`."""
        del org_id, user_id
        async with self._turns.take(urgent=urgent):
            try:
                return await self._writes.run(work)
            except (DBAPIError, PoolTimeout) as error:
                raise _ours(error) from error

    async def rows(
        self, connection: AsyncConnection, statement: sa.Executable, parameters: Any = None
    ) -> Sequence[Any]:
        """Run *statement*; repeated statements run directly in the connection's thread, without SQLAlchemy."""
        return await self._statements.rows(connection, statement, parameters, partial(_ask, connection))

    def rows_at_once(self, statement: sa.Executable, parameters: Any = None) -> Sequence[Any] | None:
        """Return the rows of *statement*; None while another process blocks reads."""
        return self._point_reads.rows(statement, parameters)

    async def run(self, connection: AsyncConnection, statement: sa.Executable, parameters: Any = None) -> int:
        """Run *statement* like `rows`; returns the number of affected rows."""
        return await self._statements.run(connection, statement, parameters, partial(_ask, connection))

    async def enter(self, connection: AsyncConnection, org_id: OrgId) -> None:
        """Do nothing: each statement's conditions restrict it to the tenant."""

    async def take_time(self, connection: AsyncConnection) -> None:
        """Do nothing: there is no statement timeout."""

    async def read_in_key_order(self, connection: AsyncConnection) -> None:
        """Do nothing: pages are read along the key anyway."""

    async def read_in_any_order(self, connection: AsyncConnection) -> None:
        """Do nothing: sorts were never disabled."""

    async def load(
        self, connection: AsyncConnection, table: sa.Table, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Insert many rows with one statement."""
        await connection.execute(table.insert(), list(rows))

    async def renumber(self, connection: AsyncConnection) -> None:
        """Do nothing: numbers always continue after the largest."""

    async def scrub(self) -> str:
        """Rewrite the whole file from its current rows, and empty the write-ahead log; writers wait meanwhile."""
        async with self._turns.take(urgent=False):
            await asyncio.to_thread(rewrite, self._path)
        return "the file was rewritten (VACUUM), and its write-ahead log emptied"

    async def prepare_vectors(self, dimension: int) -> None:
        """Do nothing: vectors are compared in this process."""

    async def migrate(self) -> SchemaChange:
        """Bring the schema up to this release."""
        try:
            # The writer's first connection changes the file's header.
            found = await check(self._readers, complete=self._as_found)
            change = SchemaChange(before=found, schema_now=found)
            if not self._as_found:
                change = await migrate(self._writer.begin)
            async with (
                AsyncExitStack() as opened
            ):  # now, not while a caller waits who may hang up in the middle of it
                for _ in range(READERS):
                    await opened.enter_async_context(self._readers.connect())
        except (DBAPIError, PoolTimeout) as error:
            raise _ours(error) from error
        return change

    async def close(self) -> None:
        """Close every connection."""
        self._point_reads.close()
        self._visits.close()
        self._writes.close()
        await self._readers.dispose()
        await self._writer.dispose()


def _engine(path: Path, begin: str, pragmas: tuple[str, ...], *, connections: int) -> AsyncEngine:
    engine = create_async_engine(
        sa.URL.create("sqlite+aiosqlite", database=str(path)),
        async_creator=lambda: connect(path),
        poolclass=AsyncAdaptedQueuePool,
        pool_use_lifo=True,  # one used lately is quicker: its caches are warm
        pool_size=connections,
        max_overflow=0,
        pool_timeout=60,
        json_deserializer=read_json,
        hide_parameters=True,  # users' words do not belong in error messages and logs
    )

    def on_connect(connection: Any, _record: object) -> None:
        _set_up(connection, pragmas)
        driver: OneHopConnection = connection.driver_connection
        driver.begin_by(begin)  # an event listener would slow down SQLAlchemy's every statement

    event.listen(engine.sync_engine, "connect", on_connect)
    return engine


def _engine_of_threads(path: Path, pragmas: tuple[str, ...], *, connections: int) -> sa.Engine:
    """Return the engine of connections for threads, each of which is used by one thread at a time."""
    return sa.create_engine(
        "sqlite+pysqlite://",
        creator=partial(_connected, path, pragmas),
        poolclass=sa.QueuePool,
        pool_use_lifo=True,
        pool_size=connections,
        max_overflow=0,
        json_deserializer=read_json,
        hide_parameters=True,
    )


def _connected(path: Path, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    _set_up(connection, pragmas)
    return connection


def _set_up(connection: Any, pragmas: tuple[str, ...]) -> None:
    connection.isolation_level = None  # sqlite3 must not open transactions itself
    connection.create_function("ln", 1, math.log, deterministic=True)  # not every SQLite has it
    connection.create_function(SQLITE_FUNCTION, 2, holds, deterministic=True)
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {round(BUSY_SECONDS * 1000)}",
        *pragmas,
        "temp_store = MEMORY",
        "cache_size = -65536",
        "mmap_size = 1073741824",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


async def _ask(connection: AsyncConnection, told: BoundStatement) -> DriverResult:
    try:
        return await asked(connection, lambda driver: _driven(driver, told))
    except sqlite3.Error as error:
        raise DBAPIError.instance(told.text, None, error, sqlite3.Error, hide_parameters=True) from error


def _driven(driver: sqlite3.Connection, told: BoundStatement) -> DriverResult:
    if not isinstance(told.values, list):
        cursor = driver.execute(told.text, told.values)
        rows = cursor.fetchall()
        return DriverResult(cursor.description or (), rows, cursor.rowcount)
    if not told.returns_rows:
        return DriverResult((), (), driver.executemany(told.text, told.values).rowcount)
    cursor, found = driver.cursor(), list[Any]()
    for values in told.values:
        found += cursor.execute(told.text, values).fetchall()
    return DriverResult(cursor.description, found, len(found))


def _ours(error: DBAPIError | PoolTimeout) -> StorageError:
    """Return our error with the database's message, without the statement and its values."""
    if isinstance(error, PoolTimeout):
        return StorageUnavailable("every connection to the database was busy for too long; try again")
    if is_busy(error.orig):
        return StorageUnavailable("another process keeps the database locked; try again")
    return StorageError(f"the database refused: {error.orig}")
