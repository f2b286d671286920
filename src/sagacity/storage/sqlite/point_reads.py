"""Reads of a row by its key, on the event loop: to change to a thread and back takes ten times as long."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import sqlalchemy as sa

from sagacity.storage.statements.prepared import BoundStatement, DriverResult, PreparedStatements

NEVER_WAITS = ("busy_timeout = 0",)
"""A pragma of the connection: nothing else would run meanwhile."""


class PointReads:
    """A connection of the event loop's own, for statements that find one row, or none, by an index."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], statements: PreparedStatements) -> None:
        """
        Prepare a connection; it is opened when it is first asked.

        Args:
            connect: opens it.
            statements: what keeps them prepared.
        """
        self._connect = connect
        self._statements = statements
        self._connection: sqlite3.Connection | None = None

    def rows(self, statement: sa.Executable, parameters: Any) -> Sequence[Any] | None:
        """Return the rows of *statement* as last committed; None where the database does not answer at once."""
        try:
            if self._connection is None:
                self._connection = self._connect()
            return self._statements.rows_at_once(statement, parameters, self._ask)
        except sqlite3.Error:
            self.close()
            return None

    def _ask(self, told: BoundStatement) -> DriverResult:
        if self._connection is None or isinstance(told.values, list):
            raise TypeError("a point read has one set of values")
        with closing(self._connection.execute(told.text, told.values)) as cursor:
            return DriverResult(cursor.description or (), cursor.fetchall(), 0)

    def close(self) -> None:
        """Close the connection; it is opened anew when it is asked again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
