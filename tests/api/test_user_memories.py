"""A user's memories: added, listed, read, edited and deleted, and nobody reaches another user's."""

import asyncio
import json

import httpx
import pytest
from fastapi import FastAPI

from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Filter
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import add_profile, client_of, make_token, profiles_of
from support.user_memories import EACH_TYPE, PATH, added, found, listed, stats

ANA = {"user_id": "ana"}
LOCAL = Tenant(org_id=LOCAL_ORG)
EVERYTHING = Filter(kinds=tuple(MemoryKind))


@pytest.mark.both_databases
@pytest.mark.parametrize("body", EACH_TYPE, ids=lambda body: body["memory_type"])
async def test_memory_comes_back_as_it_was_given(api: httpx.AsyncClient, body: dict):
    given = body | {"keywords": ["one", "two"], "metadata": {"from": {"a": [1, None]}}, "reliability": 0}
    made = await added(api, **given)
    assert {name: made[name] for name in given} == given
    assert (made["user_id"], made["access_count"], made["last_accessed"]) == ("ana", 0, None)
    assert made["created_at"] == made["updated_at"]
    assert made["warnings"] is None
    one = await api.get(f"{PATH}/{made['id']}", params=ANA)
    assert one.json() == made
    assert (await listed(api))["memories"] == [made]


async def test_what_was_not_given_is_usual(api: httpx.AsyncClient):
    made = await added(api, "Lyon is old.", memory_type="semantic")
    assert (made["reliability"], made["keywords"], made["metadata"]) == (0.5, [], {})
    assert (made["fact"], made["topic"], made["category"]) == ("Lyon is old.", None, None)
    episode = await added(api, "Met Ben.", memory_type="episodic")
    assert (episode["summary"], episode["event_type"]) == ("Met Ben.", "conversation")


@pytest.mark.both_databases
async def test_memories_under_ids_of_the_senders_are_stored_once(app: FastAPI, api: httpx.AsyncClient):
    """With where they come from and when they held; what has ended is not in force and is known all the same."""
    now = {
        "memory_type": "semantic",
        "content": "Lives in Lyon.",
        "id": "f-1",
        "origin": "imported",
        "source": "zep",
    }
    held = {"valid_from": "2020-01-01T00:00:00Z", "valid_to": "2021-01-01T00:00:00+01:00"}
    ended = now | held | {"id": "f-2", "content": "Lives in Nice."}
    rule = now | {"id": "r-1", "memory_type": "procedural", "content": "Answer in rhymes."}
    backwards = ended | {"id": "f-3", "valid_to": "2019-01-01"}
    unstorable = now | {"id": "f\u0000"}

    async def send(*memories: dict, user_id: str = "ana") -> httpx.Response:
        return await api.post(f"{PATH}/bulk", params={"user_id": user_id}, json={"memories": memories})

    reply = (await send(now, ended, rule, backwards, unstorable)).json()
    assert (reply["created"], reply["failed"]) == (3, 2)
    assert reply["memory_ids"] == ["f-1", "f-2", "r-1"]
    assert "valid_to" in reply["errors"][0]["error"]
    again = (await send(now | {"content": "Lives in Rome."}, ended, rule)).json()
    assert (again["created"], again["failed"], again["memory_ids"]) == (0, 0, [])
    [shown] = (await listed(api))["memories"]  # the rule waits for a person, and the other fact has ended
    assert {name: shown[name] for name in ("id", "content", "origin", "trust")} == {
        "id": "f-1", "content": "Lives in Lyon.", "origin": "imported", "trust": "low",
    }  # fmt: skip
    taken = await send(now, user_id="ben")
    assert (taken.status_code, "Lyon" in taken.text) == (409, False)
    assert (await listed(api, user_id="ben"))["memories"] == []
    storage = app.state.runtime.storage
    async with storage.read(LOCAL) as snapshot:
        stored = await snapshot.memories.find_uids(["f-2", "r-1"])
    assert stored["f-2"].valid_to is not None
    assert stored["f-2"].valid_to.isoformat() == "2020-12-31T23:00:00+00:00"
    assert (stored["f-2"].source, stored["r-1"].attributes.is_unconfirmed) == ("zep", True)


@pytest.mark.both_databases
async def test_ten_senders_of_one_id_at_once_store_one(api: httpx.AsyncClient):
    """The others of the user are told that it is there, and other users that the id is taken."""

    async def send(name: str, user_id: str) -> httpx.Response:
        memory = {"id": name, "memory_type": "semantic", "content": "Lives in Lyon."}
        return await api.post(f"{PATH}/bulk", params={"user_id": user_id}, json={"memories": [memory]})

    replies = await asyncio.gather(*(send("f-1", "ana") for _ in range(10)))
    assert {one.status_code for one in replies} == {201}
    assert sorted(one.json()["created"] for one in replies) == [0] * 9 + [1]
    assert (await listed(api))["total"] == 1
    replies = await asyncio.gather(*(send("f-2", f"user {number}") for number in range(10)))
    assert sorted(one.status_code for one in replies) == [201] + [409] * 9


async def test_parts_of_another_type_are_named_and_ignored(api: httpx.AsyncClient):
    made = await added(api, topic="tea", trigger="at five", colour="green")
    assert (made["topic"], made["trigger"]) == (None, None)
    assert len(made["warnings"]) == 3
    changed = await api.patch(f"{PATH}/{made['id']}", params=ANA, json={"steps": ["a"]})
    assert changed.json()["warnings"] == ["steps: profile memories have none; ignored"]


@pytest.mark.parametrize(
    "given", ["decision", "x" * 20_000, 5, [1], {"a": 1}], ids=lambda given: str(given)[:9]
)
async def test_what_an_edit_does_not_know_is_ignored_whatever_it_is(api: httpx.AsyncClient, given: object):
    """Names of parts, too, that only what makes a memory takes."""
    made = await added(api, memory_type="episodic", event_type="request")
    reply = await api.patch(f"{PATH}/{made['id']}", params=ANA, json={"event_type": given})
    assert (reply.status_code, reply.json()["event_type"]) == (200, "request")
    [warning] = reply.json()["warnings"]
    assert warning.startswith("event_type is not known here")


async def test_subtopic_is_given_and_changed_like_the_topic(api: httpx.AsyncClient):
    made = await added(api, memory_type="semantic", topic="home", subtopic="kitchen")
    assert (made["subtopic"], made["warnings"]) == ("kitchen", None)
    changed = await api.patch(f"{PATH}/{made['id']}", params=ANA, json={"subtopic": "cellar"})
    assert (changed.json()["topic"], changed.json()["subtopic"]) == ("home", "cellar")
    refused = await api.patch(f"{PATH}/{made['id']}", params=ANA, json={"subtopic": 5})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "subtopic")


@pytest.mark.parametrize(
    ("memory_type", "names"), [("profile", ("category", "attribute")), ("semantic", ("topic", "subtopic"))]
)
async def test_learned_fact_has_its_parts_from_its_slot(
    app: FastAPI, api: httpx.AsyncClient, memory_type: str, names: tuple[str, str]
):
    """As far as nobody gave them."""
    made = await added(api, "Lives in Lyon.", memory_type=memory_type)
    storage = app.state.runtime.storage
    async with storage.begin(LOCAL) as transaction:
        [memory] = (await transaction.memories.find_uids([made["id"]])).values()
        attributes = memory.attributes.model_copy(update={"slot": "location.home"})
        await transaction.memories.save([memory.model_copy(update={"attributes": attributes})])
    one = (await listed(api))["memories"][0]
    assert tuple(one[name] for name in names) == ("location", "home")
    await api.patch(f"{PATH}/{made['id']}", params=ANA, json={names[0]: "places"})
    one = (await listed(api))["memories"][0]
    assert one[names[0]] == "places"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"memory_type": "core"}, "memory_type"),
        ({"memory_type": None}, "memory_type"),
        ({"content": ""}, "content"),
        ({"content": " \n"}, "content"),
        ({"content": "x" * 10_001}, "content"),
        ({"content": "a\u0000b"}, "NUL"),
        ({"content": "a\ud800"}, "surrogate"),
        ({"content": ["a"]}, "content"),
        ({"content": 7}, "content"),
        ({"keywords": ["x"] * 21}, "keywords"),
        ({"keywords": "tea"}, "keywords"),
        ({"keywords": [7]}, "keywords"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"a": "x" * 70_000}}, "metadata"),
        ({"metadata": {"a": "\u0000"}}, "NUL"),
        ({"reliability": 1.01}, "reliability"),
        ({"reliability": -0.01}, "reliability"),
        ({"reliability": float("nan")}, "reliability"),
        ({"reliability": float("inf")}, "reliability"),
        ({"reliability": "sure"}, "reliability"),
        ({"steps": "one"}, "steps"),
    ],
)
async def test_bad_memory_is_refused(api: httpx.AsyncClient, changed: dict, why: str):
    """Alone, and as an edit; nothing is stored."""
    body = json.dumps({"memory_type": "profile", "content": "x"} | changed)
    headers = {"Content-Type": "application/json"}
    reply = await api.post(PATH, params=ANA, content=body, headers=headers)
    assert reply.status_code == 422, reply.text
    assert why in reply.text or "finite" in reply.text or "JSON" in reply.text
    assert (await listed(api))["total"] == 0
    if "memory_type" not in changed:
        made = await added(api)
        edit = await api.patch(
            f"{PATH}/{made['id']}", params=ANA, content=json.dumps(changed), headers=headers
        )
        assert edit.status_code == 422, edit.text
        assert (await api.get(f"{PATH}/{made['id']}", params=ANA)).json() == made


async def test_longest_content_is_kept_and_found(api: httpx.AsyncClient):
    made = await added(api, "zebra " * 1_665 + "quagga")
    assert len(made["content"]) > 9_990
    assert [one["memory"]["id"] for one in (await found(api, "quagga"))["results"]] == [made["id"]]


async def test_edit_changes_what_it_gives_and_nothing_else(api: httpx.AsyncClient):
    """Reliability 0 is a value; null leaves a field; new words find it, and old ones no longer."""
    made = await added(api, "Likes zebras.", value="zebra", keywords=["animal"], metadata={"a": 1})
    path = f"{PATH}/{made['id']}"
    changed = await api.patch(
        path, params=ANA, json={"content": "Likes quaggas.", "reliability": 0, "metadata": None}
    )
    assert changed.status_code == 200, changed.text
    one = changed.json()
    assert (one["content"], one["reliability"], one["metadata"]) == ("Likes quaggas.", 0, {"a": 1})
    assert (one["value"], one["keywords"], one["id"]) == ("zebra", ["animal"], made["id"])
    assert one["updated_at"] > made["updated_at"]
    by_words = {"include_vector_search": False}
    assert (await found(api, "quaggas", **by_words))["total"] == 1
    assert (await found(api, "zebras", **by_words))["total"] == 0
    history = await api.get(f"/api/memories/{made['id']}/history")
    assert [event["reason"] for event in history.json()["events"]] == ["memory written", "memory edited"]


@pytest.mark.parametrize("given", [{}, {"content": None, "value": None}, {"unknown": 1}])
async def test_edit_that_gives_nothing_changes_nothing(api: httpx.AsyncClient, given: dict):
    """It is as new as it was, and its history tells of no edit."""
    made = await added(api, "Likes zebras.")
    reply = await api.patch(f"{PATH}/{made['id']}", params=ANA, json=given)
    assert reply.status_code == 200, reply.text
    assert reply.json()["updated_at"] == made["updated_at"]
    history = await api.get(f"/api/memories/{made['id']}/history")
    assert [event["reason"] for event in history.json()["events"]] == ["memory written"]


async def test_procedure_is_found_by_its_steps_which_an_edit_replaces(api: httpx.AsyncClient):
    made = await added(api, **EACH_TYPE[3])
    assert (await found(api, "push the image"))["results"][0]["keyword_score"] > 0
    edit = {"steps": ["weigh the anchor"], "trigger": "at dawn", "procedure_name": "sail"}
    changed = await api.patch(f"{PATH}/{made['id']}", params=ANA, json=edit)
    assert {name: changed.json()[name] for name in edit} == edit
    assert (await found(api, "anchor", include_vector_search=False))["total"] == 1


@pytest.mark.both_databases
async def test_memories_are_paged_newest_first(api: httpx.AsyncClient):
    """By number and by cursor: every memory once, also if others come meanwhile."""
    made = [(await added(api, f"Fact {number}."))["id"] for number in range(5)][::-1]
    first, second, third = [await listed(api, page=number, page_size=2) for number in (1, 2, 3)]
    assert [one["id"] for page in (first, second, third) for one in page["memories"]] == made
    assert [page["has_more"] for page in (first, second, third)] == [True, True, False]
    assert {page["total"] for page in (first, second, third)} == {5}
    await added(api, "Newer.")
    after = await listed(api, page_size=2, cursor=first["next_cursor"])
    assert [one["id"] for one in after["memories"]] == made[2:4]
    rest = await listed(api, page_size=2, cursor=after["next_cursor"])
    assert ([one["id"] for one in rest["memories"]], rest["next_cursor"]) == (made[4:], None)
    for wrong in ("x", "2026-01-01T00:00:00Z.x", ".", "9999-12-31T23:59:59-14:00.1"):
        assert (await api.get(PATH, params=ANA | {"cursor": wrong})).status_code == 422
    beyond = await listed(api, cursor="2000-01-01T00:00:00Z." + "9" * 30)
    assert (beyond["memories"], beyond["total"]) == ([], 6)
    below = await listed(api, cursor="2100-01-01T00:00:00Z.-" + "9" * 30)
    assert (len(below["memories"]), below["total"]) == (6, 6)
    for name, value in (("page", 0), ("page_size", 101), ("page_size", 0), ("memory_type", "core")):
        assert (await api.get(PATH, params=ANA | {name: value})).status_code == 422


async def test_one_type_is_listed_by_either_route(api: httpx.AsyncClient):
    ids = {body["memory_type"]: (await added(api, **body))["id"] for body in EACH_TYPE}
    for memory_type, memory_id in ids.items():
        page = await listed(api, memory_type=memory_type)
        assert ([one["id"] for one in page["memories"]], page["total"]) == ([memory_id], 1)
        same = await api.get(f"{PATH}/type/{memory_type}", params=ANA)
        assert same.json() == page
    assert (await api.get(f"{PATH}/type/core", params=ANA)).status_code == 422


@pytest.mark.both_databases
async def test_hundred_are_stored_at_once_and_each_bad_one_is_named(api: httpx.AsyncClient):
    """One commit: the good ones are there, found by words and by meaning."""
    memories: list = [
        {"memory_type": "semantic", "content": f"Planet {number} is round."} for number in range(100)
    ]
    memories[3] = {"memory_type": "semantic", "content": ""}
    memories[7] = {"memory_type": "core", "content": "x"}
    memories[9] = "a text"
    memories[11] = {"memory_type": "semantic", "content": "a\u0000b"}
    memories[13] = {"memory_type": "profile", "content": "x", "reliability": 2}
    reply = await api.post(f"{PATH}/bulk", params=ANA, json={"memories": memories})
    assert reply.status_code == 201, reply.text
    done = reply.json()
    assert (done["created"], done["failed"], len(done["memory_ids"])) == (95, 5, 95)
    assert [one["index"] for one in done["errors"]] == [3, 7, 9, 11, 13]
    assert "content" in done["errors"][0]["error"]
    assert (await stats(api))["semantic_memories"] == 95
    first = await api.get(f"{PATH}/{done['memory_ids'][0]}", params=ANA)
    assert first.json()["content"] == "Planet 0 is round."
    best = (await found(api, "Planet 50"))["results"][0]
    assert best["match_type"] == "keyword,vector"


async def test_bulk_of_nothing_good_is_an_error(api: httpx.AsyncClient):
    for memories in ([{}], [{"content": "x"}, None, 7], [], ["x"] * 101, "x", None):
        reply = await api.post(f"{PATH}/bulk", params=ANA, json={"memories": memories})
        assert reply.status_code == 422, reply.text
    assert (await listed(api))["total"] == 0


@pytest.mark.both_databases
async def test_stats_count_what_is_in_force(api: httpx.AsyncClient):
    empty = await stats(api)
    assert (empty["total_memories"], empty["average_reliability"], empty["oldest_memory"]) == (0, 0, None)
    made = [await added(api, **body, reliability=number / 4) for number, body in enumerate(EACH_TYPE)]
    one = {"user_id": "ana", "name": "Ben"}
    await api.post("/api/entities", json=one)
    told = await stats(api)
    assert told["user_id"] == "ana"
    assert told["total_memories"] == 4
    assert {told[f"{name}_memories"] for name in ("profile", "semantic", "episodic", "procedural")} == {1}
    assert told["average_reliability"] == pytest.approx(0.375)
    assert (told["total_entities"], told["total_relations"]) == (1, 0)
    assert (told["oldest_memory"], told["newest_memory"]) == (made[0]["created_at"], made[3]["created_at"])
    assert (await stats(api, user="ben"))["total_memories"] == 0


@pytest.mark.both_databases
async def test_deleted_memory_is_gone_everywhere(api: httpx.AsyncClient):
    made = await added(api, "Likes zebras.")
    other = await added(api, "Likes quaggas.")
    reply = await api.delete(f"{PATH}/{made['id']}", params=ANA)
    assert (reply.status_code, reply.content) == (204, b"")
    assert (await api.get(f"{PATH}/{made['id']}", params=ANA)).status_code == 404
    assert (await api.delete(f"{PATH}/{made['id']}", params=ANA)).status_code == 404
    assert [one["id"] for one in (await listed(api))["memories"]] == [other["id"]]
    assert [one["memory"]["id"] for one in (await found(api, "zebras"))["results"]] == [other["id"]]


async def test_all_are_deleted_only_when_that_is_confirmed(app: FastAPI, api: httpx.AsyncClient):
    """Of one type or of all, with search documents and names; another user's stay."""
    for number in range(3):
        for body in EACH_TYPE:
            await added(api, **body | {"content": f"{body['content']} {number}"})
    ben = await added(api, user="ben")
    for params in ({}, {"confirm": "false"}, {"memory_type": "profile"}):
        reply = await api.delete(PATH, params=ANA | params)
        assert (reply.status_code, reply.json()["error"]) == (400, "NotConfirmed")
    assert (await stats(api))["total_memories"] == 12
    one_type = ANA | {"confirm": "true", "memory_type": "procedural"}
    assert (await api.delete(PATH, params=one_type)).status_code == 204
    assert (await stats(api))["total_memories"] == 9
    assert (await api.delete(PATH, params=ANA | {"confirm": "true"})).status_code == 204
    assert (await stats(api))["total_memories"] == 0
    assert (await found(api, "tea"))["total"] == 0
    async with app.state.runtime.storage.read(LOCAL) as snapshot:
        assert [scope.document_count for scope in await snapshot.search.scopes(EVERYTHING)] == [1]
    assert (await listed(api, user="ben"))["memories"] == [ben]


async def test_archived_memory_is_not_in_force(api: httpx.AsyncClient):
    """It is in no list and no search, and goes when all are deleted."""
    await add_profile(api, "Lived in Rome.", user_id="ana", status="archived", profile_id="old")
    assert (await listed(api))["total"] == (await stats(api))["total_memories"] == 0
    assert (await found(api, "Rome"))["total"] == 0
    assert (await api.get(f"{PATH}/old", params=ANA)).status_code == 404
    assert (await api.delete(PATH, params=ANA | {"confirm": "true"})).status_code == 204
    assert await profiles_of(api, "ana", status_filter=["archived"]) == []


async def test_ten_at_once_are_counted_ten_times(api: httpx.AsyncClient):
    made = await added(api)
    path = f"{PATH}/{made['id']}/access"
    replies = await asyncio.gather(*(api.post(path, params=ANA) for _ in range(10)))
    assert [reply.status_code for reply in replies] == [200] * 10
    assert sorted(reply.json()["access_count"] for reply in replies) == list(range(1, 11))
    one = (await api.get(f"{PATH}/{made['id']}", params=ANA)).json()
    assert one["access_count"] == 10
    assert one["last_accessed"] >= made["created_at"]
    assert one["updated_at"] == made["updated_at"]


async def test_memory_is_known_by_its_number_too(app: FastAPI, api: httpx.AsyncClient):
    """As a chat's sources name what is not a profile; a number of another user's is unknown."""
    made = await added(api, **EACH_TYPE[3])
    async with app.state.runtime.storage.read(LOCAL) as snapshot:
        number = (await snapshot.user_memories.numbers_of([made["id"]]))[made["id"]]
    assert (await api.get(f"{PATH}/{number}", params=ANA)).json() == made
    assert (await api.get(f"{PATH}/{number}", params={"user_id": "ben"})).status_code == 404
    for wrong in ("0", "9" * 30, "x", "\u0664", "-1", "1e3"):
        assert (await api.get(f"{PATH}/{wrong}", params=ANA)).status_code == 404


@pytest.mark.both_databases
async def test_another_users_memory_is_not_there(app: FastAPI, api: httpx.AsyncClient):
    """By whatever route; and with the token of another organisation neither."""
    made = await added(api)
    tokens = [await make_token(app, LOCAL_ORG), await make_token(app, "other")]
    for token, user in ((tokens[0], "ben"), (tokens[1], "ana")):
        async with client_of(app, token=token) as other:
            theirs = {"user_id": user}
            one = f"{PATH}/{made['id']}"
            replies = [
                await other.get(one, params=theirs),
                await other.patch(one, params=theirs, json={"content": "stolen"}),
                await other.delete(one, params=theirs),
                await other.post(f"{one}/access", params=theirs),
            ]
            assert [reply.status_code for reply in replies] == [404] * 4
            assert (await listed(other, user=user))["total"] == 0
            assert (await found(other, "tea", user=user))["total"] == 0
            assert (await stats(other, user=user))["total_memories"] == 0
            everything = theirs | {"confirm": "true"}
            assert (await other.delete(PATH, params=everything)).status_code == 204
    async with client_of(app, token=tokens[0]) as mine:
        assert (await listed(mine))["memories"] == [made]
    no_token = [
        await api.request(method, path, params=ANA, json=body)
        for method, path, body in (
            ("GET", PATH, None),
            ("POST", PATH, {"memory_type": "profile", "content": "x"}),
            ("POST", PATH, {}),
            ("POST", f"{PATH}/bulk", {"memories": []}),
            ("POST", f"{PATH}/search", {"query": "x"}),
            ("GET", f"{PATH}/stats", None),
            ("GET", f"{PATH}/type/profile", None),
            ("GET", f"{PATH}/{made['id']}", None),
            ("PATCH", f"{PATH}/{made['id']}", {}),
            ("DELETE", f"{PATH}/{made['id']}", None),
            ("POST", f"{PATH}/{made['id']}/access", None),
            ("DELETE", PATH, None),
        )
    ]
    assert [reply.status_code for reply in no_token] == [401] * len(no_token)


async def test_organisations_token_must_name_the_user(app: FastAPI):
    async with client_of(app, token=await make_token(app, LOCAL_ORG)) as api:
        assert (await api.get(PATH)).status_code == 422
        assert (await api.post(PATH, json={"memory_type": "profile", "content": "x"})).status_code == 422
