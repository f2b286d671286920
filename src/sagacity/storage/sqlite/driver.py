"""aiosqlite with one thread switch per statement, where its own cursor protocol takes four."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import aiosqlite

_ROWS_AT_ONCE = 1_000
Result = TypeVar("Result")


class OneHopConnection(aiosqlite.Connection):
    """
    A connection that opens, runs, reads and closes a cursor in a single visit to its thread.

    After `begin_by`, it opens transactions itself: BEGIN is sent with the first statement of each. Nobody waits for
    ROLLBACK, because the thread runs it before any later statement.
    """

    _begin = ""
    _is_begun = False

    def begin_by(self, begin: str) -> None:
        """From now on, open each transaction with the statement *begin*, sent with its first statement."""
        self._begin = begin

    async def rollback(self) -> None:
        """Roll back the transaction; the thread does so before any later statement."""
        begun, self._is_begun = self._is_begun, False
        if begun:
            self._roll_back()

    def stop(self) -> asyncio.Future[Any] | None:
        """
        Close the connection and end its thread, without waiting.

        An open transaction is rolled back first: SQLite keeps a closed connection, with its locks, as long as somebody
        holds one of its cursors that has rows left.
        """
        self._roll_back()
        return super().stop()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  untyped

    async def close(self) -> None:
        """Close the connection and end its thread, as `stop` does."""
        self._roll_back()
        await super().close()

    def _roll_back(self) -> None:
        if self._running and self._connection is not None:
            self._tx.put_nowait((None, self._connection.rollback))  # pyright: ignore[reportUnknownMemberType]  untyped

    async def commit(self) -> None:
        """Commit the transaction; if that fails, it must still be rolled back."""
        if self._is_begun:
            await super().commit()
            self._is_begun = False

    def cursor(self) -> "OneHopCursor":  # type: ignore[override]  # awaited by nobody: SQLAlchemy enters it
        """Return a cursor, without calling the database yet."""
        return OneHopCursor(self)

    async def run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run *work* in the connection's thread and in a transaction."""
        begin = "" if self._is_begun else self._begin
        self._is_begun = self._begin != ""

        def begun(connection: sqlite3.Connection) -> Result:
            if begin:
                connection.execute(begin)
            return work(connection)

        return await self.visit(begun)

    async def visit(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run *work* in the connection's thread."""
        return await self._execute(work, self._conn)  # pyright: ignore[reportUnknownMemberType]  untyped


class OneHopCursor:
    """Fetches the first rows together with running the statement; few statements have more."""

    arraysize = 1

    def __init__(self, connection: OneHopConnection) -> None:
        self._connection = connection
        self._open: sqlite3.Cursor | None = None
        self._rows: deque[Any] = deque()
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def execute(self, statement: str, parameters: Sequence[Any] = ()) -> Self:
        """Run a statement and fetch its first rows."""
        await self._run(lambda cursor: cursor.execute(statement, parameters))
        return self

    async def executemany(self, statement: str, parameters: Iterable[Sequence[Any]]) -> Self:
        """Run a statement once for each of *parameters*."""
        await self._run(lambda cursor: cursor.executemany(statement, parameters))
        return self

    async def fetchone(self) -> Any:
        """Return the next row; None at the end."""
        rows = await self.fetchmany(1)
        return rows[0] if rows else None

    async def fetchmany(self, size: int | None = None) -> list[Any]:
        """Return up to *size* rows."""
        wanted = size or self.arraysize
        if self._open is not None and len(self._rows) < wanted:
            await self._fetch(max(wanted - len(self._rows), _ROWS_AT_ONCE))
        return [self._rows.popleft() for _ in range(min(wanted, len(self._rows)))]

    async def fetchall(self) -> list[Any]:
        """Return all rows that are left."""
        if self._open is not None:
            await self._fetch(-1)
        rows = list(self._rows)
        self._rows.clear()
        return rows

    async def close(self) -> None:
        """Close the statement, if it has rows left."""
        if self._open is not None:
            cursor, self._open = self._open, None
            await self._connection.visit(lambda _: cursor.close())

    async def _run(self, run: Callable[[sqlite3.Cursor], object]) -> None:
        def work(connection: sqlite3.Connection) -> tuple[sqlite3.Cursor, list[Any], bool]:
            cursor = connection.cursor()
            run(cursor)
            rows = cursor.fetchmany(_ROWS_AT_ONCE) if cursor.description else []
            return cursor, rows, len(rows) < _ROWS_AT_ONCE

        cursor, rows, ended = await self._connection.run(work)
        self._take(cursor, rows, ended=ended)

    async def _fetch(self, size: int) -> None:
        cursor = self._open

        def work(_: sqlite3.Connection) -> tuple[list[Any], bool]:
            if cursor is None:
                return [], True
            rows = cursor.fetchall() if size < 0 else cursor.fetchmany(size)
            return rows, size < 0 or len(rows) < size

        rows, ended = await self._connection.visit(work)
        if cursor is not None:
            self._take(cursor, rows, ended=ended)

    def _take(self, cursor: sqlite3.Cursor, rows: list[Any], *, ended: bool) -> None:
        self.description = cursor.description or self.description
        self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid
        self._rows.extend(rows)
        self._open = None if ended else cursor


def connect(path: Path) -> OneHopConnection:
    """Return a connection to *path*; awaiting it opens it, in a thread of its own that ends with the process."""
    connection = OneHopConnection(lambda: sqlite3.connect(path), iter_chunk_size=64)
    connection._thread.daemon = True  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  as SQLAlchemy does
    return connection
