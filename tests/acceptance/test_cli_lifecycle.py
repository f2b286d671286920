"""Learning anew by the program: started, watched, interrupted, cancelled, compared, taken into use and back."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagacity.cli.main import hoisted
from sagacity.cli.main import run as run_program
from sagacity.client import Sagacity
from sagacity.domain.clock import SystemClock
from sagacity.domain.cursor import Lease
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.open import open_storage
from support.parts import CountingIds
from support.program import QUIET, Ran
from support.server import ServerProcess, clean_environment, running_server

ANA = ("--user-id", "ana")
_PROGRAM = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from sagacity.cli.main import main; main()"
)
"""The program, interrupted by an interrupt also where whoever runs the tests ignores them."""


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[ServerProcess]:
    with running_server(home, QUIET) as process:
        with Sagacity(process.url) as client:
            for user_id in ("ana", "bo"):
                turns = [{"content": "I live in Lyon and I am vegetarian. Please always answer in French."}]
                request = client.publish_interaction(user_id, turns, force_extraction=True)
                client.wait_for_receipt(request.request_id)
        yield process


@pytest.fixture
def run(server: ServerProcess, capsys: pytest.CaptureFixture[str]):
    """The program in this process: what starts it is tested elsewhere, and takes longer than what it does here."""

    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run_program(hoisted([*arguments, "--server-url", server.url]))
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return call


def align_backwards(
    home: Path, lease: Lease | None = None, task: str = "regenerate", user_id: str = "ana"
) -> Lease | None:
    """Take the right to work on ana's part of operations, or on another, away from the server, or give it back."""

    async def change() -> Lease | None:
        storage = await open_storage(
            f"sqlite:///{home / 'sagacity.db'}", clock=SystemClock(), ids=CountingIds()
        )
        try:
            async with storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
                if lease is None:
                    return await transaction.leases.claim(task, "a test", 600, user_id=UserId(user_id))
                await transaction.leases.finish(lease)
                return None
        finally:
            await storage.close()

    return asyncio.run(change())


def test_profiles_are_learned_anew_compared_taken_into_use_and_back(run) -> None:
    """Each step says what it did; what is served follows."""
    learned = run("profiles", "regenerate", *ANA, "--wait")
    assert learned.code == 0, learned.err
    assert "completed" in learned.out
    assert "1 of 1 (100 %)" in learned.out
    pending = run("user-profiles", "list", *ANA, "--status", "pending", "--json").data
    assert len(pending) >= 2
    diff = run("profiles", "diff", *ANA, "--json").data
    assert (diff["unchanged_count"], diff["lost_count"], diff["added_count"]) == (len(pending), 0, 0)
    assert "0 changed, 0 added, 0 lost" in run("profiles", "diff", *ANA).out
    upgraded = run("profiles", "upgrade", *ANA)
    assert (upgraded.code, f"{len(pending)} promoted" in upgraded.out) == (0, True)
    again = run("profiles", "upgrade", *ANA, "--json")
    assert (again.code, again.ok, again.data["success"]) == (1, False, False)
    back = run("profiles", "downgrade", *ANA, "--json")
    assert (back.code, back.data["profiles_restored"]) == (0, len(pending))


def test_playbooks_are_learned_anew_and_taken_into_use_at_once(run) -> None:
    """`--upgrade` waits and swaps; the envelope holds what moved, and how the run ended."""
    ran = run("user-playbooks", "regenerate", *ANA, "--upgrade", "--json")
    assert ran.code == 0, ran.err
    assert (ran.data["user_playbooks_promoted"], ran.data["user_playbooks_archived"]) == (1, 1)
    assert (ran.meta["operation"]["status"], ran.meta["operation"]["mode"]) == ("completed", "rerun")
    newest = run("user-playbooks", "regenerate", *ANA, "--newest", "--json")
    assert (newest.code, newest.data["mode"], newest.data["status"]) == (0, "manual", "completed")
    shown = run("operations", "show", newest.data["operation_id"], "--json").data
    assert shown == newest.data
    listed = run("operations", "list", "--service", "playbook_generation", "--limit", "1", "--json").data
    assert [one["operation_id"] for one in listed] == [shown["operation_id"]]


def test_an_interrupt_leaves_the_run_alone_and_says_how_to_follow_or_stop_it(
    run, server, home, tmp_path
) -> None:
    """Ctrl-C ends the program, not the run; meanwhile a second start and a swap are refused; then it is cancelled."""
    lease = align_backwards(home)
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, "profiles", "regenerate", *ANA, "--wait"],
            env=clean_environment(tmp_path, {"SAGACITY_URL": server.url}),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        assert "learning profiles: 0 of 1" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert process.returncode not in {0, 2}
        [running] = run("operations", "list", "--status", "in_progress", "--json").data
        assert f"operation {running['operation_id']} goes on" in told
        assert f"sagacity operations watch {running['operation_id']}" in told
        assert f"sagacity operations cancel {running['operation_id']}" in told
        for arguments in (("regenerate",), ("upgrade",)):
            refused = run("profiles", *arguments, *ANA, "--json")
            assert (refused.code, refused.error["type"]) == (1, "Conflict")
            assert running["operation_id"] in refused.error["message"]
        cancelled = run("operations", "cancel", running["operation_id"])
        assert (cancelled.code, "told profile_generation to stop" in cancelled.out) == (0, True)
    finally:
        align_backwards(home, lease)
    watched = run("operations", "watch", running["operation_id"], "--json")
    assert (watched.code, watched.ok, watched.data["status"]) == (1, False, "cancelled")
    again = run("operations", "cancel", running["operation_id"])
    assert f"{running['operation_id']} is not running any more: it was cancelled at 20" in again.out


@pytest.mark.full
def test_a_server_that_goes_away_takes_no_run_with_it(tmp_path: Path) -> None:
    """Without a reply the program looks for the server again, and then follows the run to its end."""
    home = tmp_path / "home"
    with running_server(home, QUIET) as server, Sagacity(server.url) as client:
        request = client.publish_interaction("ana", [{"content": "I live in Lyon."}], force_extraction=True)
        client.wait_for_receipt(request.request_id)
        lease = align_backwards(home)
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, "profiles", "regenerate", *ANA, "--upgrade"],
            env=clean_environment(tmp_path, {"SAGACITY_URL": server.url}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        assert "learning profiles: 0 of 1" in process.stderr.readline()
        server.stop()
        assert "trying again for 30 s" in process.stderr.readline()
        align_backwards(home, lease)
    with running_server(home, QUIET, arguments=("--port", server.url.rpartition(":")[2])):
        out, told = process.communicate(timeout=60)
    assert (process.returncode, "completed" in out, "1 promoted" in out) == (0, True, True), told


def test_starting_says_how_to_follow(run) -> None:
    """Without --wait it returns with the id of its own run, which `watch` follows to its end."""
    started = run("profiles", "regenerate", "--json")
    assert started.code == 0, started.err
    watched = run("operations", "watch", started.data["operation_id"])
    assert (watched.code, "2 of 2 (100 %)" in watched.out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("profiles", "regenerate", "--user-id", "nobody"), 1, "nobody"),
        (("profiles", "regenerate", "--extractor", "tea"), 2, "default_profile_extractor"),
        (("user-playbooks", "diff", "--extractor", "tea"), 2, "default_playbook_extractor"),
        (("profiles", "regenerate", "--newest", "--upgrade"), 2, "--newest"),
        (("user-playbooks", "regenerate", "--upgrade", "--source", "x"), 2, "--upgrade"),
        (("profiles", "regenerate", "--after", "soon"), 2, "--after"),
        (("profiles", "upgrade", "--everyone"), 2, "--yes"),
        (("operations", "cancel"), 2, "exactly one of"),
        (("operations", "watch", "nowhere"), 1, "nowhere"),
    ],
)
def test_wrong_wishes_are_refused_with_what_to_do(
    run, arguments: tuple[str, ...], code: int, says: str
) -> None:
    """The exit code tells what sort of failure it is, and the message what is wrong."""
    ran = run(*arguments, "--json")
    assert (ran.code, ran.out) == (code, "")
    assert says in ran.error["message"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("agent-playbooks", "aggregate", "--wait"), "aggregating playbooks"),
        (("skills", "generate", "--wait"), "writing skills"),
    ],
)
def test_the_organisations_own_work_shows_how_far_it_is_and_goes_on_without_us(
    run, server, home, tmp_path, arguments: tuple[str, ...], text: str
) -> None:
    """A line on stderr within moments; Ctrl-C ends the program, not the run, and says so."""
    lease = align_backwards(home, task="distil", user_id="")
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *arguments],
            env=clean_environment(tmp_path, {"SAGACITY_URL": server.url}),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        assert f"{text}: 0 of 1, reading" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert process.returncode not in {0, 2}
        [running] = run("operations", "list", "--status", "in_progress", "--json").data
        assert f"operation {running['operation_id']} goes on" in told
        assert f"sagacity operations watch {running['operation_id']}" in told
        run("operations", "cancel", running["operation_id"])
    finally:
        align_backwards(home, lease)
    watched = run("operations", "watch", running["operation_id"], "--json")
    assert (watched.code, watched.ok, watched.data["status"]) == (1, False, "cancelled")
