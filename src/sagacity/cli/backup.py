"""`sagacity backup` and `sagacity restore`: the whole database to one file, and back."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli.output import said, show
from sagacity.cli.steps import stepping
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from sagacity.storage.transfer.backup import BackupInfo, Holds, Restored
    from sagacity.storage.transfer.copy import Step


def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="File to write.")],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """
    Back up everything into one file, while servers run.

    The file is an SQLite database of one moment, whatever the configured database is. It gets its name only
    once it is complete and verified. It holds conversations: protect it accordingly. API keys in it are
    encrypted.

    Example: sagacity backup /backups/sagacity-2026-01-31.db
    """
    with stepping() as report:
        kept = asyncio.run(_back_up(file.expanduser(), report, force=force))
    show(context, kept, said(f"{kept.path}: {kept.size_bytes:,} bytes, verified: {_counted(kept.holds)}"))


def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file written by `sagacity backup`.")],
    *,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Replace an SQLite database that holds data; it is kept under another name."
        ),
    ] = False,
) -> None:
    """
    Restore a backup into the configured, empty database.

    Stop the servers first. The file may come from an older release; it is not changed.

    Example: sagacity restore /backups/sagacity-2026-01-31.db
    """
    with stepping() as report:
        done = asyncio.run(_restore(file.expanduser(), report, force=force))
    aside = f"; the former database is now {done.kept_aside}" if done.kept_aside else ""
    show(context, done, said(f"restored and verified: {_counted(done.holds)}{aside}"))


def _counted(holds: "Holds") -> str:
    held = {
        "organisation": holds.organisations,
        "user": holds.users,
        "turn": holds.turns,
        "memory": holds.memories,
    }
    return ", ".join(counted(count, noun) for noun, count in held.items())


async def _back_up(path: Path, report: "Callable[[Step], None]", *, force: bool) -> "BackupInfo":
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.domain.clock import SystemClock  # noqa: PLC0415  with it
    from sagacity.maintenance import open_whole  # noqa: PLC0415  it loads the whole server
    from sagacity.storage.open import open_file  # noqa: PLC0415  with it
    from sagacity.storage.transfer.backup import back_up  # noqa: PLC0415  with it
    from sagacity.storage.transfer.known_backups import note_backup  # noqa: PLC0415  with it

    settings = load_settings()
    async with open_whole(settings, settings.storage_url, as_found=True) as source:
        kept = await back_up(source, path.absolute(), open_file, report, replace=force)
    note_backup(settings.home.expanduser(), path.absolute(), SystemClock().now())
    return kept


async def _restore(path: Path, report: "Callable[[Step], None]", *, force: bool) -> "Restored":
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.domain.clock import SystemClock  # noqa: PLC0415  with it
    from sagacity.maintenance import open_whole  # noqa: PLC0415  it loads the whole server
    from sagacity.storage.open import file_of, open_file  # noqa: PLC0415  with it
    from sagacity.storage.transfer.backup import restore_file, restore_rows  # noqa: PLC0415  with it

    settings = load_settings()
    now = SystemClock().now()
    if (database := file_of(settings.storage_url)) is not None:
        return await restore_file(path.absolute(), database, open_file, report, force=force, now=now)
    if force:
        raise InvalidInput(
            "--force is for SQLite: make a new PostgreSQL database and name it in SAGACITY_DATABASE_URL"
        )
    async with open_whole(settings, settings.storage_url) as target:
        return await restore_rows(path.absolute(), target, open_file, report, now=now)
