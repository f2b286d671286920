"""Open the Storage at a URL; the only file that names a backend."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from sagacity.domain.clock import Clock
from sagacity.domain.errors import ConfigError, InvalidInput
from sagacity.domain.ids import IdSource
from sagacity.storage.base import Backend, uncounted
from sagacity.storage.schema.migrate import SchemaChange, be_of_this_release
from sagacity.storage.sqlite.backend import SQLite
from sagacity.storage.transaction import Storage
from sagacity.storage.work.operation_slots import TURNS

if TYPE_CHECKING:
    from sagacity.storage.qdrant.store import QdrantStore

_EXAMPLES = "sqlite:////data/sagacity.db or postgresql://role:password@host:5432/database"
_PORT = 5432


@dataclass(frozen=True, slots=True)
class PostgresOptions:
    """How a PostgreSQL database is reached."""

    owner_url: str = ""
    """The URL of the same database with the role that owns its tables; if set, opening migrates."""
    connections: int = 10
    pooler: bool = False
    """Whether connections go through a transaction pooler."""


async def open_storage(
    url: str,
    *,
    clock: Clock,
    ids: IdSource,
    postgres: PostgresOptions | None = None,
    vector_store: "QdrantStore | None" = None,
    operation_slots: int = TURNS,
    quiet_seconds: float = 0.0,
    count_tokens: Callable[[str], int] = uncounted,
) -> Storage:
    """
    Open the database at *url*, and migrate its schema to this release or check that it is up to date.

    Args:
        url: `sqlite:////absolute/file.db`, or `postgresql://role:password@host:5432/database`.
        clock: the source of times.
        ids: the source of identifiers.
        postgres: how to connect to PostgreSQL; ignored for SQLite.
        vector_store: the store that vectors are copied to and searched in; closed with the storage.
        operation_slots: how many users an organisation's operations work on at a time.
        quiet_seconds: how long after a publish its log becomes due; 0: at once.
        count_tokens: counts the tokens of a memory when it is written.

    Raises:
        ConfigError: the URL names an unknown backend, or a role that row-level security does not bind.
        SchemaMismatch: a newer release, or another program, wrote the database; it is left untouched.
    """
    backend = _backend(_parsed(url), postgres or PostgresOptions())
    if vector_store is not None:
        from sagacity.storage.qdrant.search import QdrantVectors  # noqa: PLC0415  its packages are an extra

        backend.vectors = QdrantVectors(vector_store, backend.vectors)
    storage = Storage(
        backend,
        clock=clock,
        ids=ids,
        vector_store=vector_store,
        operation_slots=operation_slots,
        quiet_seconds=quiet_seconds,
        count_tokens=count_tokens,
    )
    try:
        await storage.migrate()
    except BaseException:
        await storage.close()
        raise
    return storage


async def open_backend(
    url: str, *, postgres: PostgresOptions | None = None, as_found: bool = False
) -> Backend:
    """
    Open only the backend of the database at *url*, for work on the whole database.

    Args:
        url: as for `open_storage`.
        postgres: how to connect to PostgreSQL; ignored for SQLite.
        as_found: neither create nor migrate the database.

    Raises:
        ConfigError: as for `open_storage`.
        InvalidInput: *as_found*, and the file does not exist.
        SchemaMismatch: the schema is that of a newer release, of another program or, *as_found*, of an older release.
    """
    options = postgres or PostgresOptions()
    if as_found:
        options = replace(options, owner_url="")
    return await _ready(_backend(_parsed(url), options, as_found=as_found))


async def migrate_database(url: str, *, postgres: PostgresOptions | None = None) -> SchemaChange:
    """
    Bring the schema of the database at *url* up to this release, and say what was found.

    Raises:
        ConfigError: as for `open_storage`.
        SchemaMismatch: as for `open_storage`.
    """
    backend = _backend(_parsed(url), postgres or PostgresOptions())
    try:
        return await backend.migrate()
    finally:
        await backend.close()


async def open_file(path: Path) -> Backend:
    """
    Open only the backend of an SQLite file, and migrate its schema; an empty file becomes a database.

    Raises:
        SchemaMismatch: a newer release, or another program, wrote it; it is left untouched.
    """
    return await _ready(SQLite(path))


async def _ready(backend: Backend) -> Backend:
    try:
        await backend.migrate()
        async with backend.read(None) as connection:
            await be_of_this_release(connection)
    except BaseException:
        await backend.close()
        raise
    return backend


def file_of(url: str) -> Path | None:
    """Return the file of *url*, whether it exists or not; None for a database server."""
    parsed = _parsed(url)
    return _path(parsed) if parsed.get_backend_name() == "sqlite" else None


def is_same(url: str, other: str) -> bool:
    """Return whether two URLs name the same database, whatever the role and password."""
    if (file := file_of(url)) is not None:
        return file == file_of(other)
    one, two = _parsed(url), _parsed(other)
    return (one.host, one.port or _PORT, one.database) == (two.host, two.port or _PORT, two.database)


def open_vector_store(url: str, api_key: str) -> "QdrantStore | None":
    """
    Open the Qdrant server at *url*, without connecting yet; None for an empty URL.

    Raises:
        ConfigError: the URL is invalid, or the client's package is not installed.
    """
    if not url:
        return None
    try:
        from sagacity.storage.qdrant.store import QdrantStore  # noqa: PLC0415  its packages are an extra
    except ImportError as error:
        raise ConfigError(
            "SAGACITY_VECTOR_URL needs one more package: uv pip install -e '.[qdrant]' in the checkout"
        ) from error
    return QdrantStore(url, api_key)


def _parsed(url: str) -> sa.URL:
    try:
        return sa.make_url(url)
    except ArgumentError as error:
        raise ConfigError(f"the database URL is not valid; write it like {_EXAMPLES}") from error


def _path(url: sa.URL) -> Path:
    return Path(url.database or "").expanduser().resolve()


def _backend(url: sa.URL, postgres: PostgresOptions, *, as_found: bool = False) -> Backend:
    match url.get_backend_name():
        case "sqlite" if url.database and url.database != ":memory:":
            if as_found and not _path(url).is_file():
                raise InvalidInput(f"there is no database {_path(url)}")
            return SQLite(_path(url), as_found=as_found)
        case "postgresql":
            return _postgres(url, postgres)
        case name:
            raise ConfigError(f"no storage for {name!r} URLs; write one like {_EXAMPLES}")


def _postgres(url: sa.URL, options: PostgresOptions) -> Backend:
    try:
        from sagacity.storage.postgres.backend import Postgres  # noqa: PLC0415  its packages are an extra
    except ImportError as error:
        raise ConfigError(
            "PostgreSQL needs more packages: uv pip install -e '.[postgres]' in the checkout"
        ) from error
    return Postgres(
        url,
        owner=_parsed(options.owner_url) if options.owner_url else None,
        connections=options.connections,
        pooler=options.pooler,
    )
