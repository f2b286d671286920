"""Migrate a database's schema to this release, or leave it untouched and say why."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import sqlalchemy as sa
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from sagacity.domain.base import Value
from sagacity.domain.errors import SchemaMismatch
from sagacity.storage.schema.tables import metadata
from sagacity.storage.schema.views import supported_schemas

_SCRIPTS = Path(__file__).parent / "migrations"
VERSIONS = (_SCRIPTS / "versions",)
"""The folders of the migrations; tests add one of a future release."""


class SchemaChange(Value):
    """What a migration found, and what it left."""

    before: str = ""
    """The former schema; empty if there were no tables."""
    schema_now: str
    """That of this release, or of a newer one under which this one may run."""


async def check(engine: AsyncEngine, *, complete: bool = False) -> str:
    """
    Check, without writing, that *engine*'s database is empty, or of a release compatible with this one.

    Args:
        engine: opens the database.
        complete: require exactly this release's schema, because the caller may not migrate it.

    Returns:
        Its schema; empty if there are no tables.

    Raises:
        SchemaMismatch: a newer release or another program wrote the database, or it needs `sagacity migrate`.
    """

    def look(connection: sa.Connection) -> str:
        script, present = _scripts(), _present(connection)
        is_newer = _check(connection, script, present)
        if complete and not is_newer and present != script.get_current_head():
            found = f"schema {present}" if present else "no tables yet"
            raise SchemaMismatch(
                f"the database has {found}, and this release needs schema {script.get_current_head()}. "
                "Run `sagacity migrate` with SAGACITY_MIGRATION_URL set to its owner."
            )
        return present or ""

    async with engine.connect() as connection:
        return await connection.run_sync(look)


async def be_of_this_release(connection: AsyncConnection) -> None:
    """
    Check that a database has exactly this release's schema; a copy of a newer one would lose data.

    Raises:
        SchemaMismatch: it has another schema.
    """
    present, head = await connection.run_sync(_present), _scripts().get_current_head()
    if present != head:
        raise SchemaMismatch(
            f"the database has schema {present}, and this release {head}: use the release that wrote it. "
            "Nothing was changed."
        )


async def migrate(begin: Callable[[], AbstractAsyncContextManager[AsyncConnection]]) -> SchemaChange:
    """
    Run the migrations that a database lacks, in one transaction.

    Args:
        begin: opens a transaction with the right to create tables, for one process at a time.

    Raises:
        SchemaMismatch: a newer release, or another program, wrote the database; it is left untouched.
    """
    async with begin() as connection:
        return await connection.run_sync(_migrate)


def _migrate(connection: sa.Connection) -> SchemaChange:
    script = _scripts()
    present, head = _present(connection), script.get_current_head()
    if _check(connection, script, present) or present == head:
        return SchemaChange(before=present or "", schema_now=present or "")

    def upgrade(revision: object, _context: object) -> list[object]:
        return script._upgrade_revs("head", revision)  # type: ignore[reportPrivateUsage, return-value]  # noqa: SLF001

    with EnvironmentContext(Config(), script, fn=upgrade, destination_rev="head") as environment:  # type: ignore[arg-type]
        environment.configure(connection=connection, target_metadata=metadata, transactional_ddl=False)
        environment.run_migrations()
    return SchemaChange(before=present or "", schema_now=head or "")


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(_SCRIPTS), version_locations=[str(folder) for folder in VERSIONS])


def _present(connection: sa.Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _check(connection: sa.Connection, script: ScriptDirectory, present: str | None) -> bool:
    """Return whether the database is of a newer release that this one may still run with."""
    known = {revision.revision for revision in script.walk_revisions()}
    if present is not None and present not in known:
        if _oldest_that_runs(connection) in known:
            return True
        raise SchemaMismatch(
            f"the database has schema {present}, which this release does not know: a newer one wrote it. "
            "Upgrade Sagacity, or restore a backup from before. Nothing was changed."
        )
    if present is None and sa.inspect(connection).get_table_names():
        raise SchemaMismatch(
            "the database holds tables that Sagacity did not make. Name another one. Nothing was changed."
        )
    return False


def _oldest_that_runs(connection: sa.Connection) -> str | None:
    """Return the oldest schema whose release may still use this database; None if the database is not ours."""
    if supported_schemas.name not in sa.inspect(connection).get_view_names():
        return None
    return connection.execute(sa.select(supported_schemas.c.oldest)).scalar()
