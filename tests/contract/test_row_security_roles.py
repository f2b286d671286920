"""Every table of PostgreSQL is protected, and the program does not start as a role that is not bound by it."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa

from conftest import PROGRAM
from sagacity.domain.errors import ConfigError
from sagacity.storage.open import PostgresOptions, open_storage
from sagacity.storage.postgres.owner import refuse_old
from sagacity.storage.postgres.row_security import Rule, protect
from sagacity.storage.schema.tables import metadata
from sagacity.storage.schema.views import views
from support.local_servers import SUPERUSER, PostgresServer
from support.parts import CountingIds, StoppedClock
from support.program import sagacity

UNPROTECTED = """
select c.relname from pg_class c
where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'alembic_version'
and not (
    c.relrowsecurity and c.relforcerowsecurity
    and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant' and p.polroles = '{0}')
    and not exists (
        select from pg_policy p where p.polrelid = c.oid and p.polpermissive
        and not (p.polname = 'tenant' or p.polname = 'owner' and p.polroles = array[c.relowner]))
    and (
        not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'user_id')
        or exists (
            select from pg_policy p where p.polrelid = c.oid and p.polname = 'end_user'
            and not p.polpermissive and p.polcmd in ('r', '*') and p.polroles = '{0}')))
order by 1
"""
"""The tables on which something is missing or too much: not forced, not for everyone, a policy that lets more through,
a user's column without the user's policy."""


@dataclass
class Database:
    """One of this release, for a test that spoils it."""

    server: PostgresServer
    name: str

    def url(self, role: str) -> str:
        return self.server.url_of(self.name, role)

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        return self.server.execute(statement, database=self.name)


@pytest.fixture
def database(postgres: PostgresServer, migrated_database: str) -> Iterator[Database]:
    name = postgres.new_database(template=migrated_database)
    yield Database(postgres, name)
    postgres.drop_database(name)


@pytest.fixture
def role(database: Database) -> Iterator[str]:
    """A role with the rights of the program's; other tests know nothing of it."""
    name = "sagacity_other"
    database.execute(f"create role {name} login noinherit")
    database.execute(f"grant select on all tables in schema public to {name}")
    yield name
    database.execute(f"drop owned by {name} cascade")
    database.execute(f"drop role {name}")


def unprotected(database: Database) -> list[object]:
    return [table for [table] in database.execute(UNPROTECTED)]


def test_every_table_is_protected(database: Database) -> None:
    """Row-level security is on and forced, for the tenant and, where rows have a user, for the user."""
    assert unprotected(database) == []
    [[count]] = database.execute("select count(*) from pg_policy where polname = 'tenant'")
    assert count == len(metadata.tables)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("create table diaries (org_id text)", "diaries"),
        ("create table diaries (org_id text) partition by hash (org_id)", "diaries"),
        ("alter table memories disable row level security", "memories"),
        ("alter table memories no force row level security", "memories"),
        ("drop policy tenant on memories", "memories"),
        ("drop policy end_user on memories", "memories"),
        ("create policy more on memories using (true)", "memories"),
        ("alter policy owner on memories to public", "memories"),
        ("alter policy tenant on memories to postgres", "memories"),
        ("alter table organisations add column user_id text", "organisations"),
    ],
)
def test_a_table_without_its_protection_is_found(database: Database, statement: str, found: str) -> None:
    """A table that someone adds, or a policy that someone loosens, fails the test before this one."""
    database.execute(statement)
    assert unprotected(database) == [found]


def test_a_new_table_with_its_policies_is_in_order(database: Database) -> None:
    """What a migration has to do for one is enough."""
    database.execute("create table diaries (org_id text, user_id text)")
    for statement in protect("diaries", Rule.OWN):
        database.execute(statement)
    assert unprotected(database) == []


def test_nothing_runs_with_the_owners_rights_but_the_views(database: Database) -> None:
    """No function does, no view is copied to disk, and no view asks a condition of a row that it hides."""
    namespace = "current_schema()::regnamespace"
    assert (
        database.execute(f"select proname from pg_proc where prosecdef and pronamespace = {namespace}") == []
    )
    assert (
        database.execute(f"select relname from pg_class where relkind = 'm' and relnamespace = {namespace}")
        == []
    )
    found = database.execute(
        f"select relname, reloptions from pg_class where relkind = 'v' and relnamespace = {namespace} order by 1"
    )
    assert found == [(name, ["security_barrier=true"]) for name in sorted(views.tables)]


async def refusal(database: Database, role: str, *, owner: str = "") -> str:
    """What opening the database says; it has to refuse."""
    options = PostgresOptions(owner_url=database.url(owner) if owner else "")
    with pytest.raises(ConfigError) as caught:
        await open_storage(database.url(role), clock=StoppedClock(), ids=CountingIds(), postgres=options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("alter role {role} superuser", "is a superuser"),
        ("alter role {role} bypassrls", "may bypass it"),
        ("alter role {role} createrole", "may make roles"),
        ("alter role {role} replication", "may replicate"),
        ("grant postgres to {role}", "may become one"),
        ("alter table memories owner to {role}", "owns the tables"),
    ],
)
async def test_role_that_is_not_bound_is_refused(
    database: Database, role: str, change: str, why: str
) -> None:
    """The program does not start as a role that could see all rows, and says what to do."""
    database.execute(change.format(role=role))
    said = await refusal(database, role)
    assert why in said
    assert "SAGACITY_DATABASE_URL" in said
    assert "SAGACITY_MIGRATION_URL" in said
    assert "sagacity migrate" in said


async def test_member_of_the_owners_role_is_refused(database: Database, role: str) -> None:
    """Also one that has to ask for the owner's rights first, and so does not have them yet."""
    database.execute("create role sagacity_tables")
    try:
        database.execute("grant create on schema public to sagacity_tables")
        database.execute("alter table memories owner to sagacity_tables")
        database.execute(f"grant sagacity_tables to {role} with inherit false")
        assert "owns the tables" in await refusal(database, role)
        database.execute(f"revoke sagacity_tables from {role}")
        storage = await open_storage(database.url(role), clock=StoppedClock(), ids=CountingIds())
        await storage.close()
    finally:
        database.execute("drop owned by sagacity_tables cascade")
        database.execute("drop role sagacity_tables")


@pytest.mark.parametrize("change", ["disable row level security", "no force row level security"])
async def test_table_whose_protection_was_switched_off_is_refused(database: Database, change: str) -> None:
    """Somebody who helps himself with ALTER TABLE is told by the next start."""
    database.execute(f"alter table changes {change}")
    assert "row-level security is off for changes" in await refusal(database, PROGRAM)


async def test_role_is_made_without_telling_its_password(database: Database) -> None:
    """The server gets the password's verifier only, and its log has neither."""
    role, password = "made_with_password", "it's 100% \\secret"
    database.execute(f"alter database {database.name} set log_statement = 'all'")
    url = sa.make_url(database.url(role)).set(password=password).render_as_string(hide_password=False)
    options = PostgresOptions(owner_url=database.url(SUPERUSER))
    storage = await open_storage(url, clock=StoppedClock(), ids=CountingIds(), postgres=options)
    await storage.close()
    [(kept,)] = database.execute(f"select rolpassword from pg_authid where rolname = '{role}'")
    assert str(kept).startswith("SCRAM-SHA-256$")
    assert f'CREATE ROLE "{role}"' in database.server.logs
    assert "secret" not in database.server.logs
    database.execute(f"drop owned by {role}; drop role {role}")


async def test_owner_is_no_role_for_the_program(database: Database) -> None:
    """The url of the owner in both settings is refused, and takes nothing from the owner."""
    assert "which is a superuser" in await refusal(database, SUPERUSER, owner=SUPERUSER)
    storage = await open_storage(
        database.url(PROGRAM),
        clock=StoppedClock(),
        ids=CountingIds(),
        postgres=PostgresOptions(owner_url=database.url(SUPERUSER)),
    )
    assert await storage.organisations() == []
    await storage.close()


@pytest.mark.parametrize(
    ("number", "vector", "why"),
    [
        (140_011, "0.8.0", "PostgreSQL 15 or newer is needed, but this is 14"),
        (150_000, None, "no pgvector"),
        (180_006, "0.7.4", "pgvector 0.7.4"),
        (180_006, "0.5.1", "0.8 or newer"),
    ],
)
def test_server_that_is_too_old_is_refused(number: int, vector: str | None, why: str) -> None:
    """A server or a pgvector that misses what searches need is named, with what is needed."""
    with pytest.raises(ConfigError, match=why):
        refuse_old(number, vector)


@pytest.mark.parametrize(("number", "vector"), [(150_000, "0.8.0"), (180_006, "0.10.1"), (170_002, "1.0")])
def test_server_that_is_new_enough_is_taken(number: int, vector: str) -> None:
    """Versions are compared as numbers, part by part."""
    refuse_old(number, vector)


@pytest.mark.parametrize(("version", "why"), [(None, "no pgvector"), ("0.7.4", "pgvector 0.7.4")])
async def test_real_server_without_a_new_pgvector_is_refused(
    postgres: PostgresServer, version: str | None, why: str
) -> None:
    """A server that offers none, or an old one, is refused before anything is written."""
    database = Database(postgres, postgres.new_database())
    with tempfile.TemporaryDirectory() as name:  # pytest's own are closed to the server's account
        folder = Path(name) / "extension"
        folder.mkdir()
        folder.parent.chmod(0o755)
        if version:
            (folder / "vector.control").write_text(f"default_version = '{version}'\n")
        database.execute(f"alter database {database.name} set extension_control_path = '{name}'")
        assert why in await refusal(database, PROGRAM, owner=SUPERUSER)
    assert database.execute("select relname from pg_class where relnamespace = 'public'::regnamespace") == []
    postgres.drop_database(database.name)


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["migrate"]])
def test_commands_refuse_the_owner_as_the_programs_role(
    database: Database, tmp_path: Path, command: list[str]
) -> None:
    """`sagacity serve` and `sagacity migrate` end with what to do, and show no password."""
    url = database.url(SUPERUSER).replace("@", ":s3cret@")
    ran = sagacity(*command, home=tmp_path, env={"SAGACITY_DATABASE_URL": url, "SAGACITY_MIGRATION_URL": url})
    assert ran.code == 1, ran.err
    assert "row-level security does not bind the role 'postgres', which is a superuser" in ran.err
    assert "s3cret" not in ran.out + ran.err
    assert "Traceback" not in ran.err
