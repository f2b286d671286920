"""What a PostgreSQL database is made of, as its catalogue tells it, and the release that is to come."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from sagacity.storage.postgres.driver import engine_for
from sagacity.storage.schema.migrate import VERSIONS, migrate
from sagacity.storage.schema.views import OLDEST_SCHEMA
from support.local_servers import PostgresServer

_OURS = "relnamespace = current_schema()::regnamespace and relname not like 'alembic_version%'"
_QUESTIONS = {
    "tables": f"select relname, relkind, reloptions from pg_class where {_OURS} and relkind <> 'i'",
    "columns": (
        "select relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, "
        "pg_get_expr(adbin, adrelid) from pg_class join pg_attribute on attrelid = pg_class.oid "
        "left join pg_attrdef on adrelid = attrelid and adnum = attnum "
        f"where {_OURS} and relkind = 'r' and attnum > 0 and not attisdropped"
    ),
    "indexes": (
        f"select pg_get_indexdef(indexrelid) from pg_index join pg_class on pg_class.oid = indrelid where {_OURS}"
    ),
    "constraints": (
        "select relname, conname, pg_get_constraintdef(pg_constraint.oid) from pg_constraint "
        f"join pg_class on pg_class.oid = conrelid where {_OURS}"
    ),
    "views": f"select relname, pg_get_viewdef(oid) from pg_class where {_OURS} and relkind = 'v'",
}
_ACCESS = (
    "select relname, pg_get_userbyid(grantee), string_agg(privilege_type, ' ' order by privilege_type) "
    "from pg_class, aclexplode(relacl) where relnamespace = current_schema()::regnamespace "
    "and grantee <> relowner group by 1, 2"
)

Schema = dict[str, list[str]]


def schema_of(server: PostgresServer, database: str) -> Schema:
    """Tables, columns, indexes, keys, views, each as sorted lines."""
    return {
        name: sorted(map(repr, server.execute(question, database=database)))
        for name, question in _QUESTIONS.items()
    }


def protection_of(server: PostgresServer, database: str) -> list[str]:
    """Every policy, trigger and right, as sorted lines."""
    questions = (
        (
            "select polrelid::regclass, polname, polcmd, polpermissive, polroles, pg_get_expr(polqual, polrelid), "
            "pg_get_expr(polwithcheck, polrelid) from pg_policy"
        ),
        "select tgrelid::regclass, tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal",
        _ACCESS,
    )
    return sorted(repr(row) for one in questions for row in server.execute(one, database=database))


def rights_of(server: PostgresServer, database: str, role: str) -> dict[object, object]:
    """What *role* may do with which relation, beyond what belongs to all."""
    rows = server.execute(_ACCESS, database=database)
    return {relation: rights for relation, grantee, rights in rows if grantee == role}


def owner_engine(server: PostgresServer, database: str) -> AsyncEngine:
    """What opens transactions as the owner."""
    engine = engine_for(sa.make_url(server.url_of(database)), connections=1, pooler=False, vectors=False)
    return engine.execution_options(isolation_level="READ COMMITTED")


async def migrate_whole(server: PostgresServer, database: str) -> None:
    """Make *database* one of this release; with `next_release`, one of that."""
    engine = owner_engine(server, database)
    await migrate(engine.begin)
    await engine.dispose()


@contextmanager
def next_release() -> Iterator[None]:
    """Let this process be the next release, with a migration more: `tests/migration/next`."""
    folder = Path(__file__).parents[1] / "migration" / "next"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sagacity.storage.schema.migrate.VERSIONS", (*VERSIONS, folder))
        yield


@contextmanager
def former_release(folder: Path) -> Iterator[None]:
    """Let this process migrate no further than the oldest release beside which this one runs; *folder* is its own."""
    folder.mkdir()
    for script in VERSIONS[0].glob("*.py"):
        if script.name.partition("_")[0] <= OLDEST_SCHEMA:
            (folder / script.name).write_text(script.read_text())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sagacity.storage.schema.migrate.VERSIONS", (folder,))
        yield
