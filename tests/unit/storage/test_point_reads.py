"""A row is read by its key on the event loop, or not at all."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.sqlite.pysqlite import dialect

from sagacity.storage.sqlite.point_reads import PointReads
from sagacity.storage.statements.prepared import BoundStatement, DriverResult, PreparedStatements

_notes = sa.table("notes", sa.column("note_id", sa.Integer), sa.column("text", sa.Text))
OF_NUMBER = sa.select(_notes.c.text).where(_notes.c.note_id == sa.bindparam("note_id"))
ANY_OF = sa.select(_notes.c.text).where(_notes.c.note_id.in_(sa.bindparam("ids", expanding=True)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with one note."""
    with closing(sqlite3.connect(tmp_path / "notes.db")) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE notes (note_id INTEGER PRIMARY KEY, text TEXT)")
        writer.execute("INSERT INTO notes VALUES (1, 'first')")
        writer.commit()
    return tmp_path / "notes.db"


def asked(connection: sqlite3.Connection, told: BoundStatement) -> DriverResult:
    """What the database answers."""
    cursor = connection.execute(told.text, told.values)
    return DriverResult(cursor.description, cursor.fetchall(), cursor.rowcount)


@pytest.fixture
def reads(path: Path) -> Iterator[PointReads]:
    reads = PointReads(lambda: sqlite3.connect(path, timeout=0), asked, PreparedStatements(dialect()))
    yield reads
    reads.close()


def test_a_row_is_as_it_was_last_committed(path: Path, reads: PointReads) -> None:
    """By whichever process, also after a first look; nothing is what is not there."""
    [row] = reads.rows(OF_NUMBER, {"note_id": 1}) or []
    assert row.text == "first"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("UPDATE notes SET text = 'second'")
        assert reads.rows(OF_NUMBER, {"note_id": 1}) == [("first",)]
        writer.commit()
    assert reads.rows(OF_NUMBER, {"note_id": 1}) == [("second",)]
    assert reads.rows(OF_NUMBER, {"note_id": 2}) == []


def test_nobody_waits_for_a_lock(path: Path, reads: PointReads) -> None:
    """While another process has the file to itself there is no answer, and there is one again afterwards."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("UPDATE notes SET text = 'second'")
        other.commit()
        assert reads.rows(OF_NUMBER, {"note_id": 1}) is None
    assert reads.rows(OF_NUMBER, {"note_id": 1}) == [("second",)]


def test_a_statement_has_one_text(reads: PointReads) -> None:
    """One that grows with its values is not kept, and none of the kind is asked here."""
    with pytest.raises(TypeError):
        reads.rows(ANY_OF, {"ids": [1]})


def test_what_is_closed_is_not_opened_again(reads: PointReads) -> None:
    """Nobody would close it."""
    assert reads.rows(OF_NUMBER, {"note_id": 1}) == [("first",)]
    reads.close()
    assert reads.rows(OF_NUMBER, {"note_id": 1}) is None
