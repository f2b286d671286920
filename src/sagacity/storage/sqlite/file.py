"""Operations on an SQLite file: copy it while in use, check it, close it cleanly, replace another with it."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from sagacity.domain.errors import InvalidInput, StorageError, StorageUnavailable
from sagacity.storage.schema.guards import GUARDS

_HEADER = b"SQLite format 3\x00"
_PAGES_AT_ONCE = 2_000
_STEPS_A_CALL = 2_000_000
_LOCK_SECONDS = 5.0
_REWRITE_SECONDS = 15.0
SIDES = ("-wal", "-shm", "-journal")
"""Suffixes of SQLite's files beside a database in use."""


def new_file(path: Path) -> None:
    """Create an empty file that only its owner may read, replacing what an earlier run left."""
    for name in ("", *SIDES):
        beside(path, name).unlink(missing_ok=True)
    path.touch(mode=0o600, exist_ok=False)


def copy_pages(
    source: Path, target: Path, on_progress: Callable[[int, int], None], stop: threading.Event
) -> None:
    """
    Copy a snapshot of a database that others may be writing to.

    Args:
        source: only read.
        target: an empty file.
        on_progress: called with the number of pages done and the total.
        stop: ends the copying early, with an error, when it is set.

    Raises:
        StorageError: a file cannot be read or written.
    """

    def moved(_status: int, left: int, total: int) -> None:
        if stop.is_set():
            raise InterruptedError
        on_progress(total - left, total)

    with (
        _errors(source),
        closing(sqlite3.connect(source)) as read,
        closing(sqlite3.connect(target)) as written,
    ):
        read.isolation_level = None
        read.execute("BEGIN")  # without it, each write of another process would restart the copy
        read.execute("SELECT count(*) FROM sqlite_master").fetchone()
        read.backup(written, pages=_PAGES_AT_ONCE, progress=moved)


def check_whole(path: Path, on_tick: Callable[[], None]) -> None:
    """
    Check that *path* is an undamaged SQLite database without foreign triggers.

    Args:
        path: the file; it is not changed.
        on_tick: called now and then.

    Raises:
        InvalidInput: the file is damaged, is not a database, or has foreign triggers.
    """
    with path.open("rb") as file:
        if file.read(len(_HEADER)) != _HEADER:
            raise InvalidInput(f"{path.name} is not an SQLite database")
    with _errors(path), closing(sqlite3.connect(path)) as connection:
        connection.set_progress_handler(lambda: on_tick() or 0, _STEPS_A_CALL)
        try:
            connection.execute("PRAGMA query_only = ON")
            found = [text for (text,) in connection.execute("PRAGMA integrity_check(3)")]
            triggers = connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall()
        except sqlite3.DatabaseError as error:
            raise InvalidInput(f"{path.name} is damaged: {error}") from error
    if found != ["ok"]:
        raise InvalidInput(f"{path.name} is damaged: {'; '.join(found)}")
    if any(GUARDS.get(name) != text for name, text in triggers):
        raise InvalidInput(f"{path.name} has triggers, which Sagacity never creates; it will not be used")


def has_schema(path: Path) -> bool:
    """Return whether Sagacity, or another program that uses Alembic, has created tables in the file."""
    with _errors(path), closing(sqlite3.connect(path)) as connection:
        query = "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
        return bool(connection.execute(query).fetchone()[0])


def close_up(path: Path) -> None:
    """
    Checkpoint a database into its one file, with no files beside it, and sync it to disk.

    Raises:
        InvalidInput: it is not a database, or it is damaged.
        StorageUnavailable: another process has it open.
        StorageError: it cannot be written.
    """
    with _errors(path), closing(sqlite3.connect(path, timeout=_LOCK_SECONDS)) as connection:
        try:
            # Leaving WAL mode needs exclusive access: it fails while any other process has the file open.
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.DatabaseError as error:
            code = error.sqlite_errorcode & 0xFF
            if code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
                raise InvalidInput(f"{path.name} is damaged: {error}") from error
            if code not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise
            mode = "wal"
    if mode != "delete":
        raise StorageUnavailable(f"another process has {path.name} open: stop the server first")
    sync(path)


def rewrite(path: Path) -> None:
    """
    Rewrite a database in use from its current rows, so that its files contain nothing that was deleted.

    Raises:
        StorageUnavailable: another process writes, or reads an older state.
        StorageError: it cannot be written.
    """
    with _errors(path), closing(sqlite3.connect(path, timeout=_REWRITE_SECONDS)) as connection:
        connection.isolation_level = None
        # The temporary database is a file, because it may be larger than memory; it has only current rows.
        connection.execute("PRAGMA temp_store = FILE")
        connection.execute("PRAGMA secure_delete = ON")
        try:
            connection.execute("VACUUM")
            (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise
            is_busy = 1
    if is_busy:
        raise StorageUnavailable(f"somebody else has {path.name} in use; it is rewritten later")


def put_in_place(ready: Path, path: Path) -> None:
    """Rename *ready* to *path* atomically and durably."""
    with _errors(path):
        ready.replace(path)
        sync(path.parent)


def set_aside(path: Path, name: str, parts: Sequence[str]) -> list[str]:
    """
    Rename the files of a database, so that none of them is mixed with the next one.

    The database file also keeps its name until another file takes it, so there is always a file under that name.

    Args:
        path: the database, which may be missing or empty.
        name: the new name.
        parts: the files to set aside: suffixes of SQLite's files, and "" for the database itself.

    Returns:
        The new names.

    Raises:
        InvalidInput: a name is taken; nothing was changed.
    """
    with _errors(path):
        here = [part for part in parts if beside(path, part).exists() and (part or has_content(path))]
        pairs = [(beside(path, part), path.with_name(name + part)) for part in here]
        for _, aside in pairs:
            if aside.exists():
                raise InvalidInput(f"{aside.name} already exists: move it away first")
        for former, aside in pairs:
            aside.hardlink_to(former)
        sync(path.parent)
        for former, _ in pairs:
            if former != path:
                former.unlink()
    return [aside.name for _, aside in pairs]


def beside(path: Path, side: str) -> Path:
    """Return the file that belongs to the database *path*."""
    return path.with_name(path.name + side)


def has_content(path: Path) -> bool:
    """Return whether a file exists and is not empty."""
    return path.exists() and path.stat().st_size > 0


def free_megabytes(path: Path) -> int:
    """Return the free space on the disk of a file, or of the folder that will be created for it."""
    folder = next(one for one in path.absolute().parents if one.is_dir())
    return shutil.disk_usage(folder).free // 2**20


def sync(path: Path) -> None:
    """Sync a file, or the entries of a folder, to disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def _errors(path: Path) -> Generator[None]:
    try:
        yield
    except InterruptedError as error:
        raise StorageError("the copy was interrupted") from error
    except (sqlite3.Error, OSError) as error:
        raise StorageError(f"{path.name}: {error}") from error
