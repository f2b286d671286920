"""Read a row by its key on the event loop, because switching to a thread and back takes nearly 40 times as long."""

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa

from sagacity.storage.statements.prepared import BoundStatement, DriverResult, PreparedStatements

NEVER_WAITS = ("busy_timeout = 0",)
"""A pragma that forbids waiting for locks, because the whole event loop would wait with this connection."""


class PointReads:
    """A connection used on the event loop, for statements that find at most one row by an index."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        ask: Callable[[sqlite3.Connection, BoundStatement], DriverResult],
        statements: PreparedStatements,
    ) -> None:
        """
        Prepare a connection, which is opened at the first query.

        Args:
            connect: opens the connection.
            ask: runs a statement on it.
            statements: the cache of prepared statements.
        """
        self._connect = connect
        self._ask = ask
        self._statements = statements
        self._connection: sqlite3.Connection | None = None
        self._is_closed = False

    def rows(self, statement: sa.Executable, parameters: Any) -> Sequence[Any] | None:
        """Return the committed rows of *statement*; None if the database does not answer at once."""
        if self._is_closed:
            return None
        try:
            if self._connection is None:
                self._connection = self._connect()
            return self._statements.rows_at_once(statement, parameters, partial(self._ask, self._connection))
        except sqlite3.Error:
            self._drop()
            return None

    def close(self) -> None:
        """Close the connection for good."""
        self._is_closed = True
        self._drop()

    def _drop(self) -> None:
        """Drop the connection; the next query opens another one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
