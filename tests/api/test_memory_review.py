"""The review queue over HTTP: what is in it and why, what a person does about it, and the way back."""

import pytest

from sagacity.domain.clock import Clock
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import client_of, make_token
from support.parts import StoppedClock

LOCAL = Tenant(org_id=LOCAL_ORG)
ANA = {"user_id": "ana"}
DAY = 86_400


@pytest.fixture
def api_clock() -> Clock:
    return StoppedClock()


async def call(api, path: str, status: int = 200, **body) -> dict:
    reply = await api.post(f"/api/{path}", json=body)
    assert reply.status_code == status, reply.text
    return reply.json()


async def teach(api, *contents: str, user_id: str = "ana", **fields) -> list[int]:
    """Write user playbooks; gives their numbers."""
    books = [{"user_id": user_id, "content": one} | fields for one in contents]
    await call(api, "add_user_playbook", user_playbooks=books)
    found = (await call(api, "get_user_playbooks", user_id=user_id, limit=999))["user_playbooks"]
    known = {one["content"]: one["user_playbook_id"] for one in found}
    return [known[content] for content in contents]


async def queue(api, **body) -> dict[str, dict]:
    """The candidates by their ids, in their order."""
    found = await call(api, "get_memory_review", **(ANA | body))
    return {one["entity_id"]: one for one in found["candidates"]}


async def test_stale_memory_is_archived_and_comes_back(app, api, api_clock):
    """It is in the queue by the contract's fields; archived it is not, and undone it is again, as it was."""
    [old] = await teach(api, "Offer credit first.", trigger="asked for a refund")
    api_clock.advance(100 * DAY)
    [new] = await teach(api, "Greet by name.")
    [found] = (await queue(api)).values()
    assert found == {
        "entity_type": "user_playbook", "entity_id": str(old), "title": "Offer credit first.",
        "signals": ["stale"], "score": 64, "injection_count": 0, "citation_count": 0,
        "last_injected_at": None, "last_cited_at": None,
        "last_modified_at": int(api_clock.now().timestamp()) - 100 * DAY,
        "user_id": "ana", "trigger": "asked for a refund", "content": "Offer credit first.", "related": [],
        "effect": None,
    }  # fmt: skip
    done = await call(api, "review_memory", entity_id=old, action="archive", reason="not used")
    assert (done["memory"]["status"], done["action"]["actor"]) == ("archived", "api")
    assert await queue(api) == {}
    undone = await call(api, "undo_memory_review", action_id=done["action"]["action_id"])
    assert (undone["memory"].get("status"), undone["action"]["undone_by"]) == (None, "api")
    assert (await queue(api))[str(old)] == found
    await call(api, "undo_memory_review", 409, action_id=done["action"]["action_id"])
    assert str(new) not in await queue(api)


async def test_kept_memory_is_out_of_the_queue_for_some_time(app, api, api_clock):
    """Who kept it, when and until when is in the log and in its history; then it comes back by itself."""
    [book] = await teach(api, "Offer credit first.")
    api_clock.advance(40 * DAY)
    await call(api, "review_memory", entity_id=book, action="keep", keep_days=10, reason="seasonal")
    assert await queue(api) == {}
    [told] = (await call(api, "get_memory_review_actions", **ANA))["actions"]
    now = int(api_clock.now().timestamp())
    assert (told["action"], told["at"], told["kept_until"]) == ("keep", now, now + 10 * DAY)
    history = (await api.get(f"/api/memories/{book}/history", params={"kind": "user_playbook"})).json()
    last = history["events"][-1]
    assert (last["action"], last["actor"], last["reason"]) == (
        "kept", "api", "reviewed: kept for 10 days (seasonal)",
    )  # fmt: skip
    await call(api, "undo_memory_review", entity_id=book)
    assert list(await queue(api)) == [str(book)]
    await call(api, "review_memory", entity_id=book, action="keep", keep_days=10)
    api_clock.advance(10 * DAY)
    assert list(await queue(api)) == [str(book)]


async def test_merge_and_supersede_are_taken_back(app, api):
    """What was merged hands its turns over, and takes them back; the other says what it said before."""
    one, other = await teach(api, "Offer credit first.", "Offer a credit first.")
    text = "Offer credit before money."
    done = await call(api, "review_memory", entity_id=one, action="merge", other_id=other, content=text)
    assert (done["memory"]["status"], done["memory"]["superseded_by"]) == ("archived", other)
    found = (await call(api, "get_user_playbooks", **ANA, status_filter=[None]))["user_playbooks"]
    assert [book["content"] for book in found] == [text]
    await call(api, "undo_memory_review", entity_id=one)
    found = (await call(api, "get_user_playbooks", **ANA, status_filter=[None]))["user_playbooks"]
    assert {book["content"] for book in found} == {"Offer credit first.", "Offer a credit first."}
    await call(api, "review_memory", entity_id=one, action="supersede", other_id=str(other))
    undone = await api.post(f"/api/memories/{other}/undo_merge", params={"kind": "user_playbook"})
    assert [memory["memory_id"] for memory in undone.json()["restored"]] == [one]
    await call(api, "undo_memory_review", 409, entity_id=one)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"action": "merge"}, 422),
        ({"action": "merge", "other_id": 1}, 422),
        ({"action": "supersede", "other_id": 99}, 404),
        ({"action": "supersede", "other_id": "\u0001"}, 404),
        ({"action": "supersede", "other_id": 3}, 422),
        ({"action": "delete"}, 422),
        ({"action": "keep", "keep_days": 10**9}, 422),
        ({"action": "keep", "entity_type": "profile"}, 404),
        ({"action": "keep", "othr_id": 2}, 422),
        ({"action": "keep", "entity_id": "x\u0000"}, 422),
        ({"action": "keep", "entity_id": 2**80}, 422),
        ({"action": "keep", "entity_id": {}}, 422),
    ],
)
async def test_wrong_action_is_refused(app, api, body, status):
    """With a reason, and nothing is changed."""
    await teach(api, "Offer credit first.", "Greet by name.")
    await teach(api, "Of another user.", user_id="ben")
    await call(api, "review_memory", status, **({"entity_id": 1} | body))
    assert (await call(api, "get_memory_review_actions", include_all_users=True))["actions"] == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"user_id": "ana", "days_back": 0}, 422),
        ({"user_id": "ana", "days_back": 10**12}, 422),
        ({"user_id": "ana", "signal_filter": ["old"]}, 422),
        ({"user_id": "ana", "kinds": ["agent_playbook"]}, 422),
        ({"user_id": "ana", "kinds": []}, 422),
        ({"user_id": "ana", "include_all_users": True}, 422),
        ({"user_id": "nobody"}, 200),
        ({"include_all_users": True, "kinds": ["agent_playbook", "skill"]}, 200),
    ],
)
async def test_queue_asks_for_a_user_or_for_all(app, api, body, status):
    await call(api, "get_memory_review", status, **body)


async def test_other_organisations_see_and_change_nothing(app, api, api_clock):
    """Neither what is in the queue nor what was done."""
    token, other = await make_token(app, "one"), await make_token(app, "two")
    async with client_of(app, token=token) as mine, client_of(app, token=other) as theirs:
        [book] = await teach(mine, "Offer credit first.")
        api_clock.advance(40 * DAY)
        assert list(await queue(mine)) == [str(book)]
        assert await queue(theirs) == await queue(theirs, user_id=None, include_all_users=True) == {}
        await call(theirs, "review_memory", 404, entity_id=book, action="archive")
        done = await call(mine, "review_memory", entity_id=book, action="archive")
        await call(theirs, "undo_memory_review", 404, action_id=done["action"]["action_id"])
        assert (await call(theirs, "get_memory_review_actions", include_all_users=True))["actions"] == []


async def test_health_tells_what_is_wrong_and_what_to_do(app, api, api_clock):
    """Of one user or of all, with examples by the ids that the review takes; another organisation has its own."""
    [blank, old] = await teach(api, "?", "Offer credit first.")
    api_clock.advance(40 * DAY)
    await teach(api, "Greet by name.", user_id="ben")
    told = (await api.get("/api/memory_health", params=ANA)).json()
    problems = {one["problem"]: one for one in told["problems"]}
    assert (told["memory_count"], told["score"]) == (2, 25)  # half is junk, and all of it is stale
    assert list(problems) == ["junk", "duplicate", "contradiction", "stale", "orphaned"]
    assert [one["entity_id"] for one in problems["junk"]["examples"]] == [str(blank)]
    assert [one["entity_id"] for one in problems["stale"]["examples"]] == [str(blank), str(old)]
    assert (problems["junk"]["share"], problems["junk"]["count"], problems["orphaned"]["count"]) == (
        0.5,
        1,
        0,
    )
    assert problems["junk"]["next_step"].startswith("sagacity review-memory ID archive")
    everyone = await api.get("/api/memory_health", params={"include_all_users": True, "days_back": 60})
    assert (everyone.json()["memory_count"], everyone.json()["score"]) == (3, 67)
    async with client_of(app, token=await make_token(app, "elsewhere")) as other:
        theirs = (await other.get("/api/memory_health", params={"include_all_users": True})).json()
    assert (theirs["memory_count"], theirs["score"]) == (0, None)


@pytest.mark.parametrize(
    "given",
    [{}, {"user_id": ""}, {"user_id": "a\0b"}, {"user_id": "x" * 600}]
    + [ANA | {"days_back": one} for one in ("0", "-1", "36501", "many", "1e99")]
    + [ANA | {"include_all_users": one} for one in ("perhaps", "true")],
    ids=repr,
)
async def test_health_refuses_what_names_nobody(api, given: dict):
    """A wrong parameter is the caller's mistake."""
    assert (await api.get("/api/memory_health", params=given)).status_code == 422
