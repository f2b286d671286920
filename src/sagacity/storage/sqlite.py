"""SQLite: one file, one writer at a time, readers that never wait for it."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from sagacity.domain.errors import StorageError
from sagacity.domain.ids import OrgId
from sagacity.storage.exact_vectors import ExactVectors
from sagacity.storage.migrate import check, migrate
from sagacity.storage.sqlite_driver import OneHopConnection, connect
from sagacity.storage.turns import Turns

READERS = 4
_BUSY_MILLISECONDS = 15_000
_WRITER = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON")
_READER = ("query_only = ON",)


class SQLite:
    """The embedded default."""

    name = "sqlite"

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            path.touch(mode=0o600)
        self._writer = _engine(path, "BEGIN IMMEDIATE", _WRITER, connections=1)
        self._readers = _engine(path, "BEGIN", _READER, connections=READERS)
        self._turns = Turns()
        self.vectors = ExactVectors()
        self.statements: dict[object, Any] = {}

    @property
    def label(self) -> str:
        """Return the file's name; its folder is nobody's business."""
        return self._path.name

    def insert(self, table: sa.Table) -> Any:
        """Return SQLite's INSERT."""
        return sqlite_insert(table)

    @asynccontextmanager
    async def write(self, org_id: OrgId | None, *, urgent: bool = False) -> AsyncGenerator[AsyncConnection]:
        """Open the one writing transaction; others of this process wait in order, other processes by the busy time."""
        del org_id
        async with self._turns.take(urgent=urgent):
            try:
                async with self._writer.begin() as connection:
                    yield connection
            except (DBAPIError, PoolTimeout) as error:
                raise _ours(error) from error

    @asynccontextmanager
    async def read(self, org_id: OrgId | None) -> AsyncGenerator[AsyncConnection]:
        """Open a snapshot."""
        del org_id
        try:
            async with self._readers.connect() as connection, connection.begin():
                yield connection
        except (DBAPIError, PoolTimeout) as error:
            raise _ours(error) from error

    async def migrate(self) -> None:
        """Bring the schema up to this release."""
        try:
            await check(self._readers)  # the writer's first connection changes the file's header
            await migrate(self._writer)
            async with (
                AsyncExitStack() as opened
            ):  # now, not while a caller waits who may hang up in the middle of it
                for _ in range(READERS):
                    await opened.enter_async_context(self._readers.connect())
        except (DBAPIError, PoolTimeout) as error:
            raise _ours(error) from error

    async def close(self) -> None:
        """Close every connection."""
        await self._readers.dispose()
        await self._writer.dispose()


def _engine(path: Path, begin: str, pragmas: tuple[str, ...], *, connections: int) -> AsyncEngine:
    engine = create_async_engine(
        sa.URL.create("sqlite+aiosqlite", database=str(path)),
        async_creator=lambda: connect(path),
        poolclass=AsyncAdaptedQueuePool,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=60,
        hide_parameters=True,  # what users said is not for error messages and logs
    )

    def on_connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver must not open transactions of its own
        cursor = connection.cursor()
        for pragma in (
            f"busy_timeout = {_BUSY_MILLISECONDS}",
            *pragmas,
            "temp_store = MEMORY",
            "cache_size = -65536",
            "mmap_size = 1073741824",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    def on_begin(connection: sa.Connection) -> None:
        driver = connection.connection.driver_connection
        if isinstance(driver, OneHopConnection):
            driver.begin_with_next(begin)

    event.listen(engine.sync_engine, "connect", on_connect)
    event.listen(engine.sync_engine, "begin", on_begin)
    return engine


def _ours(error: DBAPIError | PoolTimeout) -> StorageError:
    """Keep what the database said, and drop the statement with its values."""
    if isinstance(error, PoolTimeout):
        return StorageError("every connection to the database was busy for too long; try again")
    return StorageError(f"the database refused: {error.orig}")
