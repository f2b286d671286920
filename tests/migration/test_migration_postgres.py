"""A PostgreSQL database of any age becomes what a new one is, or is left untouched."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from conftest import PROGRAM
from sagacity.domain.clock import SystemClock
from sagacity.domain.errors import SchemaMismatch, StorageError, StorageUnavailable
from sagacity.domain.ids import TimeOrderedIds
from sagacity.storage.open import PostgresOptions, migrate_database, open_storage
from sagacity.storage.postgres.owner import make_ready, numbered
from sagacity.storage.schema.tables import APPEND_ONLY, metadata
from sagacity.storage.schema.views import OLDEST_SCHEMA, views
from support.local_servers import PostgresServer
from support.parts import ANNA, ORG, OTHER_ORG, migrated, opened, said
from support.schemas import (
    Schema,
    former_release,
    migrate_whole,
    next_release,
    protection_of,
    rights_of,
    schema_of,
)
from support.waiting import until

pytestmark = pytest.mark.usefixtures("migrated_database")
"""With it comes the program's role, which databases of one server share: the first test of a process finds it, too."""


@pytest.fixture
def name(postgres: PostgresServer) -> Iterator[str]:
    """An empty database."""
    name = postgres.new_database()
    yield name
    postgres.drop_database(name)


@pytest.fixture(scope="module")
def declared(postgres: PostgresServer) -> Schema:
    """The schema as `tables.py` and `views.py` declare it."""
    name = postgres.new_database()
    postgres.execute("create extension vector", database=name)
    engine = sa.create_engine(
        postgres.url_of(name).replace("postgresql:", "postgresql+psycopg:"), poolclass=sa.NullPool
    )
    metadata.create_all(engine)
    engine.dispose()
    return schema_of(postgres, name)


async def brought_up(postgres: PostgresServer, name: str) -> None:
    await migrated(postgres.url_of(name, PROGRAM), owner_url=postgres.url_of(name))


def test_migrated_equals_declared(postgres: PostgresServer, migrated_database: str, declared: Schema) -> None:
    """Running every migration gives the schema that the code is written against."""
    name = postgres.new_database(template=migrated_database)
    assert schema_of(postgres, name) == declared
    assert {kind: len(lines) > 4 for kind, lines in declared.items()} == dict.fromkeys(declared, True)
    assert len(declared["columns"]) > 200


async def test_database_of_the_oldest_release_goes_forward(
    postgres: PostgresServer, name: str, migrated_database: str, declared: Schema, tmp_path: Path
) -> None:
    """What the first release wrote is then what a new one is, with its policies and rights, and has lost nothing."""
    url = postgres.url_of(name, PROGRAM)
    with former_release(tmp_path / "scripts"):
        await migrate_whole(postgres, name)
    assert schema_of(postgres, name) != declared
    await brought_up(postgres, name)
    async with opened(url, SystemClock(), TimeOrderedIds()) as storage:
        assert (await storage.append(ORG, said("tea"))).last_seq == 1
        assert await storage.answering_tenants() == []
    assert schema_of(postgres, name) == declared
    new = postgres.new_database(template=migrated_database)
    assert protection_of(postgres, name) == protection_of(postgres, new)


async def test_older_database_goes_forward(postgres: PostgresServer, name: str) -> None:
    """A database of the release before is migrated, keeps its policies and rights, and has lost nothing."""
    await brought_up(postgres, name)
    url = postgres.url_of(name, PROGRAM)
    async with opened(url, SystemClock(), TimeOrderedIds()) as storage:
        await storage.append(ORG, said("tea"))
    before = protection_of(postgres, name)
    with next_release():
        await brought_up(postgres, name)
        async with opened(url, SystemClock(), TimeOrderedIds()) as storage:
            assert (await storage.append(ORG, said("milk", request_id="r2"))).last_seq == 2
    assert [line for line in protection_of(postgres, name) if line not in before] == []
    assert any("'moods'" in line for line in schema_of(postgres, name)["tables"])


async def test_migration_says_what_it_did(postgres: PostgresServer, name: str, tmp_path: Path) -> None:
    """From which schema to which, once; whoever comes later finds nothing to do."""
    url, owner = postgres.url_of(name, PROGRAM), PostgresOptions(owner_url=postgres.url_of(name))
    with former_release(tmp_path / "former"):
        await migrate_whole(postgres, name)
    changed = await migrate_database(url, postgres=owner)
    assert (changed.before, changed.schema_now > OLDEST_SCHEMA) == (OLDEST_SCHEMA, True)
    for options in (owner, PostgresOptions()):
        found = await migrate_database(url, postgres=options)
        assert found.before == found.schema_now == changed.schema_now


async def test_open_again_changes_nothing(postgres: PostgresServer, name: str) -> None:
    """A database of this release is only looked at, also by its owner."""
    await brought_up(postgres, name)
    async with opened(postgres.url_of(name, PROGRAM), SystemClock(), TimeOrderedIds()) as storage:
        await storage.append(ORG, said("tea"))
    before = schema_of(postgres, name), protection_of(postgres, name)
    await brought_up(postgres, name)
    assert (schema_of(postgres, name), protection_of(postgres, name)) == before
    async with (
        opened(postgres.url_of(name, PROGRAM), SystemClock(), TimeOrderedIds()) as storage,
        storage.read(ORG) as snapshot,
    ):
        assert [turn.content for turn in await snapshot.interactions.log(ANNA, after_seq=0, limit=9)] == [
            "tea"
        ]


async def test_older_database_waits_for_its_owner(postgres: PostgresServer, name: str) -> None:
    """The program's role does not migrate: it says which command does."""
    for present in ("no tables yet", "schema 0002"):
        if present == "schema 0002":
            await brought_up(postgres, name)
        before = schema_of(postgres, name)
        with (
            next_release(),
            pytest.raises(SchemaMismatch, match=f"has {present}, .*`sagacity migrate`"),
        ):
            await open_storage(postgres.url_of(name, PROGRAM), clock=SystemClock(), ids=TimeOrderedIds())
        assert schema_of(postgres, name) == before


NOT_OURS = {
    "newer": [
        "create table alembic_version (version_num text)",
        "insert into alembic_version values ('future')",
    ],
    "foreign": ["create table recipes (name text)", "insert into recipes values ('soup')"],
    "foreign with alembic": [
        "create table recipes (name text)",
        "create table alembic_version (version_num text)",
        "insert into alembic_version values ('a1b2c3')",
    ],
}


@pytest.mark.parametrize("kind", NOT_OURS)
async def test_what_is_not_ours_is_left_untouched(postgres: PostgresServer, name: str, kind: str) -> None:
    """A newer release's or another program's database is refused, and nothing in it changes."""
    for statement in NOT_OURS[kind]:
        postgres.execute(statement, database=name)
    before = schema_of(postgres, name), protection_of(postgres, name)
    with pytest.raises(SchemaMismatch):
        await brought_up(postgres, name)
    assert (schema_of(postgres, name), protection_of(postgres, name)) == before
    assert postgres.execute("select count(*) from pg_extension where extname = 'vector'", database=name) == [
        (0,)
    ]


async def test_failed_migration_leaves_the_former_schema(postgres: PostgresServer, name: str) -> None:
    """A migration is one transaction: what fails at its very end leaves nothing behind, and can be run again."""
    await brought_up(postgres, name)
    postgres.execute("create view moods as select 1 as one", database=name)
    before = schema_of(postgres, name), protection_of(postgres, name)
    with next_release(), pytest.raises(StorageError, match="moods"):
        await brought_up(postgres, name)
    assert (schema_of(postgres, name), protection_of(postgres, name)) == before
    postgres.execute("drop view moods", database=name)
    with next_release():
        await brought_up(postgres, name)
    assert any("'mood'" in line for line in schema_of(postgres, name)["columns"])


OPENER = """
import asyncio, sys
from pathlib import Path
from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds
from sagacity.storage.open import PostgresOptions, open_storage
from support.parts import ORG, said

async def main(url, owner, name, gate):
    while not Path(gate).exists():
        await asyncio.sleep(0.001)
    options = PostgresOptions(owner_url=owner)
    storage = await open_storage(url, clock=SystemClock(), ids=TimeOrderedIds(), postgres=options)
    await storage.claim_index("model", 16)
    async with storage.begin(ORG) as transaction:
        await transaction.organisation.ensure()
    await storage.append(ORG, said(name, request_id=name))
    await storage.close()

print("ready", flush=True)
asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.full
async def test_processes_that_open_one_new_database_migrate_it_once(
    postgres: PostgresServer, name: str, tmp_path: Path, declared: Schema
) -> None:
    """Several processes that start on the same empty database at once all come up, the index of vectors included."""
    gate, urls = tmp_path / "gate", [postgres.url_of(name, PROGRAM), postgres.url_of(name)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, *urls, f"p{n}", str(gate)],
            env={"PYTHONPATH": ":".join(sys.path), "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for n in range(4)
    ]
    for process in running:
        assert process.stdout is not None
        assert await asyncio.to_thread(process.stdout.readline) == b"ready\n"
    gate.touch()
    for process in running:
        _, errors = await asyncio.to_thread(process.communicate, timeout=300)
        assert process.returncode == 0, errors.decode()
    graph = [line for line in schema_of(postgres, name)["indexes"] if "hnsw" in line]
    assert len(graph) == 1
    schema = schema_of(postgres, name)
    schema["indexes"].remove(graph[0])
    schema["tables"] = [line for line in schema["tables"] if "hnsw" not in line]
    assert schema == declared
    async with opened(urls[0], SystemClock(), TimeOrderedIds()) as storage, storage.read(ORG) as snapshot:
        turns = await snapshot.interactions.log(ANNA, after_seq=0, limit=9)
    assert {turn.content for turn in turns} == {"p0", "p1", "p2", "p3"}


async def test_program_has_the_rights_that_it_needs_and_no_others(
    postgres: PostgresServer, name: str
) -> None:
    """Rows of tables, reading of views, numbers; also where the server's defaults give everyone everything."""
    for role in (PROGRAM, "public"):
        postgres.execute(f"alter default privileges grant all on tables to {role}", database=name)
    await brought_up(postgres, name)
    rows = dict.fromkeys(metadata.tables, "DELETE INSERT SELECT UPDATE")
    rows |= {table.name: "INSERT SELECT" for table in APPEND_ONLY}
    read = dict.fromkeys(["alembic_version", *views.tables], "SELECT")
    numbers = {
        f"{table.name}_{column.name}_seq": "SELECT UPDATE USAGE" for table, column in numbered(metadata)
    }
    assert rights_of(postgres, name, PROGRAM) == rows | read | numbers
    for view in read:  # what everyone has, nobody has to be given
        assert postgres.execute(
            f"select has_table_privilege('pg_monitor', '{view}', 'SELECT')", database=name
        ) == [(False,)]
    schema = f"select has_schema_privilege('{PROGRAM}', 'public', 'CREATE')"
    assert postgres.execute(schema, database=name) == [(False,)]
    [made] = postgres.execute(
        f"select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = '{PROGRAM}'"
    )
    assert not any(made)


@pytest.fixture(scope="module")
def plain_owner(postgres: PostgresServer) -> Iterator[str]:
    """A role that is no superuser and may not make roles."""
    role = "sagacity_owner"
    postgres.execute(f"create role {role} login")
    yield role
    postgres.execute(f"drop role {role}")


async def test_tables_may_be_a_plain_roles_in_a_schema_of_its_own(
    postgres: PostgresServer, name: str, plain_owner: str
) -> None:
    """The owner needs no more than a schema, the search path says which, and pgvector may lie in another."""
    for statement in (
        "create schema extensions",
        "create extension vector schema extensions",
        f"create schema memory authorization {plain_owner}",
        f"grant usage on schema extensions to {PROGRAM}, {plain_owner}",
        f"alter role {PROGRAM} in database {name} set search_path = memory, extensions",
        f"alter default privileges for role {plain_owner} in schema memory grant all on tables to public",
    ):
        postgres.execute(statement, database=name)
    url, owner_url = postgres.url_of(name, PROGRAM), postgres.url_of(name, plain_owner)
    for _ in range(2):
        await migrated(url, owner_url=f"{owner_url}?options=-csearch_path%3Dmemory,extensions")
    in_public = "select count(*) from pg_class where relnamespace = 'public'::regnamespace"
    assert postgres.execute(in_public, database=name) == [(0,)]
    async with opened(url, SystemClock(), TimeOrderedIds()) as storage:
        await storage.claim_index("model", 16)
        assert (await storage.append(ORG, said("tea", session_id="s"))).last_seq == 1
        assert [scope.user_id for scope in await storage.due_scopes(limit=9)] == [ANNA]
        assert await storage.organisations() == [ORG, OTHER_ORG]
        async with storage.begin(ORG) as transaction:
            assert await transaction.interactions.delete_session("s") == 1
    with psycopg.connect(url) as program, psycopg.connect(owner_url) as owner:
        assert program.execute("select count(*) from users").fetchone() == (0,)
        owner.execute("set search_path = memory, extensions")
        assert owner.execute("select count(*) from users").fetchone() == (1,)


async def test_migration_stands_back_from_a_table_in_use(postgres: PostgresServer, name: str) -> None:
    """While a transaction holds a table, others get through all the same; the migration is done once it ends."""
    await migrate_whole(postgres, name)
    writing = "insert into organisations (org_id, created_at) values (%s, 1)"
    with psycopg.connect(postgres.url_of(name)) as holder:
        holder.execute("lock table interactions in row exclusive mode")
        migrating = asyncio.create_task(_brought_to_the_next(postgres, name))
        waiting = "select count(*) from pg_locks where not granted and relation = 'interactions'::regclass"

        async def waits() -> bool:
            return postgres.execute(waiting, database=name) == [(1,)]

        async with await psycopg.AsyncConnection.connect(postgres.url_of(name), autocommit=True) as other:
            for number in range(2):
                await until(waits)
                await other.execute(writing, [f"org-{number}"])
                # The migration holds this table while it waits for the other.
                await other.execute("update users set last_seq = 0")
        assert not migrating.done()
        holder.rollback()
    await asyncio.wait_for(migrating, 30)
    assert any("'moods'" in line for line in schema_of(postgres, name)["tables"])


async def _brought_to_the_next(postgres: PostgresServer, name: str) -> None:
    with next_release():
        await brought_up(postgres, name)


async def test_migration_that_gets_no_turn_says_so(postgres: PostgresServer, name: str) -> None:
    """A transaction that never ends is named as the reason, and nothing was changed."""
    await migrate_whole(postgres, name)
    before = schema_of(postgres, name)
    with psycopg.connect(postgres.url_of(name)) as holder:
        holder.execute("lock table interactions in row exclusive mode")
        owner, program = postgres.url_of(name), postgres.url_of(name, PROGRAM)
        with next_release(), pytest.raises(StorageUnavailable, match="pg_stat_activity"):
            await make_ready(sa.make_url(owner), sa.make_url(program), tries=1)
        holder.rollback()
    assert schema_of(postgres, name) == before
