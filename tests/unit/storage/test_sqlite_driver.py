"""The driver of SQLite: a connection that is closed lets go of its locks at once."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sagacity.storage.sqlite.driver import OneHopConnection, connect


@pytest.mark.parametrize("rows", [10, 4_000])
@pytest.mark.parametrize("way", ["stop", "close"])
async def test_a_connection_that_is_closed_in_a_transaction_frees_the_file(
    tmp_path: Path, way: str, rows: int
) -> None:
    """Also while somebody holds a cursor that has rows left, as the traceback of a cancelled task does."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE numbers (n)")
        made.executemany("INSERT INTO numbers VALUES (?)", ((n,) for n in range(5_000)))
        made.commit()
    connection = await connect(path)
    assert isinstance(connection, OneHopConnection)
    await connection.visit(lambda opened: setattr(opened, "isolation_level", None))
    connection.begin_by("BEGIN IMMEDIATE")
    held = connection.cursor()
    await held.execute(f"SELECT n FROM numbers LIMIT {rows}")
    if way == "stop":
        stopped = connection.stop()
        assert stopped is not None
        await stopped
    else:
        await connection.close()
    with closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
    assert held.description is not None
