"""Back up a database to one file, and restore it."""

import asyncio
import tempfile
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.base import Value
from sagacity.domain.errors import InvalidInput, SchemaMismatch, StorageError, StorageUnavailable
from sagacity.storage.base import Backend
from sagacity.storage.schema.tables import (
    interactions,
    leases,
    memories,
    organisations,
    search_index,
    search_scopes,
    users,
)
from sagacity.storage.sqlite.file import (
    SIDES,
    beside,
    check_whole,
    close_up,
    copy_pages,
    has_content,
    has_schema,
    new_file,
    put_in_place,
    set_aside,
)
from sagacity.storage.statements.user_key import user_key
from sagacity.storage.transfer.copy import OnProgress, Step, copy, is_empty

PARTIAL, READY = ".partial", ".restoring"
OpenFile = Callable[[Path], Awaitable[Backend]]
"""Opens an SQLite file and migrates its schema; an empty file becomes a database."""


class Holds(Value):
    """What a database holds, in numbers that a person can compare."""

    organisations: int
    users: int
    """Who published turns, or of whom something is remembered."""
    turns: int
    memories: int
    """Of every kind and status."""


class BackupInfo(Value):
    """A backup that is complete."""

    path: str
    size_bytes: int
    holds: Holds


class Restored(Value):
    """What was restored, and what it was put in place of."""

    holds: Holds
    kept_aside: str = ""
    """The new names of the former database's files, or of files that an older one left behind."""


async def back_up(
    source: Backend, path: Path, open_file: OpenFile, on_progress: OnProgress, *, replace: bool = False
) -> BackupInfo:
    """
    Write a snapshot of *source* into an SQLite file, while others read and write.

    The file gets its name only when it is complete, verified and on disk.

    Args:
        source: any database.
        path: the file to write; only its owner may read it.
        open_file: opens the file if rows must be copied.
        on_progress: called with the progress.
        replace: whether a file with that name may be replaced.

    Raises:
        InvalidInput: the file exists, is in use, has no folder, or is the database itself.
    """
    if not path.parent.is_dir() or path.is_dir():
        raise InvalidInput(f"{path} cannot be written: name a file in a folder that exists")
    _refuse_parts_of(source.file, path)
    if path.exists() and not replace:
        raise InvalidInput(f"{path} already exists: name another file, or pass --force to replace it")
    for side in SIDES:
        if has_content(beside(path, side)):
            raise InvalidInput(f"{beside(path, side).name} belongs to another database: move it away first")
    partial = path.with_name(path.name + PARTIAL)
    new_file(partial)
    try:
        if (original := source.file) is not None:
            await _pages(original, partial, on_progress)
        else:
            target = await open_file(partial)
            try:
                await copy(source, target, on_progress)
            finally:
                await target.close()
        await _checked(partial, on_progress)
        async with _opened(partial, open_file) as opened, opened.read(None) as connection:
            holds = await _held(connection)
        await asyncio.to_thread(close_up, partial)
        if path.exists() and not replace:
            raise InvalidInput(f"{path} was made by another program in the meantime; nothing was replaced")
        await asyncio.to_thread(put_in_place, partial, path)
    finally:
        _forget(partial)
    return BackupInfo(path=str(path), size_bytes=path.stat().st_size, holds=holds)


async def restore_file(
    backup: Path, database: Path, open_file: OpenFile, on_progress: OnProgress, *, force: bool, now: datetime
) -> Restored:
    """
    Replace an SQLite database with a copy of *backup*, in one step or not at all.

    Args:
        backup: a file that `back_up` wrote, of this release or an older one; it is only read.
        database: the file to replace; missing or empty, unless *force*.
        open_file: opens SQLite files.
        on_progress: called with the progress.
        force: keep the existing database beside it under another name.
        now: part of that name, and the new creation time of the search index, which gives its vectors a new collection
            in a vector store.

    Raises:
        InvalidInput: the database holds data, or the backup is damaged or not a database.
        StorageUnavailable: another process has the database open.
        SchemaMismatch: the backup is of a newer release, or of another program.
    """
    _refuse_parts_of(database, backup)
    database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    ready = database.with_name(database.name + READY)
    is_there = has_content(database)
    if is_there and not force:
        await _refuse_furnished(database, open_file)
    try:
        holds = await _make_ready(backup, ready, open_file, on_progress, now)
        if is_there:
            await asyncio.to_thread(_close, database, even_damaged=force)
        # SQLite would replay a log beside that name into the database that gets the name.
        aside = f"{database.name}.before-restore-{now:%Y%m%dT%H%M%SZ}"
        names = await asyncio.to_thread(set_aside, database, aside, ("", *SIDES) if force else SIDES)
        await asyncio.to_thread(put_in_place, ready, database)
    finally:
        _forget(ready)
    return Restored(holds=holds, kept_aside=aside if aside in names else ", ".join(names))


async def restore_rows(
    backup: Path, target: Backend, open_file: OpenFile, on_progress: OnProgress, *, now: datetime
) -> Restored:
    """
    Copy the rows of *backup* into *target*, which is empty or holds the beginning of the same backup.

    The creation time of the search index becomes *now*, which gives its vectors a new collection in a vector store.

    Raises:
        InvalidInput: the target holds other data, or the backup is damaged or not a database.
        SchemaMismatch: the backup is of a newer release, or of another program.
    """
    with tempfile.TemporaryDirectory(prefix="sagacity-") as folder:
        ready = Path(folder) / "ready.db"
        holds = await _make_ready(backup, ready, open_file, on_progress, now)
        async with _opened(ready, open_file) as source:
            await copy(source, target, on_progress)
    return Restored(holds=holds)


async def _make_ready(
    backup: Path, ready: Path, open_file: OpenFile, on_progress: OnProgress, now: datetime
) -> Holds:
    """Make *ready* what is restored: a checked copy of the backup, of this release's schema, without leftovers."""
    if not backup.is_file():
        raise InvalidInput(f"there is no file {backup}")
    if any(has_content(beside(backup, side)) for side in SIDES):
        raise InvalidInput(
            f"{backup} is in use, or was not closed properly: take a copy with `sagacity backup` first"
        )
    new_file(ready)
    await _bytes(backup, ready, on_progress)
    await _checked(ready, on_progress)
    if not has_schema(ready):
        raise SchemaMismatch(f"{backup.name} holds no data of Sagacity")
    async with _opened(ready, open_file) as opened, opened.write(None) as connection:
        # These are true only where the backup was made: leases, and what a separate vector store had.
        await connection.execute(sa.delete(leases))
        await connection.execute(sa.update(search_scopes).values(copied_revision=0))
        await connection.execute(sa.update(search_index).values(created_at=now))
        holds = await _held(connection)
    await asyncio.to_thread(close_up, ready)
    return holds


async def _held(connection: AsyncConnection) -> Holds:
    """Count what an SQLite file holds, of all organisations."""

    async def rows(table: sa.FromClause) -> int:
        return (await connection.execute(sa.select(sa.func.count()).select_from(table))).scalar_one()

    return Holds(
        organisations=await rows(organisations),
        users=await rows(
            sa.union(
                sa.select(users.c.org_id, users.c.user_id).where(users.c.user_id != user_key(None)),
                sa.select(memories.c.org_id, memories.c.user_id).where(memories.c.user_id.is_not(None)),
            ).subquery()
        ),
        turns=await rows(interactions),
        memories=await rows(memories),
    )


async def _refuse_furnished(database: Path, open_file: OpenFile) -> None:
    why = "holds data"
    try:
        async with _opened(database, open_file) as there:
            if await is_empty(there):
                return
    except (StorageUnavailable, SchemaMismatch):
        raise
    except StorageError as error:
        why = f"cannot be read ({error})"
    raise InvalidInput(
        f"{database.name} {why}: name an empty database, or pass --force to keep it under another name"
    )


def _close(database: Path, *, even_damaged: bool) -> None:
    """Close up a database that is set aside; *even_damaged* accepts a damaged one unchanged."""
    try:
        close_up(database)
    except InvalidInput:
        if not even_damaged:
            raise


@asynccontextmanager
async def _opened(path: Path, open_file: OpenFile) -> AsyncGenerator[Backend]:
    backend = await open_file(path)
    try:
        yield backend
    finally:
        await backend.close()


async def _pages(source: Path, target: Path, on_progress: OnProgress) -> None:
    def moved(done: int, total: int) -> None:
        on_progress(Step(doing="copying pages", done=done, total=total))

    stop = threading.Event()
    try:
        await asyncio.to_thread(copy_pages, source, target, moved, stop)
    finally:
        stop.set()


async def _bytes(source: Path, target: Path, on_progress: OnProgress) -> None:
    """Copy a file that nobody writes to, byte by byte."""
    total = source.stat().st_size

    def run() -> None:
        with source.open("rb") as read, target.open("wb") as written:
            while piece := read.read(2**24):
                written.write(piece)
                on_progress(Step(doing="reading the backup (bytes)", done=written.tell(), total=total))

    await asyncio.to_thread(run)


async def _checked(path: Path, on_progress: OnProgress) -> None:
    on_progress(Step(doing="checking the file", done=0, total=1))
    tick = Step(doing="checking the file", done=0, total=1)
    await asyncio.to_thread(check_whole, path, lambda: on_progress(tick))
    on_progress(Step(doing="checking the file", done=1, total=1))


def _refuse_parts_of(database: Path | None, backup: Path) -> None:
    """
    Check that a backup is neither the database nor one of its files.

    Raises:
        InvalidInput: it is one of them.
    """
    names = () if database is None else (beside(database, side) for side in ("", *SIDES))
    if any(backup.exists() and name.exists() and name.samefile(backup) for name in names):
        raise InvalidInput(f"{backup} is the database itself, or belongs to it: name another file")


def _forget(path: Path) -> None:
    for name in ("", *SIDES):
        beside(path, name).unlink(missing_ok=True)
