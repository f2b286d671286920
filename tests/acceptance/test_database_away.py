"""A server and a worker whose database is away when they start listen, wait for it, and go on by themselves."""

import re
from pathlib import Path

import httpx
import pytest

from support.api import turns
from support.furnished import PROGRAM
from support.local_servers import PostgresServer
from support.server import running_server
from support.waiting import until
from support.workers import running_worker

WAITING = re.compile(
    r"^Waiting for postgresql://127\.0\.0\.1:\d+/\w+: the database cannot be reached", re.MULTILINE
)


@pytest.mark.full
async def test_a_server_and_a_worker_wait_for_their_database(tmp_path: Path, redis_url: str) -> None:
    """Probes are told so, and calls to come again; once it is there it is migrated, and calls are answered."""
    database = PostgresServer()
    env = {
        "SAGACITY_DATABASE_URL": database.url_of("postgres", PROGRAM),
        "SAGACITY_MIGRATION_URL": database.url,
        "SAGACITY_REDIS_URL": redis_url,
        "SAGACITY_WORKER_PORT": "0",
    }
    lost = {"SAGACITY_DATABASE_URL": database.url_of("nowhere")}
    try:
        with (
            running_server(tmp_path / "server", env) as server,
            running_server(tmp_path / "stopped", env) as stopped,
            running_server(tmp_path / "lost", lost) as failing,
            running_worker(tmp_path / "worker", env) as worker,
            httpx.Client(base_url=server.url, timeout=60) as http,
        ):
            assert stopped.stop() == 0
            assert WAITING.search(server.logs)
            assert http.get("/health/live").json()["alive"] is True
            assert http.get("/health").json()["status"] == "healthy"
            ready = http.get("/health/ready")
            assert (ready.status_code, ready.json()["ready"]) == (503, False)
            assert [(one["name"], one["ok"]) for one in ready.json()["checks"]] == [("storage", False)]
            for reply in (ready, http.post("/api/search", json={"query": "tea"}), http.get("/metrics")):
                assert (reply.status_code, reply.headers["Retry-After"]) == (503, "1")
            assert http.get("/api/whoami").json()["error"] == "StorageUnavailable"
            await until(lambda: _is(bool(WAITING.search(worker.logs))))

            database.start()
            await until(lambda: _is(http.get("/health/ready").status_code == 200))
            assert http.post("/api/publish_interaction", json=turns("I like tea.")).status_code == 200
            assert "calls are answered" in server.logs
            await until(lambda: _is("worker is ready" in worker.logs))
            await until(lambda: _is(failing.process.poll() is not None))
            assert failing.process.returncode != 0
            assert 'database "nowhere" does not exist' in failing.logs
            assert "Traceback" not in server.logs + worker.logs + failing.logs
            assert (worker.stop(), server.stop()) == (0, 0)
    finally:
        database.close()


async def _is(value: bool) -> bool:  # noqa: FBT001  what `until` awaits
    return value
