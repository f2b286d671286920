"""What the server says of itself, to everyone."""

from datetime import datetime
from importlib.metadata import version

import pytest

from sagacity.config.cached import TTL_SECONDS
from sagacity.domain.clock import Clock
from support.api import client_of, make_token, running, settings_in
from support.dispatchers import queue
from support.local_servers import running_valkey
from support.parts import START, StoppedClock

NOW = START.isoformat().replace("+00:00", "Z")
PARTS = {"database", "vectors", "cache", "embeddings", "dispatcher"}


def of_a_file(app) -> set[str]:
    """The part that there is where the database is a file of this machine."""
    return {"disk"} if app.state.runtime.storage.kind == "sqlite" else set()


@pytest.fixture
def api_clock() -> Clock:
    return StoppedClock()


async def test_root_health_and_version_need_no_token(api):
    """The version is the package's own."""
    browser = await api.get("/", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (browser.status_code, browser.headers["location"]) == (307, "/docs")
    assert (await api.get("/")).json() == {
        "service": "Sagacity",
        "name": "Sagacity",
        "version": version("sagacity"),
        "status": "operational",
        "docs": "/docs",
        "health": "/health",
    }
    assert (await api.get("/health")).json() == {
        "status": "healthy",
        "timestamp": NOW,
        "version": version("sagacity"),
        "environment": "production",
        "services": {"api": {"status": "healthy"}},
    }
    assert (await api.get("/health/live")).json() == {"alive": True, "timestamp": NOW}
    assert (await api.get("/meta/version")).json() == {
        "server_version": version("sagacity"),
        "api_version": "v1",
        "min_client_version": "0.1.0",
    }


async def test_ready_asks_every_part(api, app):
    """It is ready while all parts work, and says which does not."""
    reply = await api.get("/health/ready")
    assert reply.status_code == 200
    assert (reply.json()["ready"], reply.json()["timestamp"]) == (True, NOW)
    parts = {"storage", "embedder", "dispatcher", "shared"} | of_a_file(app)
    assert {check["name"]: check["ok"] for check in reply.json()["checks"]} == dict.fromkeys(parts, True)
    await app.state.runtime.dispatcher.stop()
    late = await api.get("/health/ready")
    assert (late.status_code, late.headers["Retry-After"]) == (503, "1")
    assert (late.json()["status"], late.json()["ready"]) == ("not ready", False)
    assert [check for check in late.json()["checks"] if not check["ok"]] == [
        {"name": "dispatcher", "ok": False, "detail": "it stopped", "required": True}
    ]
    for path in ("/health", "/health/live"):
        assert (await api.get(path)).status_code == 200


@pytest.mark.both_databases
async def test_details_of_every_part(api, app):
    """Who may administer is told what does the work and how fast; what stopped makes the whole degraded."""
    found = (await api.get("/health/detailed")).json()
    assert (found["status"], found["version"], found["environment"]) == (
        "healthy",
        version("sagacity"),
        "production",
    )
    assert datetime.fromisoformat(found["timestamp"]) == START
    services, kind = found["services"], app.state.runtime.storage.kind
    assert set(services) == PARTS | of_a_file(app)
    assert {service["status"] for service in services.values()} == {"healthy"}
    assert all(service.pop("latency_ms") >= 0 for service in services.values())
    assert services["database"] == services["vectors"] == {"status": "healthy", "kind": kind}
    assert services["cache"]["kind"] == "memory"
    assert services["dispatcher"]["kind"] == "local"
    assert services["embeddings"] == {
        "status": "healthy",
        "model": app.state.runtime.embedder.model,
        "dimensions": 384,
    }
    await app.state.runtime.dispatcher.stop()
    late = await api.get("/health/detailed")
    assert (late.status_code, late.json()["status"]) == (200, "degraded")
    assert late.json()["services"]["dispatcher"]["status"] == "unhealthy"
    assert late.json()["services"]["dispatcher"]["message"] == "it stopped"


async def test_details_are_for_those_with_a_token(app):
    """Without one: which parts work, and nothing else; with a wrong one: 401."""
    token = await make_token(app, "a")
    async with client_of(app) as stranger:
        shown = (await stranger.get("/health/detailed")).json()
        assert shown["services"] == {name: {"status": "healthy"} for name in PARTS | of_a_file(app)}
        wrong = await stranger.get("/health/detailed", headers={"Authorization": "Bearer sgc_wrong"})
        assert (wrong.status_code, wrong.headers["WWW-Authenticate"]) == (401, "Bearer")
    async with client_of(app, token=token) as api:
        assert (await api.get("/health/detailed")).json()["services"]["embeddings"]["dimensions"] == 384


async def test_what_failed_is_told_without_addresses(tmp_path):
    """A shared server that is gone: degraded, with a text of ours and neither its address nor its error."""
    with running_valkey(tmp_path) as valkey:
        settings = settings_in(tmp_path, redis_url=valkey.url, environment="staging")
        async with running(settings) as app, client_of(app) as api:
            await note_worker(valkey.url)
            before = (await api.get("/health/detailed")).json()
            assert (before["status"], before["environment"]) == ("healthy", "staging")
            assert before["services"]["cache"]["kind"] == "redis"
            valkey.kill()
            reply = await api.get("/health/detailed")
    assert (reply.status_code, reply.json()["status"]) == (200, "degraded")
    cache = reply.json()["services"]["cache"]
    assert cache["status"] == "unhealthy"
    assert cache["message"].startswith("Redis does not answer; limits are counted in each process")
    assert cache["message"].endswith(f"changes of configuration take {TTL_SECONDS:g} s")
    assert valkey.url.rpartition(":")[2].partition("/")[0] not in reply.text
    assert "Error" not in reply.text


async def test_missing_workers_are_told_and_the_server_serves(tmp_path, redis_url):
    """A server that leaves the work to workers is ready without one, and says what to start."""
    async with running(settings_in(tmp_path, redis_url=redis_url)) as app, client_of(app) as api:
        reply = await api.get("/health/ready")
        [missing] = [check for check in reply.json()["checks"] if not check["ok"]]
        assert (reply.status_code, missing["name"], missing["required"]) == (200, "workers", False)
        assert "sagacity worker" in missing["detail"]
        assert (await api.get("/health/detailed")).json()["services"]["workers"]["status"] == "unhealthy"
        await note_worker(redis_url)
        assert all(check["ok"] for check in (await api.get("/health/ready")).json()["checks"])


async def note_worker(redis_url: str) -> None:
    """Say that a worker runs."""
    workers = queue(redis_url)
    await workers.note_worker()
    await workers.close()


async def test_a_full_disk_is_told_before_a_call_fails(tmp_path):
    """A server that has no room for what is published is not ready, and says how much there is."""
    async with running(settings_in(tmp_path, least_free_megabytes=10**12)) as app, client_of(app) as api:
        reply = await api.get("/health/ready")
    [failed] = [check for check in reply.json()["checks"] if not check["ok"]]
    assert (reply.status_code, failed["name"], failed["required"]) == (503, "disk", True)
    assert "MB are free" in failed["detail"]
    assert "SAGACITY_LEAST_FREE_MEGABYTES" in failed["detail"]
