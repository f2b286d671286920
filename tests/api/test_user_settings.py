"""A user's record, and what may be remembered: made, merged, reset, and kept from everybody else."""

import asyncio
import json
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI

from sagacity.domain.tenant import LOCAL_ORG
from support.api import client_of, make_token
from support.user_memories import added, listed

PATH, MEMORY, RESET = "/api/profile", "/api/profile/memory-settings", "/api/profile/memory-settings/reset"
ANA, BEN = {"user_id": "ana"}, {"user_id": "ben"}
USUAL = {
    "memory_enabled": True,
    "auto_extract": True,
    "retention_days": 365,
    "max_memories_per_type": 10_000,
    "semantic_extraction": True,
    "entity_extraction": True,
    "procedural_learning": True,
}


async def patched(api: httpx.AsyncClient, path: str, body: dict, user: dict = ANA) -> dict:
    reply = await api.patch(path, params=user, json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def without_warnings(view: dict) -> dict:
    return {name: value for name, value in view.items() if name != "warnings"}


async def test_record_is_made_with_what_is_usual(api: httpx.AsyncClient):
    """Once, whoever asks at the same moment."""
    replies = await asyncio.gather(*(api.get(PATH, params=ANA) for _ in range(5)))
    first = replies[0].json()
    assert [reply.status_code for reply in replies] == [200] * 5
    assert {reply.json()["id"] for reply in replies} == {first["id"]}
    UUID(first["id"])
    assert without_warnings(first.pop("memory_settings")) == USUAL
    assert without_warnings(first) == {
        "id": first["id"],
        "user_id": "ana",
        "display_name": None,
        "bio": None,
        "timezone": "UTC",
        "language": "en",
        "preferences": {},
        "created_at": first["created_at"],
        "updated_at": first["updated_at"],
    }
    assert without_warnings((await api.get(MEMORY, params=BEN)).json()) == USUAL


@pytest.mark.both_databases
async def test_changes_are_merged(api: httpx.AsyncClient):
    """What is null or not given stays; an empty text takes a text away, a null one preference."""
    given = {
        "display_name": "Ana",
        "bio": "I paint.",
        "timezone": "Europe/Paris",
        "language": "pt-BR",
        "preferences": {"theme": "dark", "size": {"of": 1}},
    }
    made = await patched(api, PATH, given)
    assert {name: made[name] for name in given} == given
    changed = await patched(
        api, PATH, {"bio": None, "preferences": {"theme": None, "sound": True}, "display_name": ""}
    )
    assert (changed["display_name"], changed["bio"], changed["timezone"]) == (
        None,
        "I paint.",
        "Europe/Paris",
    )
    assert changed["preferences"] == {"size": {"of": 1}, "sound": True}
    assert changed["updated_at"] > made["updated_at"]
    assert (await api.get(PATH, params=ANA)).json() == changed


async def test_memory_settings_are_merged_and_reset(api: httpx.AsyncClient):
    await patched(api, PATH, {"bio": "I paint."})
    changed = {"memory_enabled": False, "retention_days": 1, "max_memories_per_type": 100}
    assert without_warnings(await patched(api, MEMORY, changed)) == USUAL | changed
    more = {"auto_extract": False, "retention_days": None, "entity_extraction": False}
    expected = USUAL | changed | {"auto_extract": False, "entity_extraction": False}
    assert without_warnings(await patched(api, MEMORY, more)) == expected
    record = (await api.get(PATH, params=ANA)).json()
    assert without_warnings(record["memory_settings"]) == expected
    reset = await api.post(RESET, params=ANA)
    assert (reset.status_code, without_warnings(reset.json())) == (200, USUAL)
    assert (await api.get(PATH, params=ANA)).json()["bio"] == "I paint."


@pytest.mark.both_databases
async def test_ten_changes_at_once_are_all_kept(api: httpx.AsyncClient):
    """Each of another field or preference; none overwrites another's."""
    settings = [{name: False} for name, value in USUAL.items() if value is True]
    changes = [
        *((MEMORY, body) for body in [*settings, {"retention_days": 7}]),
        *((PATH, {"preferences": {f"p{number}": number}}) for number in range(4)),
    ]
    replies = await asyncio.gather(*(api.patch(path, params=ANA, json=body) for path, body in changes))
    assert [reply.status_code for reply in replies] == [200] * 10
    record = (await api.get(PATH, params=ANA)).json()
    assert record["preferences"] == {f"p{number}": number for number in range(4)}
    expected = {name: False for name, value in USUAL.items() if value is True} | {"retention_days": 7}
    assert without_warnings(record["memory_settings"]) == USUAL | expected


@pytest.mark.parametrize(
    "body",
    [
        {"timezone": "Mars/Olympus"},
        {"timezone": "../etc/passwd"},
        {"timezone": ""},
        {"timezone": "a" * 51},
        {"language": "english please"},
        {"language": ""},
        {"language": "e"},
        {"language": "en-latn-gb-oed"},
        {"language": "en\n"},
        {"display_name": "x" * 101},
        {"display_name": "a\u0000"},
        {"bio": "x" * 501},
        {"bio": ["x"]},
        {"preferences": []},
        {"preferences": {"a": "\ud800"}},
        {"preferences": {"a": "x" * 70_000}},
        {"preferences": {"a": float("nan")}},
    ],
)
async def test_bad_record_is_refused(api: httpx.AsyncClient, body: dict):
    headers = {"Content-Type": "application/json"}
    reply = await api.patch(PATH, params=ANA, content=json.dumps(body), headers=headers)
    assert reply.status_code == 422, reply.text


async def test_preferences_do_not_grow_for_ever(api: httpx.AsyncClient):
    await patched(api, PATH, {"preferences": {"a": "x" * 60_000}})
    reply = await api.patch(PATH, params=ANA, json={"preferences": {"b": "x" * 60_000}})
    assert reply.status_code == 422
    assert list((await api.get(PATH, params=ANA)).json()["preferences"]) == ["a"]


@pytest.mark.parametrize(
    "body",
    [
        {"retention_days": 0},
        {"retention_days": 3_651},
        {"retention_days": 1.5},
        {"max_memories_per_type": 99},
        {"max_memories_per_type": 100_001},
        {"memory_enabled": "perhaps"},
        {"auto_extract": []},
    ],
)
async def test_bad_memory_settings_are_refused(api: httpx.AsyncClient, body: dict):
    assert (await api.patch(MEMORY, params=ANA, json=body)).status_code == 422
    assert without_warnings((await api.get(MEMORY, params=ANA)).json()) == USUAL


async def test_deleted_record_is_made_again_and_memories_stay(api: httpx.AsyncClient):
    made = await added(api)
    before = await patched(api, PATH, {"bio": "I paint."})
    await patched(api, MEMORY, {"memory_enabled": False})
    reply = await api.delete(PATH, params=ANA)
    assert (reply.status_code, reply.content) == (204, b"")
    assert (await api.delete(PATH, params=ANA)).status_code == 204
    after = (await api.get(PATH, params=ANA)).json()
    assert after["id"] != before["id"]
    assert (after["bio"], after["memory_settings"]["memory_enabled"]) == (None, True)
    assert (await listed(api))["memories"] == [made]


@pytest.mark.both_databases
async def test_record_that_is_deleted_and_changed_at_once_fails_no_call(api: httpx.AsyncClient):
    """Each call finds a record or makes one, whatever the others do."""
    for _ in range(3):
        replies = await asyncio.gather(
            *(api.delete(PATH, params=ANA) for _ in range(8)),
            *(api.patch(PATH, params=ANA, json={"bio": f"{number}"}) for number in range(8)),
        )
        assert {one.status_code for one in replies} == {200, 204}, [one.text for one in replies]


async def test_nobody_reaches_another_record(app: FastAPI, api: httpx.AsyncClient):
    """Another user's of the organisation, one of the same name elsewhere, or any without a token."""
    mine = await patched(api, PATH, {"bio": "I paint."})
    own, other = await make_token(app, LOCAL_ORG), await make_token(app, "other")
    for token, user in ((own, BEN), (other, ANA)):
        async with client_of(app, token=token) as client:
            assert (await client.get(PATH, params=user)).json()["bio"] is None
            await patched(client, PATH, {"bio": "Somebody else."}, user)
            await patched(client, MEMORY, {"retention_days": 3}, user)
            assert (await client.post(RESET, params=user)).status_code == 200
            assert (await client.delete(PATH, params=user)).status_code == 204
            assert (await client.get(PATH)).status_code == 422
    async with client_of(app, token=own) as client:
        assert (await client.get(PATH, params=ANA)).json() == mine
    for method, path in (
        ("GET", PATH),
        ("PATCH", PATH),
        ("DELETE", PATH),
        ("GET", MEMORY),
        ("PATCH", MEMORY),
        ("POST", RESET),
    ):
        assert (await api.request(method, path, params=ANA, json={"bio": 7})).status_code == 401
