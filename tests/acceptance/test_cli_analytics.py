"""Analytics in the terminal, over a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sagacity.client import Sagacity
from support.program import QUIET, Ran, sagacity
from support.server import ServerProcess, running_server


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[ServerProcess]:
    with running_server(home, QUIET) as process:
        with Sagacity(process.url) as client:
            client.add_user_profile([{"user_id": "ana", "content": "Is allergic to peanuts."}])
            client.search("What am I allergic to?", user_id="ana")
            client.context("What am I allergic to?", user_id="ana")
            list(client.send_message("What am I allergic to?", user_id="ana"))
            client.flush_analytics()
        yield process


def run(server: ServerProcess, home: Path, *arguments: str) -> Ran:
    ran = sagacity(*arguments, home=home, url=server.url)
    assert ran.code == 0, ran.err
    return ran


def test_each_report_is_drawn(server: ServerProcess, home: Path) -> None:
    """With what came in, by the names that the API has."""
    assert "3 in 7 days: 3 succeeded, 0 partial, 0 failed" in run(server, home, "analytics", "summary").out
    latency = run(server, home, "analytics", "latency").out
    assert [line.split("  ")[0] for line in latency.splitlines()[2:7]] == [
        "whole call",
        "first word",
        "retrieval",
        "ranking",
        "context",
    ]
    retrieval = run(server, home, "analytics", "retrieval").out
    assert "profile" in retrieval
    assert "vector" in retrieval
    requests = run(server, home, "analytics", "requests").out
    assert all(name in requests for name in ("chat_stream", "context_build", "memory_search", "success"))
    assert "no day was summed up" in run(server, home, "analytics", "daily").out
    assert "0 calls and 0 usage events written" in run(server, home, "analytics", "flush").out


def test_options_narrow(server: ServerProcess, home: Path) -> None:
    """To one user, one type and one end; as JSON the record is whole."""
    found = run(server, home, "--json", "analytics", "requests", "--type", "chat_stream").data
    assert [one["request_type"] for one in found] == ["chat_stream"]
    assert found[0]["step_timings"]["total_retrieval_time"] > 0
    for option in (("--user-id", "ben"), ("--status", "error"), ("--slower-than", "1e9")):
        assert "no calls" in run(server, home, "analytics", "requests", *option).out
    assert "no calls in 7 days" in run(server, home, "analytics", "summary", "--user-id", "ben").out
    assert (
        "no searches in 1 day"
        in run(server, home, "analytics", "retrieval", "--days", "1", "--user-id", "ben").out
    )
