"""What the server says of itself, to everyone."""

from importlib.metadata import version


async def test_root_health_and_version_need_no_token(api):
    """The version is the package's own."""
    assert (await api.get("/")).json()["docs"] == "/docs"
    assert (await api.get("/health")).json() == {"status": "healthy"}
    assert (await api.get("/meta/version")).json() == {
        "server_version": version("sagacity"),
        "api_version": "v1",
        "min_client_version": "0.1.0",
    }


async def test_ready_asks_every_part(api, app):
    """It is ready while all parts work, and says which does not."""
    reply = await api.get("/health/ready")
    assert reply.status_code == 200
    assert {check["name"]: check["ok"] for check in reply.json()["checks"]} == {
        "storage": True,
        "embedder": True,
        "dispatcher": True,
        "shared": True,
    }
    await app.state.runtime.dispatcher.stop()
    late = await api.get("/health/ready")
    assert late.status_code == 503
    assert late.json()["status"] == "not ready"
    assert [check["name"] for check in late.json()["checks"] if not check["ok"]] == ["dispatcher"]
    assert (await api.get("/health")).status_code == 200
