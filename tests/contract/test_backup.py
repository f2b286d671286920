"""Any database kept in one file while it is used, and brought back into any database, whole or not at all."""

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from sagacity.domain.errors import InvalidInput, SchemaMismatch, StorageError, StorageUnavailable
from sagacity.storage.base import Backend
from sagacity.storage.open import open_backend, open_file, open_storage
from sagacity.storage.schema.migrate import migrate
from sagacity.storage.schema.tables import interactions
from sagacity.storage.sqlite.backend import SQLite
from sagacity.storage.transaction import Storage
from sagacity.storage.transfer.backup import back_up, restore_file, restore_rows
from sagacity.storage.transfer.copy import Step, compare
from sagacity.storage.transfer.rows import TABLES
from support.furnished import FURNISHED, furnished_database, furnished_file, numbers_of, sums_of
from support.parts import ANNA, ORG, START, CountingIds, StoppedClock, said
from support.schemas import next_release

pytestmark = pytest.mark.own_database

__all__ = ["furnished_database", "furnished_file"]


def quiet(_: Step) -> None:
    """Tell nobody."""


@pytest.fixture(params=list(FURNISHED))
def source_url(request: pytest.FixtureRequest) -> str:
    """Two organisations with rows in every table, in each kind of database."""
    return FURNISHED[request.param](request)


@pytest.fixture
async def source(source_url: str) -> AsyncIterator[Storage]:
    storage = await open_storage(source_url, clock=StoppedClock(), ids=CountingIds())
    yield storage
    await storage.close()


@pytest.fixture
async def kept(furnished_file: Path, tmp_path: Path) -> Path:
    """A backup."""
    backend = await open_file(furnished_file)
    await back_up(backend, tmp_path / "kept.db", open_file, quiet)
    await backend.close()
    return tmp_path / "kept.db"


def rows_in(path: Path) -> int:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        counts = [connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0] for table in TABLES]
    return sum(counts)


async def test_a_backup_holds_everything_in_one_file(source: Storage, tmp_path: Path) -> None:
    """It is an SQLite database that only its owner may read, equal to what it was made of, with nothing beside it."""
    folder = tmp_path / "backups"
    folder.mkdir()
    steps: list[Step] = []
    made = await back_up(source.backend, folder / "kept.db", open_file, steps.append)
    assert [path.name for path in folder.iterdir()] == ["kept.db"]
    assert stat.S_IMODE((folder / "kept.db").stat().st_mode) == 0o600
    assert made.size_bytes == (folder / "kept.db").stat().st_size > 100_000
    assert steps
    copy = await open_file(folder / "kept.db")
    tables = await compare(source.backend, copy, quiet)
    assert all(table.rows >= 2 for table in tables)
    assert len(tables) == len(TABLES)
    await copy.close()


async def test_a_backup_while_others_write_is_of_one_moment(source: Storage, tmp_path: Path) -> None:
    """What is stored meanwhile is in it completely or not at all."""
    begun, done = asyncio.Event(), asyncio.Event()

    async def write() -> int:
        for number in count():
            await source.append(ORG, said("a", "b", "c", request_id=f"meanwhile-{number}"))
            begun.set()
            if done.is_set():
                return number
        raise AssertionError

    async with asyncio.TaskGroup() as group:
        writer = group.create_task(write())
        await begun.wait()
        await back_up(source.backend, tmp_path / "kept.db", open_file, quiet)
        done.set()
    assert writer.result() > 0
    copy = await open_storage(f"sqlite:///{tmp_path / 'kept.db'}", clock=StoppedClock(), ids=CountingIds())
    async with copy.read(ORG) as tx:
        log = await tx.interactions.log(ANNA, after_seq=0, limit=10_000)
    assert [turn.seq for turn in log] == list(range(1, len(log) + 1))
    kept = [turn.request_id for turn in log if turn.request_id.startswith("meanwhile")]
    assert {kept.count(request_id) for request_id in kept} <= {3}
    assert len(await numbers_of(copy, ORG, interactions.c.interaction_id)) > len(log)
    await copy.close()


async def test_a_file_is_replaced_only_when_told(source: Storage, tmp_path: Path) -> None:
    """What was there stays as it was, until the new one is complete."""
    path = tmp_path / "kept.db"
    path.write_text("dear")
    with pytest.raises(InvalidInput, match="--force"):
        await back_up(source.backend, path, open_file, quiet)
    assert path.read_text() == "dear"
    await back_up(source.backend, path, open_file, quiet, replace=True)
    assert rows_in(path) > 500
    with pytest.raises(InvalidInput, match="folder that exists"):
        await back_up(source.backend, tmp_path / "nowhere" / "kept.db", open_file, quiet)


async def test_a_backup_that_is_cut_short_leaves_no_file(source: Storage, tmp_path: Path) -> None:
    """Neither the name nor a part of it; what a killed one left is in nobody's way."""
    folder = tmp_path / "backups"
    folder.mkdir()

    def stop(_: Step) -> None:
        raise InterruptedError

    with pytest.raises((InterruptedError, StorageError)):
        await back_up(source.backend, folder / "kept.db", open_file, stop)
    assert list(folder.iterdir()) == []
    (folder / "kept.db.partial").write_text("half of one")
    (folder / "kept.db.partial-wal").write_text("half of one")
    await back_up(source.backend, folder / "kept.db", open_file, quiet)
    assert [path.name for path in folder.iterdir()] == ["kept.db"]


async def test_the_database_itself_is_no_place_for_its_backup(furnished_file: Path) -> None:
    """Nor are the files beside it."""
    backend = await open_file(furnished_file)
    try:
        for name in (furnished_file.name, furnished_file.name + "-wal"):
            with pytest.raises(InvalidInput, match="the database itself"):
                await back_up(backend, furnished_file.with_name(name), open_file, quiet, replace=True)
    finally:
        await backend.close()


async def restored(kept: Path, url: str) -> Backend:
    target = await open_backend(url)
    await restore_rows(kept, target, open_file, quiet, now=START)
    return target


async def test_rows_are_restored_into_any_empty_database(
    kept: Path, furnished_file: Path, database_url: str
) -> None:
    """And are equal to what was backed up; again it changes nothing; the backup is only read."""
    before = kept.read_bytes()
    original = await open_file(furnished_file)
    for _ in range(2):
        target = await restored(kept, database_url)
        assert sum(table.rows for table in await compare(original, target, quiet)) > 500
        await target.close()
    await original.close()
    assert kept.read_bytes() == before


async def test_rows_are_not_restored_over_others(kept: Path, database_url: str) -> None:
    """A database that holds data stays as it is."""
    storage = await open_storage(database_url, clock=StoppedClock(), ids=CountingIds())
    async with storage.begin(ORG) as tx:
        await tx.organisation.ensure()
    await storage.append(ORG, said("mine", request_id="mine"))
    before = await sums_of(storage)
    with pytest.raises(InvalidInput, match="Nothing was changed"):
        await restore_rows(kept, storage.backend, open_file, quiet, now=START)
    assert await sums_of(storage) == before
    await storage.close()


async def restore(kept: Path, database: Path, *, force: bool = False) -> str:
    done = await restore_file(kept, database, open_file, quiet, force=force, now=START)
    return done.kept_aside


async def test_a_file_is_put_in_place_at_once(kept: Path, tmp_path: Path) -> None:
    """Where there is nothing, or nothing but bare organisations; for its owner only."""
    database = tmp_path / "home" / "sagacity.db"
    assert await restore(kept, database) == ""
    assert rows_in(database) == rows_in(kept) > 500
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
    assert sorted(path.name for path in database.parent.iterdir()) == ["sagacity.db"]
    bare = await open_storage(f"sqlite:///{tmp_path / 'bare.db'}", clock=StoppedClock(), ids=CountingIds())
    async with bare.begin(ORG) as tx:
        await tx.organisation.ensure()
    await bare.close()
    assert await restore(kept, tmp_path / "bare.db") == ""
    assert rows_in(tmp_path / "bare.db") == rows_in(kept)


async def test_a_file_that_holds_data_is_kept_aside(kept: Path, tmp_path: Path) -> None:
    """Refused unless told; then what was there has another name, and all that it had."""
    database = tmp_path / "sagacity.db"
    storage = await open_storage(f"sqlite:///{database}", clock=StoppedClock(), ids=CountingIds())
    async with storage.begin(ORG) as tx:
        await tx.organisation.ensure()
    await storage.append(ORG, said("mine", request_id="mine"))
    with pytest.raises(StorageUnavailable, match="stop the server"):
        await restore(kept, database, force=True)
    await storage.close()
    former = rows_in(database)
    with pytest.raises(InvalidInput, match="holds data"):
        await restore(kept, database)
    assert rows_in(database) == former
    aside = await restore(kept, database, force=True)
    assert aside == "sagacity.db.before-restore-20260501T100000Z"
    assert rows_in(tmp_path / aside) == former
    assert rows_in(database) == rows_in(kept)
    with pytest.raises(InvalidInput, match="already"):  # in the same second
        await restore(kept, database, force=True)


SET_ASIDE = "sagacity.db.before-restore-20260501T100000Z"


def _log_of_another(folder: Path) -> bytes:
    """The write-ahead log of a database that was never closed."""
    connection = sqlite3.connect(folder / "dead.db")
    connection.execute("pragma journal_mode = wal")
    connection.execute("create table dead (text)")
    connection.executemany("insert into dead values (?)", [("dead " * 100,)] * 500)
    connection.commit()
    content = (folder / "dead.db-wal").read_bytes()
    connection.close()
    return content


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("main", [None, b""], ids=["missing", "empty"])
async def test_a_log_without_its_database_is_not_replayed_into_the_new_one(
    kept: Path, tmp_path: Path, main: bytes | None, *, force: bool
) -> None:
    """It is put aside with all else that lies there, before the new database has its name."""
    database, log = tmp_path / "home" / "sagacity.db", _log_of_another(tmp_path)
    database.parent.mkdir()
    sides = {"-wal": log, "-shm": b"", "-journal": b"half of one"}
    for side, content in sides.items():
        database.with_name(database.name + side).write_bytes(content)
    if main is not None:
        database.write_bytes(main)
    assert await restore(kept, database, force=force) == ", ".join(SET_ASIDE + side for side in sides)
    assert {path.name for path in database.parent.iterdir()} == {
        "sagacity.db",
        *(SET_ASIDE + side for side in sides),
    }
    assert (database.parent / f"{SET_ASIDE}-wal").read_bytes() == log
    assert rows_in(database) == rows_in(kept) > 500
    with sqlite3.connect(database) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()


async def test_a_name_that_is_taken_is_kept(kept: Path, tmp_path: Path) -> None:
    """What was put aside before is never overwritten, and nothing is half done."""
    database = tmp_path / "sagacity.db"
    former = {"sagacity.db-journal": b"new", "sagacity.db-wal": b"newer", SET_ASIDE + "-wal": b"old"}
    for name, content in former.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput, match="already"):
        await restore(kept, database)
    assert {path.name: path.read_bytes() for path in tmp_path.glob("sagacity.db*")} == former


def _no_database(path: Path) -> None:
    path.write_bytes(b"Dear diary, " * 1_000)


def _broken(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[100:4_096] = b"\xff" * (4_096 - 100)
    path.write_bytes(content)


@pytest.mark.parametrize("spoil", [_no_database, _broken])
async def test_a_broken_database_makes_room(kept: Path, furnished_file: Path, tmp_path: Path, spoil) -> None:
    """That is when a backup is needed: refused unless told, then kept aside as it was, with what lay beside it."""
    database = tmp_path / "home" / "sagacity.db"
    database.parent.mkdir()
    database.write_bytes(furnished_file.read_bytes())
    spoil(database)
    database.with_name(database.name + "-journal").write_bytes(b"half of one")
    former = database.read_bytes()
    with pytest.raises(InvalidInput, match="--force"):
        await restore(kept, database)
    assert database.read_bytes() == former
    assert await restore(kept, database, force=True) == SET_ASIDE
    assert (database.parent / SET_ASIDE).read_bytes() == former
    assert {path.name for path in database.parent.iterdir()} <= {
        "sagacity.db",
        SET_ASIDE,
        f"{SET_ASIDE}-journal",
    }
    assert rows_in(database) == rows_in(kept) > 500


async def test_a_backup_takes_no_name_beside_which_another_log_lies(source: Storage, tmp_path: Path) -> None:
    """Whoever opened it would have that log replayed into it."""
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "kept.db-wal").write_bytes(_log_of_another(tmp_path))
    with pytest.raises(InvalidInput, match=r"kept\.db-wal"):
        await back_up(source.backend, folder / "kept.db", open_file, quiet, replace=True)
    assert [path.name for path in folder.iterdir()] == ["kept.db-wal"]


async def test_a_backup_of_an_older_release_is_brought_up_to_date(tmp_path: Path) -> None:
    """In a copy: the backup itself stays as it is."""
    kept = tmp_path / "old.db"
    backend = SQLite(kept)
    await migrate(backend._writer.begin)
    await backend.close()
    connection = sqlite3.connect(kept)
    connection.execute("insert into organisations (org_id, name, created_at) values ('org-a', 'old', 1)")
    connection.commit()
    connection.execute("pragma journal_mode = delete")
    connection.close()
    before = kept.read_bytes()
    with next_release():
        await restore(kept, tmp_path / "sagacity.db")
        assert rows_in(tmp_path / "sagacity.db") == 1
        assert kept.read_bytes() == before
        with pytest.raises(SchemaMismatch, match="sagacity migrate"):
            await open_backend(f"sqlite:///{kept}", as_found=True)
    assert kept.read_bytes() == before


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-50_000])


def _scribble(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[40_000:44_000] = b"\xff" * 4_000
    path.write_bytes(content)


def _diary(path: Path) -> None:
    path.write_bytes(b"Dear diary, " * 1_000)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _trap(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("create trigger trap after insert on users begin delete from memories; end")
    connection.commit()
    connection.close()


def _trap_by_our_name(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("drop trigger audit_log_no_delete")
    connection.execute(
        "create trigger audit_log_no_delete after insert on users begin delete from memories; end"
    )
    connection.commit()
    connection.close()


def _in_use(path: Path) -> None:
    path.with_name(path.name + "-wal").write_bytes(b"not yet in the file")


def _theirs(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("create table recipes (name text)")
    connection.commit()
    connection.close()


def _newer(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("update alembic_version set version_num = 'from-the-future'")
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "spoil",
    [_cut, _scribble, _diary, _empty, _trap, _trap_by_our_name, _in_use, _theirs, _newer, Path.unlink],
)
async def test_what_is_no_whole_backup_is_refused(kept: Path, tmp_path: Path, spoil) -> None:
    """Nothing is put in place, and nothing is left behind."""
    spoil(kept)
    folder = tmp_path / "home"
    with pytest.raises((InvalidInput, SchemaMismatch)):
        await restore(kept, folder / "sagacity.db")
    assert list(folder.iterdir()) == []


async def test_a_source_is_neither_made_nor_changed(furnished_file: Path, tmp_path: Path) -> None:
    """A database that is opened as it is found stays so, byte by byte."""
    with pytest.raises(InvalidInput, match="no database"):
        await open_backend(f"sqlite:///{tmp_path / 'missing.db'}", as_found=True)
    assert not (tmp_path / "missing.db").exists()
    before = furnished_file.read_bytes()
    backend = await open_backend(f"sqlite:///{furnished_file}", as_found=True)
    assert sum(table.rows for table in await compare(backend, backend, quiet)) > 500
    await backend.close()
    assert furnished_file.read_bytes() == before
