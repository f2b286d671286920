"""Which users an organisation has, page by page."""

import httpx
import pytest
from fastapi import FastAPI

from support.api import add_profile, client_of, make_token, publish
from support.parts import START, StoppedClock

pytestmark = pytest.mark.both_databases


@pytest.fixture
def api_clock() -> StoppedClock:
    return StoppedClock()


async def users(api: httpx.AsyncClient, **given: object) -> dict:
    reply = await api.get("/api/users", params=given)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_users_are_listed_with_turns_last_publish_and_memories(api: httpx.AsyncClient) -> None:
    """Who published, and who is only remembered; the organisation itself is no user."""
    assert await users(api) == {"success": True, "users": [], "msg": "0 users"}
    for number in range(2):
        await publish(api, "The train is late.", "So is the bus.", user_id="ben", request_id=f"r{number}")
    await add_profile(api, "Is vegetarian.", user_id="ana")
    await api.post("/api/add_agent_playbook", json={"agent_playbooks": [{"content": "Offer credit."}]})
    page = await users(api)
    at = START.isoformat().replace("+00:00", "Z")
    assert page["users"] == [
        {"user_id": "ana", "turns": 0, "memories": 1},
        {"user_id": "ben", "turns": 4, "last_publish_at": at, "memories": 0},
    ]
    assert "next" not in page


async def test_pages_follow_each_other(api: httpx.AsyncClient) -> None:
    """Every user stands on one of them, once, whatever the id looks like."""
    ids = ["Zoe", "ana", "b/c", "ben@example.com", "Ünal", "名"]
    for one in ids:
        await publish(api, "The train is late.", user_id=one, request_id=one)
        await add_profile(api, "Is vegetarian.", user_id=one)
    found, after = [], {}
    while True:
        page = await users(api, limit=2, **after)
        assert len(page["users"]) <= 2
        found += [one["user_id"] for one in page["users"]]
        if "next" not in page:
            break
        assert page["next"] == found[-1]
        after = {"after": page["next"]}
    assert sorted(found) == sorted(ids)
    assert [one["user_id"] for one in (await users(api))["users"]] == found


async def test_memories_that_a_quarantine_holds_are_not_there(api: httpx.AsyncClient) -> None:
    """They do not count, and nor is a user listed of whom there is nothing else."""
    await add_profile(api, "Is vegetarian.", user_id="ana")
    await add_profile(api, "Lives in Oslo.", user_id="ben")
    await publish(api, "The train is late.", user_id="ben")
    both = (await users(api))["users"]
    assert [(one["user_id"], one["memories"]) for one in both] == [("ana", 1), ("ben", 1)]
    for one in ("ana", "ben"):
        held = await api.post("/api/quarantines", json={"target": "user", "value": one})
        assert held.status_code in {200, 201}, held.text
    left = (await users(api))["users"]
    assert [(one["user_id"], one["memories"]) for one in left] == [("ben", 0)]


async def test_only_an_organisations_own_token_lists_its_users(app: FastAPI) -> None:
    """No token is 401, a token of one user 403; another organisation has other users; a wrong limit is named."""
    async with client_of(app, token=await make_token(app, "a")) as api:
        await publish(api, "The train is late.", user_id="ana")
        made = await api.post("/api/tokens", json={"scopes": ["read"], "user_id": "ana"})
        bad = await api.get("/api/users", params={"limit": 0})
        assert (bad.status_code, "limit" in bad.text) == (422, True)
    async with client_of(app, token=made.json()["secret"]) as one:
        assert (await one.get("/api/users")).status_code == 403
    async with client_of(app, token=await make_token(app, "b")) as other:
        assert (await users(other))["users"] == []
    async with client_of(app) as nobody:
        assert (await nobody.get("/api/users")).status_code == 401
