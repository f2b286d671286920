"""A url becomes a Storage; the only file that names a backend."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from sagacity.domain.clock import Clock
from sagacity.domain.errors import ConfigError
from sagacity.domain.ids import IdSource
from sagacity.storage.sqlite import SQLite
from sagacity.storage.transaction import Storage


async def open_storage(url: str, *, clock: Clock, ids: IdSource) -> Storage:
    """
    Open the database at *url* and bring its schema up to this release.

    Args:
        url: `sqlite:///relative/file.db` or `sqlite:////absolute/file.db`.
        clock: where times come from.
        ids: where identifiers come from.

    Raises:
        ConfigError: the url names no backend that there is.
        SchemaMismatch: a newer release, or another program, wrote the database; it is left untouched.
    """
    try:
        parsed = sa.make_url(url)
    except ArgumentError as error:
        raise ConfigError(
            "the database url does not parse; write it like sqlite:////data/sagacity.db"
        ) from error
    if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database == ":memory:":
        raise ConfigError(
            f"no storage for {parsed.get_backend_name()!r} urls; write one like sqlite:////data/sagacity.db"
        )
    storage = Storage(SQLite(Path(parsed.database).expanduser()), clock=clock, ids=ids)
    try:
        await storage.migrate()
    except BaseException:
        await storage.close()
        raise
    return storage
