"""PostgreSQL's own tools, as `docs/howto/back-up-and-reindex.md` says to use them: a dump is whole, and is restored."""

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from conftest import PROGRAM
from sagacity.storage.schema.tables import metadata
from support.local_servers import SUPERUSER, PostgresServer
from support.parts import ORG, CountingIds, StoppedClock, migrated, opened, said

pytestmark = pytest.mark.own_database

OWNER = "sagacity_dump_owner"
"""Owns the tables and has no other right; other tests know nothing of it."""


def empty(server: PostgresServer) -> str:
    """Make a database as a superuser makes it for the owner; returns its name."""
    name = server.new_database()
    server.execute(f"alter database {name} owner to {OWNER}")
    server.execute("create extension vector", database=name)
    return name


def counts(server: PostgresServer, name: str) -> dict[str, object]:
    """Return the number of rows of each table."""
    return {
        table: server.execute(f"select count(*) from {table}", database=name)[0][0]
        for table in metadata.tables
    }


@pytest.fixture
async def database(postgres: PostgresServer, migrated_database: str) -> AsyncIterator[str]:
    """One with a turn in it, whose tables belong to a role that is no superuser."""
    assert migrated_database  # so the program's role is there
    postgres.execute(f"create role {OWNER} login noinherit")
    name = empty(postgres)
    url = postgres.url_of(name, PROGRAM)
    await migrated(url, owner_url=postgres.url_of(name, OWNER))
    async with opened(url, StoppedClock(), CountingIds()) as storage:
        await storage.append(ORG, said("I live in Porto."))
    yield name
    postgres.drop_database(name)
    postgres.execute(f"drop role {OWNER}")


def run(server: PostgresServer, program: str, *arguments: str) -> str:
    """Run one of PostgreSQL's programs; returns what it complains of."""
    done = subprocess.run([server.program(program), *arguments], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("role", [OWNER, SUPERUSER])
async def test_dump_has_every_row_and_is_restored(
    postgres: PostgresServer, database: str, role: str, tmp_path: Path
) -> None:
    """By the options of the page; the program works on what was restored."""
    dump, restored = str(tmp_path / "dump"), empty(postgres)
    try:
        source, target = postgres.url_of(database, role), postgres.url_of(restored, role)
        options = ("--format=custom", "--enable-row-security", "--no-comments", f"--file={dump}")
        assert run(postgres, "pg_dump", *options, source) == ""
        assert run(postgres, "pg_restore", "--exit-on-error", f"--dbname={target}", dump) == ""
        rows = counts(postgres, restored)
        assert rows == counts(postgres, database)
        assert rows["interactions"] == 1
        url = postgres.url_of(restored, PROGRAM)
        async with opened(url, StoppedClock(), CountingIds("more")) as storage:
            await storage.append(ORG, said("I moved to Lyon.", request_id="r2"))
    finally:
        postgres.drop_database(restored)


def test_owner_who_does_not_ask_for_row_security_gets_no_dump(
    postgres: PostgresServer, database: str, tmp_path: Path
) -> None:
    """The policies bind the owner as well, and a dump refuses to leave rows out unasked."""
    complaint = run(postgres, "pg_dump", f"--file={tmp_path / 'dump'}", postgres.url_of(database, OWNER))
    assert "row-level security" in complaint
