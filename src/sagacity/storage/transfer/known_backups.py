"""A list of existing backups, one line each in a file of the home folder, so that an erasure can name them."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from sagacity.domain.base import Value
from sagacity.domain.errors import StorageError
from sagacity.storage.sqlite.file import SIDES

_NAME = "backups.jsonl"
_PERMISSIONS = 0o600


class KnownBackup(Value):
    """A backup file."""

    path: str
    made_at: datetime | None = None
    """When it was made; None if that was not recorded."""


def note_backup(home: Path, path: Path, made_at: datetime) -> None:
    """
    Record that a backup was made.

    Raises:
        StorageError: the home folder cannot be written.
    """
    line = KnownBackup(path=str(path), made_at=made_at).model_dump_json()
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        number = os.open(home / _NAME, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _PERMISSIONS)
        with os.fdopen(number, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    except OSError as error:
        raise StorageError(
            f"the backup is complete, but {home / _NAME} cannot be written: {error}"
        ) from error


def known_backups(home: Path, database: Path | None) -> Sequence[KnownBackup]:
    """Return the recorded backups, and the files that restores kept beside an SQLite *database*."""
    found: dict[str, KnownBackup] = {}
    try:
        lines = (home / _NAME).read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        try:
            one = KnownBackup.model_validate_json(line)
        except ValidationError:  # a line cut short by a full disk
            continue
        found[one.path] = one  # the newest record of a path describes the file that exists
    for path in () if database is None else sorted(database.parent.glob(f"{database.name}.before-restore-*")):
        if not path.name.endswith(SIDES):
            moved_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            found[str(path)] = KnownBackup(path=str(path), made_at=moved_at)
    return list(found.values())


def holds_user(path: Path, org_id: str, user_id: str) -> bool | None:
    """Return whether a backup contains a user; None if the backup is missing or cannot be read."""
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            query = "SELECT 1 FROM users WHERE org_id = ? AND user_id = ?"
            return connection.execute(query, (org_id, user_id)).fetchone() is not None
    except sqlite3.Error:
        return None
