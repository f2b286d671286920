"""`sagacity serve --processes`: several servers on one port, as one."""

import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from sagacity.client import Sagacity
from support.program import QUIET, sagacity
from support.server import ServerProcess, running_server

TWO = QUIET | {"SAGACITY_PROCESSES": "2"}
STARTED = re.compile(r"Started server process \[(\d+)\]")
UP = "Application startup complete."
SECONDS = 120.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server of two processes, both of which answer."""
    with running_server(tmp_path, TWO) as server:
        until(lambda: server.logs.count(UP) == 2)
        yield server


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def pids_of(server: ServerProcess) -> list[int]:
    """The processes that answered calls so far, in the order in which they were started."""
    return [int(pid) for pid in STARTED.findall(server.logs)]


def is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def healths(server: ServerProcess) -> float:
    """How many calls of /health the metrics count."""
    text = httpx.get(f"{server.url}/metrics", timeout=60).text
    return sum(
        float(line.split()[-1])
        for line in text.splitlines()
        if line.startswith("sagacity_http_requests_total") and 'route="/health"' in line
    )


def test_killed_process_is_replaced_and_nothing_is_lost(server: ServerProcess) -> None:
    """What was acknowledged before, while and after one process is killed is there; the metrics count all of them."""
    assert len(pids_of(server)) == 2
    published = [publish(server, number) for number in range(5)]
    os.kill(pids_of(server)[0], signal.SIGKILL)
    published += [publish(server, number) for number in range(5, 15)]
    until(lambda: server.logs.count(UP) == 3)
    assert "A server process ended with exit code -9; another one starts" in server.logs
    published += [publish(server, number) for number in range(15, 20)]
    with Sagacity(server.url, retry_seconds=60) as client:
        said = {turn.content for turn in client.get_interactions(user_id="ana", top_k=99).interactions}
    assert {f"number {number}" for number in published} <= said

    before = healths(server)
    for _ in range(10):
        assert httpx.get(f"{server.url}/health", timeout=60).is_success  # each by a connection of its own
    assert [healths(server) for _ in range(5)] == [before + 10] * 5

    assert server.stop() == 0
    assert [pid for pid in pids_of(server) if is_alive(pid)] == []


def publish(server: ServerProcess, number: int) -> int:
    """Publish a turn as a client does, by a connection of its own."""
    with Sagacity(server.url, retry_seconds=60) as client:
        client.publish_interaction(
            "ana", [{"role": "User", "content": f"number {number}"}], request_id=f"r{number}"
        )
    return number


def test_processes_end_with_their_parent(server: ServerProcess) -> None:
    """Whoever kills the command has killed all of it."""
    server.kill()
    until(lambda: not any(map(is_alive, pids_of(server))))
    assert server.logs.count("Finished server process") == 2  # they finished their calls


def test_failure_to_start_is_said_once(tmp_path: Path) -> None:
    """What keeps the first process from starting ends the command, as it does without others."""
    arguments = ("serve", "--host", "0.0.0.0", "--port", "0", "--json")
    several = sagacity(*arguments, "--processes", "3", home=tmp_path)
    alone = sagacity(*arguments, home=tmp_path)
    assert (several.code, several.out) == (alone.code, "")
    said = [line for line in several.err.splitlines() if '"ok"' in line]
    assert [json.loads(line)["error"] for line in said] == [alone.error]
