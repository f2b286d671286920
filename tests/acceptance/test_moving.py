"""A database moved, backed up and restored by commands, while servers run and processes are killed."""

import asyncio
import json
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds
from sagacity.storage.open import open_storage
from support.furnished import FURNISHED, furnished_database, furnished_file
from support.local_servers import PostgresServer
from support.parts import ORG, said
from support.program import QUIET, sagacity
from support.server import clean_environment, running_server

__all__ = ["furnished_database", "furnished_file"]
WAIT_SECONDS = 60.0


@pytest.fixture
def empty_postgres(postgres: PostgresServer) -> Iterator[tuple[str, str]]:
    """A PostgreSQL database without any table: as the program's role, with a password, and as its owner."""
    name = postgres.new_database()
    url = postgres.url_of(name, "sagacity_app").replace("sagacity_app@", "sagacity_app:very-secret@")
    yield url, postgres.url_of(name)
    postgres.drop_database(name)


def test_everything_moves_to_postgresql_and_back(
    tmp_path: Path, furnished_file: Path, empty_postgres: tuple[str, str]
) -> None:
    """The tables are made, all rows arrive, a server goes on with them; no password is ever shown."""
    url, owner = empty_postgres
    env = {"SAGACITY_MIGRATION_URL": owner}
    there = ("migrate-data", "--from", f"sqlite:///{furnished_file}", "--to", url, "--json")
    moved = sagacity(*there, home=tmp_path, env=env)
    assert moved.code == 0, moved.err
    counts = {table["table"]: table["rows"] for table in moved.data}
    assert counts["interactions"] > 200
    assert counts["search_documents"] > 200
    assert moved.meta["verified"] is True
    assert moved.meta["rows"] == sum(counts.values())
    again = sagacity(*there, home=tmp_path, env=env)
    assert again.data == moved.data
    back = sagacity("migrate-data", "--from", url, "--to", f"sqlite:///{tmp_path / 'back.db'}", home=tmp_path)
    assert back.code == 0, back.err
    assert f"{moved.meta['rows']:,} rows are copied and verified" in back.out
    compared = sagacity(
        *there[:3], "--to", f"sqlite:///{tmp_path / 'back.db'}", "--verify-only", home=tmp_path
    )
    assert compared.code == 0, compared.err
    assert "very-secret" not in f"{moved.out}{moved.err}{back.out}{back.err}"


def test_wrong_ends_are_named_and_nothing_is_made(tmp_path: Path, furnished_file: Path) -> None:
    """The same database twice, a source that is not there, a target that does not answer, a url that is none."""
    source, missing = f"sqlite:///{furnished_file}", tmp_path / "missing.db"
    away = "postgresql://app:very-secret@127.0.0.1:1/sagacity"
    for ends, kind, words in (
        ((source, source), "InvalidInput", "same database"),
        (
            (source, f"sqlite:///{furnished_file.parent}/./{furnished_file.name}"),
            "InvalidInput",
            "same database",
        ),
        ((f"sqlite:///{missing}", source), "InvalidInput", "no database"),
        ((source, away), "StorageUnavailable", "cannot be reached"),
        ((source, "mysql://root:very-secret@host/db"), "ConfigError", "mysql"),
    ):
        ran = sagacity("migrate-data", "--from", ends[0], "--to", ends[1], "--json", home=tmp_path / "home")
        assert ran.error["type"] == kind, ran.err
        assert words in ran.error["message"]
        assert "very-secret" not in ran.err
        assert "Traceback" not in ran.err
    assert not missing.exists()


@pytest.mark.full
def test_killed_at_any_moment_the_same_command_goes_on(tmp_path: Path) -> None:
    """Killed again and again, it ends with all rows, and none twice."""
    source, target = tmp_path / "source.db", tmp_path / "target.db"
    asyncio.run(_many_turns(f"sqlite:///{source}"))
    command = ("migrate-data", "--from", f"sqlite:///{source}", "--to", f"sqlite:///{target}", "--json")
    sizes = [
        _killed_when_it_has(command, target, size, tmp_path) for size in (1, 500_000, 900_000, 1_300_000)
    ]
    assert any(sizes)
    ran = sagacity(*command, home=tmp_path)
    assert ran.code == 0, ran.err
    assert {table["table"]: table["rows"] for table in ran.data}["interactions"] == 3_000


async def _many_turns(url: str) -> None:
    storage = await open_storage(url, clock=SystemClock(), ids=TimeOrderedIds())
    async with storage.begin(ORG) as tx:
        await tx.organisation.ensure()
    for number in range(10):
        turns = [f"turn {number} {turn} of many words" for turn in range(300)]
        await storage.append(ORG, said(*turns, request_id=f"r{number}", user_id=f"u{number}"))
    await storage.close()


def _killed_when_it_has(command: tuple[str, ...], target: Path, size: int, home: Path) -> bool:
    """Run it, and kill it as soon as the target has so many bytes; returns whether it was still running."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sagacity", *command],
        env=clean_environment(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + WAIT_SECONDS
    while process.poll() is None and _bytes_of(target) < size:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    was_running = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait(WAIT_SECONDS)
    return was_running


def _bytes_of(database: Path) -> int:
    files = (database, database.with_name(database.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def test_a_server_is_backed_up_while_it_runs_and_brought_back(tmp_path: Path) -> None:
    """What it had learned by then is there again; what came later is kept aside."""
    home, kept = tmp_path / "home", tmp_path / "kept.db"
    listed = ("profiles", "list", "-u", "ana", "--json")
    with running_server(home, QUIET) as server:
        add = ("profiles", "add", "-u", "ana", "--content")
        sagacity(*add, "Is vegetarian.", home=home, url=server.url)
        made = sagacity("backup", str(kept), "--json", home=home)
        assert made.code == 0, made.err
        held = {"organisations": 1, "users": 1, "turns": 0, "memories": 1}
        assert made.data == {"path": str(kept), "size_bytes": kept.stat().st_size, "holds": held}
        sagacity(*add, "Came later.", home=home, url=server.url)
        busy = sagacity("restore", str(kept), "--force", "--json", home=home)
        assert busy.code == 1
        assert "stop the server" in busy.error["message"]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    refused = sagacity("restore", str(kept), "--json", home=home)
    assert (refused.code, refused.error["type"]) == (2, "InvalidInput")
    assert "--force" in refused.error["message"]
    done = sagacity("restore", str(kept), "--force", "--json", home=home)
    assert done.code == 0, done.err
    assert (home / done.data["kept_aside"]).exists()
    assert done.data["holds"] == held
    assert sagacity("restore", str(kept), home=tmp_path / "other").out == (
        "restored and verified: 1 organisation, 1 user, 0 turns, 1 memory\n"
    )
    for folder in (home, tmp_path / "other"):
        with running_server(folder, QUIET) as server:
            found = sagacity(*listed, home=folder, url=server.url).data
        assert [profile["content"] for profile in found] == ["Is vegetarian."]


def test_postgresql_is_backed_up_into_a_file(
    tmp_path: Path, request: pytest.FixtureRequest, empty_postgres: tuple[str, str]
) -> None:
    """The same command and the same kind of file; it is restored into another PostgreSQL database."""
    full = {"SAGACITY_DATABASE_URL": FURNISHED["postgresql"](request)}
    made = sagacity("backup", str(tmp_path / "kept.db"), "--json", home=tmp_path, env=full)
    assert made.code == 0, made.err
    url, owner = empty_postgres
    empty = {"SAGACITY_DATABASE_URL": url, "SAGACITY_MIGRATION_URL": owner}
    assert (
        sagacity("restore", str(tmp_path / "kept.db"), "--force", "--json", home=tmp_path, env=empty).code
        == 2
    )
    done = sagacity("restore", str(tmp_path / "kept.db"), "--json", home=tmp_path, env=empty)
    assert done.code == 0, done.err
    assert done.data["holds"] == made.data["holds"]
    assert min(done.data["holds"].values()) >= 2
    ends = ("--from", full["SAGACITY_DATABASE_URL"], "--to", url)
    compared = sagacity("migrate-data", *ends, "--verify-only", "--json", home=tmp_path)
    assert compared.code == 0, compared.err
    assert compared.meta["rows"] > 500


def test_without_a_database_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    """And none is made."""
    ran = sagacity("backup", str(tmp_path / "kept.db"), "--json", home=tmp_path / "home")
    assert (ran.code, ran.error["type"]) == (2, "InvalidInput")
    assert json.dumps(str(tmp_path / "home" / "sagacity.db"))[1:-1] in ran.error["message"]
    assert not (tmp_path / "home").exists() or not (tmp_path / "home" / "sagacity.db").exists()
    assert not (tmp_path / "kept.db").exists()
