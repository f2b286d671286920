"""The history of a memory over HTTP, and the way back from a merge."""

import asyncio
from urllib.parse import quote

from sagacity.domain.change import Action
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import add_profile, client_of, delete, make_token, profiles_of, publish
from support.history import decided, merged, written

LOCAL = Tenant(org_id=LOCAL_ORG)


async def history(api, memory_id, **params) -> dict:
    reply = await api.get(f"/api/memories/{quote(str(memory_id), safe='')}/history", params=params)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def undo(api, memory_id):
    return await api.post(f"/api/memories/{quote(str(memory_id), safe='')}/undo_merge")


async def learn(app, *decisions) -> list[Memory]:
    """Carry out what a learner decided; gives the current profiles, oldest first."""
    runtime = app.state.runtime
    await written(runtime.storage, runtime.clock, *decisions, tenant=LOCAL)
    async with runtime.storage.read(LOCAL) as snapshot:
        return (await snapshot.memories.list_newest(MemoryKind.PROFILE, limit=99))[::-1]


async def merge(app, api) -> str:
    """Two things said in two requests, learned and merged; gives the id of what became of them."""
    for number in (1, 2):
        await publish(api, f"turn {number}", request_id=f"r{number}")
    [runs] = await learn(app, decided(Action.ADD, "Runs.", (1,), reason="new"))
    memories = await learn(app, merged("Runs and swims.", "Swims.", (2,), runs))
    return next(one.uid for one in memories if one.content == "Runs and swims.")


async def test_history_tells_who_when_and_from_which_turns(app, api):
    """Each event names its actor, reason, run and turns; what was merged and all turns are there."""
    uid = await merge(app, api)
    told = await history(api, uid)
    assert (told["memory"]["uid"], told["memory"]["content"]) == (uid, "Runs and swims.")
    assert told["memory"]["provenance"]["learner"] == "profile:x"
    [added] = told["events"]
    assert {name: added[name] for name in ("action", "actor", "reason", "run_id", "request_id")} == {
        "action": "added", "actor": "profile:x", "reason": "one thing", "run_id": "run-2", "request_id": "r2",
    }  # fmt: skip
    assert (added["interaction_ids"], added["before"]["content"]) == ([2], "Swims.")
    assert abs(added["at"] - app.state.runtime.clock.now().timestamp()) < 60
    [former] = told["predecessors"]
    assert (former["content"], former["status"], former["archived_by"]) == ("Runs.", "archived", "learner")
    assert [(turn["request_id"], turn["role"], turn["content"]) for turn in told["sources"]] == [
        ("r1", "User", "turn 1"),
        ("r2", "User", "turn 2"),
    ]
    assert (told["source_count"], told["deleted_source_count"], told["has_more_predecessors"]) == (
        2,
        0,
        False,
    )


async def test_history_of_what_was_replaced_names_its_successor(app, api):
    """The event that put it away names the turns that said otherwise."""
    uid = await merge(app, api)
    [former] = (await history(api, uid))["predecessors"]
    told = await history(api, former["uid"])
    assert told["successor"]["uid"] == uid
    assert [(event["action"], event["interaction_ids"]) for event in told["events"]] == [
        ("added", [1]),
        ("removed", [2]),
    ]


async def test_deleted_turns_are_counted_and_not_shown(app, api):
    """What was erased stays erased; the memory still says how many it rested on."""
    uid = await merge(app, api)
    assert (await delete(api, "/api/delete_request", {"request_id": "r1"})).status_code == 200
    told = await history(api, uid)
    assert [turn["content"] for turn in told["sources"]] == ["turn 2"]
    assert (told["source_count"], told["deleted_source_count"]) == (2, 1)


async def test_limit_keeps_the_newest_events_and_turns(app, api):
    """What is left out is counted."""
    await merge(app, api)
    await add_profile(api, "one", profile_id="p")
    for text in ("two", "three"):
        body = {"user_id": "anna", "profile_id": "p", "content": text}
        assert (await api.put("/api/update_user_profile", json=body)).status_code == 200
    told = await history(api, "p", limit=2)
    assert [event["after"]["content"] for event in told["events"]] == ["two", "three"]
    assert told["event_count"] == 3


async def test_direct_writes_and_edits_are_in_the_history(app, api):
    """Written, written again under the same id, edited: each with who and what was before."""
    await add_profile(api, "one", profile_id="p")
    await add_profile(api, "two", profile_id="p")
    await api.put("/api/update_user_profile", json={"user_id": "anna", "profile_id": "p", "content": "three"})
    told = await history(api, "p")
    assert [
        (event["action"], event["actor"], event["reason"], event.get("before", {}).get("content"))
        for event in told["events"]
    ] == [
        ("added", "api", "profile written", None),
        ("updated", "api", "profile written", "one"),
        ("updated", "api", "profile edited", "two"),
    ]
    assert (told["sources"], told["source_count"]) == ([], 0)


async def test_tokens_name_is_the_actor(app):
    """Who holds which token is known; the token itself is nowhere."""
    token = await make_token(app, "org")
    async with client_of(app, token=token) as api:
        await add_profile(api, "one", profile_id="p")
        reply = await api.get("/api/memories/p/history")
    assert [event["actor"] for event in reply.json()["events"]] == ["api:test"]
    assert token not in reply.text


async def test_approval_and_archiving_of_playbooks_are_changes(app, api):
    """A person's archive says so until it is taken back; an approval is recorded as what it is."""
    playbook = {"agent_version": "v1", "content": "Ask first."}
    await api.post("/api/add_agent_playbook", json={"agent_playbooks": [playbook]})
    await api.post("/api/add_user_playbook", json={"user_playbooks": [playbook | {"user_id": "anna"}]})
    agents, mine = 1, 2
    body = {"agent_playbook_id": agents, "playbook_status": "approved"}
    assert (await api.put("/api/update_agent_playbook_status", json=body)).status_code == 200
    assert (
        await api.put("/api/update_agent_playbook_status", json=body)
    ).status_code == 200  # nothing happens
    told = await history(api, agents)
    assert [(event["action"], event["reason"]) for event in told["events"]] == [
        ("added", "agent playbook written"),
        ("updated", f"agent playbook {agents} is approved"),
    ]
    assert told["memory"]["approval"] == "approved"
    body = {"user_playbook_id": mine, "status": "archived"}
    assert (await api.put("/api/update_user_playbook", json=body)).status_code == 200
    assert (await history(api, mine))["memory"]["archived_by"] == "person"


async def test_undo_gives_back_what_was_merged(app, api):
    """The parts are current and found again, the whole is archived, and the history says so."""
    uid = await merge(app, api)
    reply = await undo(api, uid)
    assert reply.status_code == 200, reply.text
    done = reply.json()
    assert done["message"] == "1 memory is current again"
    assert [one["content"] for one in done["restored"]] == ["Runs."]
    assert (done["separated"]["content"], done["separated"]["source_interaction_ids"]) == ("Swims.", [2])
    assert (done["memory"]["status"], done["memory"]["archived_by"]) == ("archived", "person")
    assert {one["content"] for one in await profiles_of(api)} == {"Runs.", "Swims."}
    body = {"user_id": "anna", "query": "does she swim?"}
    found = (await api.post("/api/search_profiles", json=body)).json()["user_profiles"]
    assert found[0]["content"] == "Swims."
    told = await history(api, uid)
    assert [(event["action"], event["actor"]) for event in told["events"]] == [
        ("added", "profile:x"),
        ("removed", "api"),
    ]
    again = await undo(api, uid)
    assert (again.status_code, again.json()["error"]) == (409, "Conflict")
    assert "is archived" in again.json()["message"]


async def test_undo_of_what_was_not_merged_is_refused(app, api):
    """409 with the reason; nothing is changed."""
    await add_profile(api, "one", profile_id="p")
    reply = await undo(api, "p")
    assert (reply.status_code, reply.json()["error"]) == (409, "Conflict")
    assert "was not made by a merge" in reply.json()["message"]
    assert [event["action"] for event in (await history(api, "p"))["events"]] == ["added"]


async def test_undo_leaves_no_two_merges_done_at_once(app, api):
    """Of two calls at the same time one takes the merge back, and the other is told so."""
    uid = await merge(app, api)
    replies = await asyncio.gather(undo(api, uid), undo(api, uid))
    assert sorted(reply.status_code for reply in replies) == [200, 409]
    assert sorted(one["content"] for one in await profiles_of(api)) == ["Runs.", "Swims."]


HOSTILE = [
    "nothing",
    "0",
    "-1",
    "99999999999999999999",
    "٣",
    "p\x00",
    "../history",
    "a b",
    "'; --",
    "x" * 513,
    "𝕏",
]


async def test_unknown_and_hostile_ids_are_not_found(app, api):
    """Whatever stands in the path: 404 or 422 with a text, for both routes."""
    await add_profile(api, "one", profile_id="p")
    for given in HOSTILE:
        for method, route in (("GET", "history"), ("POST", "undo_merge")):
            reply = await api.request(method, f"/api/memories/{quote(given, safe='')}/{route}")
            assert reply.status_code in {404, 422}, (given, route, reply.text)
            assert reply.json()["message"]


async def test_ids_of_any_form_are_found(app, api):
    """An id is whatever a client named a profile, also what looks like a path or a number."""
    for uid in ("a/b", "a/history", "7", "ünï ©", "%2F", "p?x=1#y"):
        await add_profile(api, "one", profile_id=uid)
        assert (await history(api, uid))["memory"]["uid"] == uid


async def test_a_path_that_goes_on_is_no_id_with_a_slash(app, api):
    """Only an encoded slash belongs to an id: what was meant for another route erases nobody."""
    await add_profile(api, "one", profile_id="a/b")
    assert (await api.get("/api/memories/a/b/history")).status_code == 404
    await add_profile(api, "two", user_id="anna/export")
    refused = await api.delete("/api/users/anna/export")
    assert refused.status_code == 404
    assert "%2F" in refused.json()["message"]
    assert len(await profiles_of(api, "anna/export")) == 1
    exported = await api.get("/api/users/anna%2Fexport/export")
    assert exported.status_code == 200
    assert (await api.delete("/api/users/anna%2Fexport")).json()["success"]
    assert await profiles_of(api, "anna/export") == []


async def test_number_that_is_also_a_uid_is_told_apart_by_kind(app, api):
    """Without a kind the uid counts; a number or a citation that nothing has is 404."""
    await api.post(
        "/api/add_user_playbook",
        json={"user_playbooks": [{"user_id": "anna", "agent_version": "v1", "content": "Ask first."}]},
    )
    assert (await history(api, 1))["memory"]["content"] == "Ask first."
    await add_profile(api, "one", profile_id="1")
    assert (await history(api, 1))["memory"]["content"] == "one"
    assert (await history(api, 1, kind="user_playbook"))["memory"]["content"] == "Ask first."
    for given in ("99", "p:99", "u:99", "i:1", "p:", "x:1", "p:1"):
        assert (await api.get(f"/api/memories/{given}/history")).status_code == 404, given
    assert (await api.get("/api/memories/u:1/history", params={"kind": "profile"})).status_code == 404
    assert (await api.get("/api/memories/1/history", params={"kind": "skill"})).status_code == 404
    assert (await api.get("/api/memories/1/history", params={"kind": "none"})).status_code == 422
    assert (await api.get("/api/memories/1/history", params={"limit": 0})).status_code == 422


async def test_memories_are_found_by_their_number_and_as_a_context_cites_them(api):
    """Whatever number is shown can be asked for: it is one memory's alone, of whatever kind that is."""
    await add_profile(api, "one", profile_id="p")
    playbook = {"user_id": "anna", "agent_version": "v1", "content": "Ask first."}
    await api.post("/api/add_user_playbook", json={"user_playbooks": [playbook]})
    for given, content in (("1", "one"), ("p:1", "one"), ("[p:1]", "one"), ("u:2", "Ask first.")):
        assert (await history(api, given))["memory"]["content"] == content, given
    await add_profile(api, "two", profile_id="u:2")
    assert (await history(api, "u:2"))["memory"]["content"] == "two"
    assert (await history(api, "u:2", kind="user_playbook"))["memory"]["content"] == "Ask first."


async def test_other_organisations_memories_are_not_found(app):
    """By uid and by number: 404, and nothing is undone."""
    mine, theirs = [await make_token(app, org) for org in ("mine", "theirs")]
    async with client_of(app, token=mine) as api, client_of(app, token=theirs) as other:
        await add_profile(api, "one", profile_id="p")
        playbook = {"user_id": "anna", "agent_version": "v1", "content": "Ask first."}
        await api.post("/api/add_user_playbook", json={"user_playbooks": [playbook]})
        assert (await api.get("/api/memories/2/history")).status_code == 200
        for given in ("p", "2", "u:2"):
            assert (await other.get(f"/api/memories/{given}/history")).status_code == 404
            assert (await other.post(f"/api/memories/{given}/undo_merge")).status_code == 404
