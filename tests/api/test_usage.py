"""What is measured of memories: every door counts alike, and what fails to be counted harms nobody."""

from collections import Counter
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from sagacity.domain.ids import OrgId
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.schema.tables import usage_events
from support.api import add_profile, client_of, make_token, profiles_of, running, settings_in
from support.chatting import sent
from support.usage import used
from support.user_memories import PATH

STATS = "/api/get_injection_stats"
ANNA = {"user_id": "anna"}


async def stats(api: httpx.AsyncClient, days: int = 30) -> list[dict]:
    reply = await api.post(STATS, json={"days_back": days})
    assert reply.status_code == 200, reply.text
    return reply.json()["stats"]


async def surfaced(api: httpx.AsyncClient) -> Counter:
    return Counter({one["entity_type"]: one["surfaced_count"] for one in await stats(api)})


async def ok(api: httpx.AsyncClient, path: str, body: dict, **params) -> dict:
    reply = await api.post(path, json=body, params=params)
    assert reply.status_code in {200, 201}, reply.text
    return reply.json()


async def rows(app: FastAPI, *names: str, **wanted) -> list[tuple]:
    """Columns of the events that are written, the oldest first."""
    await app.state.runtime.usage.flush()
    column = usage_events.c
    async with app.state.runtime.storage.backend.read(LOCAL_ORG) as connection:
        statement = sa.select(*(column[name] for name in names)).order_by(column.event_id)
        for name, value in wanted.items():
            statement = statement.where(column[name] == value)
        return [tuple(row) for row in await connection.execute(statement)]


@pytest.mark.both_databases
async def test_every_door_counts_alike(app: FastAPI, api: httpx.AsyncClient) -> None:
    """Each search, context and chat once, with the content's tokens, and the conversation as far as it is known."""
    await add_profile(api, "Is allergic to peanuts.")
    rule = {"content": "Warn of peanuts.", "trigger": "peanuts", "playbook_name": "food"}
    await ok(api, "/api/add_user_playbook", {"user_playbooks": [rule | ANNA | {"request_id": "r"}]})
    await ok(api, "/api/search", {"query": "peanuts", **ANNA})
    await ok(api, "/api/search_profiles", {"query": "peanuts", **ANNA})
    await ok(api, "/api/search_profiles", ANNA)
    await ok(api, "/api/search_user_playbooks", {"query": "peanuts", **ANNA})
    await ok(api, "/api/search_interactions", {"query": "peanuts", **ANNA})
    await ok(api, f"{PATH}/search", {"query": "peanuts", "memory_types": ["profile"]}, **ANNA)
    await ok(api, "/api/context", {"query": "peanuts", "session_id": "talk", **ANNA})
    events = await sent(api, "May I eat peanuts?", user="anna")
    assert events
    assert await surfaced(api) == {"profile": 6, "user_playbook": 4}
    profile, playbook = await stats(api)
    [known] = await profiles_of(api)
    assert profile["entity_id"] == known["profile_id"]
    assert profile["total_prompt_tokens"] == 6 * 5
    assert (profile["content"], profile["citation_count"]) == ("Is allergic to peanuts.", 1)
    assert (playbook["content"], playbook["citation_count"]) == ("Warn of peanuts.", 1)
    assert profile["distinct_session_count"] == playbook["distinct_session_count"] == 2
    assert playbook["entity_id"].isdecimal()
    applied = await rows(app, "pipeline", "count_value", "user_id", event_name="learning_applied")
    of_searches = [2, 1, 1, 1, 1]
    assert applied == [
        *(("search", count, "anna") for count in of_searches),
        ("context", 2, "anna"),
        ("chat", 2, "anna"),
    ]
    assert len({*await rows(app, "request_id", event_name="learning_injection")}) == 7
    cited = await rows(app, "pipeline", "entity_id", event_name="learning_citation")
    assert ("chat", known["profile_id"]) in cited


async def test_what_published_answers_cite_is_counted_once(app: FastAPI, api: httpx.AsyncClient) -> None:
    """By number or uid; not what is no memory, or another user's; and a publish that is repeated counts no more."""
    await add_profile(api, "Is allergic to peanuts.")
    await add_profile(api, "Is fond of peanuts.", user_id="ben")
    [mine], [other] = await profiles_of(api), await profiles_of(api, "ben")
    named = [mine["profile_id"], mine["profile_id"], other["profile_id"], "9" * 30, "nothing", "1"]
    answer = {
        "role": "Assistant",
        "content": "No peanuts.",
        "citations": [
            *({"entity_type": "profile", "entity_id": one} for one in named),
            {"entity_type": "weather", "entity_id": mine["profile_id"]},
            {"entity_type": "skill", "entity_id": "1"},
        ],
    }
    body = {**ANNA, "session_id": "s", "request_id": "once", "interaction_data_list": [answer]}
    for _ in range(2):
        await ok(api, "/api/publish_interaction", body)
    found = await rows(app, "entity_type", "entity_id", "session_id", "request_id")
    assert set(found) == {("profile", mine["profile_id"], "s", "once")}
    assert len(found) == 2  # by its uid, and by its number
    assert await stats(api) == []


@pytest.mark.both_databases
async def test_each_caller_is_told_of_its_own(app: FastAPI, api: httpx.AsyncClient) -> None:
    """Another organisation of nothing; and what was measured of a user goes with all that is known of the user."""
    await add_profile(api, "Is allergic to peanuts.")
    await add_profile(api, "Eats peanuts.", user_id="ben")
    for user_id in ("anna", "ben", "ben"):
        await ok(api, "/api/search", {"query": "peanuts", "user_id": user_id})
    assert [one["surfaced_count"] for one in await stats(api)] == [2, 1]
    async with client_of(app, token=await make_token(app, "other")) as other:
        assert await stats(other) == []
    async with client_of(app, token=await make_token(app, LOCAL_ORG)) as mine:
        await ok(mine, "/api/search", {"query": "peanuts", "user_id": "ben"})
        gone = await mine.delete(PATH, params={"confirm": True, "user_id": "ben"})
        assert gone.status_code == 204
        assert [one["surfaced_count"] for one in await stats(mine)] == [1]
        assert {*await rows(app, "user_id")} == {("anna",)}


async def test_a_failure_to_count_harms_no_search(app: FastAPI, api: httpx.AsyncClient) -> None:
    """Neither while it is noted nor when it is written, and what is lost is told where lost calls are."""
    await add_profile(api, "Is allergic to peanuts.")
    await ok(api, "/api/search", {"query": "peanuts", **ANNA})
    usage = app.state.runtime.usage
    usage.record(Tenant(org_id=LOCAL_ORG), used(OrgId("another"), "stray"))
    usage.record = None
    assert (await ok(api, "/api/search", {"query": "peanuts", **ANNA}))["profiles"]
    assert (await ok(api, "/api/context", {"query": "peanuts", **ANNA}))["context"]
    del usage.record
    reply = await api.post("/api/v1/analytics/flush")
    assert reply.json()["usage_events_dropped"] == 1
    assert len(await rows(app, "uid")) == 2
    for days in (0, -1, 36_501, "many", 1e99):
        assert (await api.post(STATS, json={"days_back": days})).status_code == 422


async def test_counting_can_be_turned_off(tmp_path: Path, database_url: str) -> None:
    settings = settings_in(tmp_path, database_url=database_url, usage_events=False)
    async with running(settings) as app, client_of(app) as api:
        await add_profile(api, "Is allergic to peanuts.")
        await ok(api, "/api/search", {"query": "peanuts", **ANNA})
        assert await stats(api) == []
        assert (await api.post("/api/v1/analytics/flush")).json()["usage_events_flushed"] == 0
