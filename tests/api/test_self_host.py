"""Self-host mode over HTTP: tokens are in a document, and all else is as ever."""

import stat
from pathlib import Path

import httpx
from fastapi import FastAPI

from sagacity.domain.tenant import LOCAL_ORG
from support.api import client_of, make_token, running, settings_in
from support.parts import StoppedClock

PATH = "auth/organizations.json"


async def test_tokens_are_in_the_document_and_not_in_the_database(tmp_path: Path) -> None:
    """Made, listed, replaced and revoked by the same routes; a server with another disk knows them."""

    async def status(app: FastAPI, secret: str | None) -> int:
        async with client_of(app, token=secret) as client:
            return (await client.get("/api/whoami")).status_code

    own = {"self_host": True, "config_folder": tmp_path / "place"}
    async with running(settings_in(tmp_path / "a", **own)) as app, client_of(app) as local:
        assert await status(app, None) == 200
        made = (await local.post("/api/tokens", json={"name": "first", "scopes": ["admin"]})).json()
        assert (await local.get("/api/whoami")).status_code == 401
        async with client_of(app, token=made["secret"]) as client:
            token_id = made["token"]["token_id"]
            assert (await client.delete(f"/api/tokens/{token_id}")).status_code == 409
            rotated = (await client.post(f"/api/tokens/{token_id}/rotate", json={"grace_seconds": 0})).json()
        assert [await status(app, one["secret"]) for one in (made, rotated)] == [401, 200]
        assert not await app.state.runtime.storage.has_tokens()
        async with running(settings_in(tmp_path / "b", **own)) as other:
            assert [await status(other, one) for one in (None, made["secret"])] == [401, 401]
            async with client_of(other, token=rotated["secret"]) as client:
                (token,) = (await client.get("/api/tokens")).json()["tokens"]
                assert (token["token_id"], token.get("last_used_at")) == (token_id, None)
                log = (await client.get("/api/audit")).json()
                assert log["entries"] == []  # of what was done elsewhere
    file = tmp_path / "place" / PATH
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not any(one["secret"] in file.read_text() for one in (made, rotated))


async def test_whoever_asks_is_told_that_tokens_cannot_be_read(tmp_path: Path) -> None:
    """While known tokens go on the server is ready; once calls are refused it is not, until the document is back."""

    async def state(api: httpx.AsyncClient) -> tuple[int, bool, bool]:
        reply = await api.get("/health/ready")
        [tokens] = [one for one in reply.json()["checks"] if one["name"] == "tokens"]
        assert "place" not in tokens["detail"]
        return reply.status_code, tokens["ok"], tokens["required"]

    clock, place = StoppedClock(), tmp_path / "place"
    settings = settings_in(tmp_path / "a", self_host=True, config_folder=place)
    async with running(settings, clock) as app, client_of(app) as api:
        secret = (await api.post("/api/tokens", json={"name": "first", "scopes": ["admin"]})).json()["secret"]
        assert await state(api) == (200, True, True)
        whole = (place / PATH).read_bytes()
        (place / PATH).write_bytes(whole[:-9])
        clock.advance(2)
        async with client_of(app, token=secret) as known:
            assert (await known.get("/api/whoami")).status_code == 200
            assert await state(api) == (200, False, False)
            detailed = (await known.get("/health/detailed")).json()
            assert detailed["services"]["tokens"]["status"] == "unhealthy"
            clock.advance(31)
            assert (await known.get("/api/whoami")).status_code == 503
            assert await state(api) == (503, False, True)
            (place / PATH).write_bytes(whole)
            clock.advance(2)
            assert await state(api) == (200, True, True)
            assert (await known.get("/api/whoami")).status_code == 200


async def test_a_self_hosted_server_refuses_tokens_of_its_database(tmp_path: Path) -> None:
    """Its own organisation's as well as others', which an older database may have; without the setting they work."""
    for self_host, expected in ((True, 401), (False, 200)):
        settings = settings_in(tmp_path, self_host=self_host, config_folder=tmp_path / "configs")
        async with running(settings) as app:
            for org in (LOCAL_ORG, "other"):
                async with client_of(app, token=await make_token(app, org)) as api:
                    for path in ("/api/whoami", "/health/detailed"):
                        assert (await api.get(path)).status_code == expected
