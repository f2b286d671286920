"""A server with a vector store, as an operator sees it: filled by itself, lost, found again, made anew."""

import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from support.program import QUIET, sagacity
from support.qdrant_server import qdrant_server
from support.server import running_server

PATIENCE_SECONDS = 60.0


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def parts(url: str) -> dict[str, dict]:
    reply = httpx.get(f"{url}/health/ready", timeout=30)
    assert reply.status_code == 200
    return {check["name"]: check for check in reply.json()["checks"]}


def copy_check(home: Path, env: dict[str, str], url: str = "") -> dict:
    ran = sagacity("doctor", "--json", home=home, url=url, env=env)
    return {check["name"]: check for check in ran.data["checks"]}["vector copy"]


@pytest.mark.full
def test_a_copy_follows_is_lost_and_is_made_anew(tmp_path: Path) -> None:
    """What is published reaches the store; the server does without it; doctor and reindex know of it."""
    home = tmp_path / "home"
    with qdrant_server(tmp_path / "qdrant") as qdrant:
        env = QUIET | {"SAGACITY_VECTOR_URL": qdrant.url}
        assert copy_check(home, env)["found"] == "none yet"
        with running_server(home, env) as server:
            said = "My name is Ana and I am vegetarian."
            call = ("publish", "--user-id", "ana", "--user-message", said, "--agent-response", "Noted.")
            sent = sagacity(*call, "--force-extraction", "--wait", "--json", home=home, url=server.url)
            assert sent.code == 0
            wait_until(lambda: len(qdrant.numbers()) >= 3)  # the turn and what was learned of it
            wait_until(lambda: copy_check(home, env, server.url)["found"].endswith("vectors"))
            count = len(qdrant.numbers())
            assert copy_check(home, env, server.url)["found"] == f"{count} of {count} vectors"
            assert parts(server.url)["vector store"] == {
                "name": "vector store", "ok": True, "detail": "", "required": False,
            }  # fmt: skip
            qdrant.stop()
            down = parts(server.url)["vector store"]
            assert (down["ok"], down["required"]) == (False, False)
            assert "searches use the database" in down["detail"]
            check = copy_check(home, env, server.url)
            assert (check["ok"], check["found"]) == (False, "the vector store cannot be reached")
            found = sagacity("search", "vegetarian", "--user-id", "ana", "--json", home=home, url=server.url)
            assert "vegetarian" in found.out
            qdrant.start()
        before = set(qdrant.collections)
        assert sagacity("reindex", home=home, env=env).code == 0
        assert len(qdrant.collections) == 1
        assert set(qdrant.collections) != before
        assert len(qdrant.numbers()) == count
        assert copy_check(home, env)["found"] == f"{count} of {count} vectors"
        assert "Traceback" not in server.logs
