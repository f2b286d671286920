"""
Keep one database of each kind for all tests of a process, and empty it before each test.

Creating a PostgreSQL database takes a second on a busy machine, and the first statements on a new engine are slow on
every database. Emptying removes all that a test could see of another: rows, sequences, and the state of a `Storage`.
"""

import copy
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import sqlalchemy as sa

from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource
from sagacity.storage.base import Backend
from sagacity.storage.open import open_backend
from sagacity.storage.schema.tables import APPEND_ONLY, metadata
from sagacity.storage.transaction import Storage

TABLES = [table.name for table in reversed(metadata.sorted_tables)]
_LEFT = (
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL"
)
"""Ends transactions whose locks a test left, because it ended or killed a process in the middle of one."""
_SEQUENCES = "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'S'"


def empty_file(path: Path) -> None:
    """Delete every row of an SQLite database, and restart its numbers."""
    with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("BEGIN IMMEDIATE")
        guards = _guards(connection) if _holds(connection, *APPEND_ONLY) else []
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        for table in TABLES:
            connection.execute(f"DELETE FROM {table}")
        for _, made in guards:
            connection.execute(made)
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchone():
            connection.execute("DELETE FROM sqlite_sequence")
        connection.execute("COMMIT")


def _holds(connection: sqlite3.Connection, *tables: sa.Table) -> bool:
    return any(connection.execute(f"SELECT 1 FROM {table.name} LIMIT 1").fetchone() for table in tables)


def _guards(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the triggers that refuse to delete rows, by name, with their SQL."""
    return connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()


def empty_database(url: str) -> None:
    """Delete every row of a PostgreSQL database, as its superuser, and restart its numbers."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_LEFT)
        sequences = [name for (name,) in connection.execute(_SEQUENCES).fetchall()]
        words = [
            "SET session_replication_role = replica",  # foreign keys are looked at for each row otherwise
            *(f"DELETE FROM {table}" for table in TABLES),
            *(f"SELECT setval('{name}', 1, false)" for name in sequences),
        ]
        connection.execute("; ".join(words))  # pyright: ignore[reportArgumentType]


class KeptBackends:
    """The backends of the kept databases, with their connections and compiled statements."""

    def __init__(self) -> None:
        self._kept: dict[str, Backend] = {}

    async def storage(self, url: str, clock: Clock, ids: IdSource) -> Storage:
        """Return a new storage over the kept backend of *url*; it must not be closed."""
        if url not in self._kept:
            self._kept[url] = await open_backend(url)
        backend = copy.copy(self._kept[url])
        # What is replaced or remembered in them is of one test.
        backend.vectors, backend.terms = type(backend.vectors)(), type(backend.terms)()
        return Storage(backend, clock=clock, ids=ids)

    async def close(self) -> None:
        """Close every connection."""
        for backend in self._kept.values():
            await backend.close()
