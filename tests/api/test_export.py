"""All that is stored of a user, over HTTP: for whom, how whole, and as a client reads it."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from sagacity.client import AsyncSagacity
from sagacity.client.errors import Unreachable
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import client_of, make_token, running, settings_in
from support.parts import StoppedClock

SECRET = "a secret that has enough bytes for whatever a test does with it"

TABLES = {"requests", "interactions", "memories", "changes"}


def token_of(clock: StoppedClock, user_id: str) -> str:
    """What a user signs in with."""
    expiry = clock.now() + timedelta(hours=1)
    said = {
        "sub": user_id,
        "iss": "https://i",
        "aud": "a",
        "exp": int(expiry.timestamp()),
        "role": "authenticated",
    }
    return jwt.encode(said, SECRET, algorithm="HS256")


@pytest.mark.both_databases
async def test_a_user_is_exported_to_its_organisation_and_to_itself(
    tmp_path: Path, database_url: str
) -> None:
    """The same rows for both; nobody else's; nothing of one who is unknown, or is being erased."""
    clock = StoppedClock()
    settings = settings_in(
        tmp_path, database_url=database_url, jwt_secret=SECRET, jwt_issuer="https://i", jwt_audience="a"
    )
    async with running(settings, clock) as app:
        operator = client_of(app, token=await make_token(app, LOCAL_ORG))
        stranger = client_of(app, token=await make_token(app, "other"))
        ana = client_of(app, token=token_of(clock, "ana"))

        async def lines(api: httpx.AsyncClient, user_id: str = "ana") -> list[dict[str, Any]]:
            reply = await api.get(f"/api/users/{user_id}/export")
            assert reply.headers["content-type"] == "application/x-ndjson"
            found = [json.loads(line) for line in reply.text.splitlines()]
            assert found[0]["manifest"]["user_id"] == user_id
            assert set(found[-1]) == {"end"}
            # The rest is work in the background: a vector, say, comes a moment later.
            said = [line for line in found[1:-1] if line["table"] in TABLES]
            return [line | {"row": line["row"] | {"vector": None}} for line in said]

        for user_id in ("ana", "ben"):
            body = {"user_id": user_id, "interaction_data_list": [{"content": f"I am {user_id}."}]}
            assert (await operator.post("/api/publish_interaction", json=body)).is_success
            added = {"user_profiles": [{"user_id": user_id, "content": f"Is {user_id}."}]}
            assert (await operator.post("/api/add_user_profile", json=added)).is_success
        whole = await lines(operator)
        assert {line["table"] for line in whole} == TABLES
        assert await lines(ana) == whole
        assert "ben" not in json.dumps(whole)
        assert [
            (await api.get(f"/api/users/{user_id}/export")).status_code
            for api, user_id in ((ana, "ben"), (stranger, "ana"), (operator, "nobody"), (operator, "%00"))
        ] == [403, 404, 404, 422]
        async with app.state.runtime.storage.begin(Tenant(org_id=LOCAL_ORG)) as tx:
            await tx.erasures.hold(UserId("ana"))
        assert (await ana.get("/api/users/ana/export")).status_code == 409


async def test_a_client_reads_an_export_piece_by_piece() -> None:
    """One that breaks off is an error, whatever of it came."""
    whole = b'{"manifest":{}}\n{"end":{}}\n'
    for content, is_whole in ((whole, True), (whole[:16], False), (whole[:-1], False)):
        reply = httpx.Response(200, content=content)
        transport = httpx.MockTransport(lambda _, reply=reply: reply)
        async with AsyncSagacity("http://127.0.0.1:1", transport=transport) as client:
            pieces = client.export_user("ana")
            if is_whole:
                assert b"".join([piece async for piece in pieces]) == whole
                continue
            with pytest.raises(Unreachable, match="before its last line"):
                await asyncio.wait_for(_read(pieces), 60)


async def _read(pieces: object) -> None:
    async for _ in pieces:  # type: ignore[attr-defined]
        pass
