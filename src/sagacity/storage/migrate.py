"""Bring a database's schema up to this release, or leave it untouched and say why."""

from pathlib import Path

import sqlalchemy as sa
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy.ext.asyncio import AsyncEngine

from sagacity.domain.errors import SchemaMismatch
from sagacity.storage.tables import metadata

_SCRIPTS = Path(__file__).parent / "migrations"


async def check(engine: AsyncEngine) -> None:
    """
    Make sure, without writing, that *engine*'s database is empty or of a release that this one knows.

    Raises:
        SchemaMismatch: a newer release, or another program, wrote the database.
    """
    async with engine.connect() as connection:
        await connection.run_sync(lambda sync: _check(sync, _scripts(), _present(sync)))


async def migrate(engine: AsyncEngine, *, to: str = "head") -> None:
    """
    Run the migrations that *engine*'s database has not seen yet, in one transaction.

    Raises:
        SchemaMismatch: a newer release, or another program, wrote the database; it is left untouched.
    """
    async with engine.begin() as connection:
        await connection.run_sync(_migrate, to)


def _migrate(connection: sa.Connection, to: str) -> None:
    script = _scripts()
    present = _present(connection)
    _check(connection, script, present)
    if present == script.get_current_head():
        return

    def upgrade(revision: object, _context: object) -> list[object]:
        return script._upgrade_revs(to, revision)  # type: ignore[reportPrivateUsage, return-value]  # noqa: SLF001

    with EnvironmentContext(Config(), script, fn=upgrade, destination_rev=to) as environment:  # type: ignore[arg-type]
        environment.configure(connection=connection, target_metadata=metadata, transactional_ddl=False)
        environment.run_migrations()


def _scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    return ScriptDirectory.from_config(config)


def _present(connection: sa.Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _check(connection: sa.Connection, script: ScriptDirectory, present: str | None) -> None:
    known = {revision.revision for revision in script.walk_revisions()}
    if present is not None and present not in known:
        raise SchemaMismatch(
            f"the database has schema {present}, which this release does not know: a newer one wrote it. "
            "Upgrade Sagacity, or restore a backup from before. Nothing was changed."
        )
    if present is None and sa.inspect(connection).get_table_names():
        raise SchemaMismatch(
            "the database holds tables that Sagacity did not make. Name another file. Nothing was changed."
        )
