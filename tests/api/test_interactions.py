"""Publishing, reading and deleting what happened."""

import asyncio

import pytest

from support.api import delete, publish, turns


async def test_publish_is_stored_and_read_back_when_the_reply_comes(api):
    """Row 2: nothing is acknowledged before it is stored."""
    reply = await api.post("/api/publish_interaction", json=turns("I live in Lisbon", session_id="s1"))
    assert reply.status_code == 200
    assert reply.json()["message"] == "queued"
    assert reply.json()["success"] is True
    assert reply.json()["warnings"] == []
    read = (await api.post("/api/get_interactions", json={"user_id": "anna"})).json()
    assert [turn["content"] for turn in read["interactions"]] == ["I live in Lisbon"]
    assert read["interactions"][0]["request_id"] == reply.json()["request_id"]


async def test_publish_fills_what_a_turn_may_carry(api):
    """Every field of a turn comes back as it was sent, but an inline image does not; newer clients' words are read."""
    turn = {
        "role": "Agent",
        "content": "It is on its way.",
        "shadow_content": "It left today.",
        "expert_content": "Order 4 left today.",
        "user_action": "click",
        "user_action_description": "opened the order",
        "image_encoding": "aGVsbG8=",
        "tools_used": [{"tool_name": "orders", "tool_data": {"id": 4, "none": None}}],
    }
    citations = ({"entity_type": "profile", "entity_id": "p1"}, {"kind": "profile", "real_id": "p1"})
    for cited in citations:
        turns_sent = [turn | {"citations": [cited], "retrieved_learnings": []}]
        body = {"user_id": "anna", "interaction_data_list": turns_sent, "override_learning_stall": False}
        reply = await api.post("/api/publish_interaction", json=body)
        assert (reply.status_code, reply.json()["warnings"]) == (200, [])
        read = (await api.get("/api/get_all_interactions")).json()["interactions"][0]
        assert {name: read.get(name) for name in turn} == turn | {"image_encoding": None}
        assert read["citations"] == [citations[0] | citations[1]]
        assert "embedding" not in read


async def test_publish_twice_under_one_id_is_stored_once(api):
    """Row 19: a repeated publish gives the same reply and is stored once; other content is refused."""
    first = await api.post("/api/publish_interaction", json=turns("hello", request_id="r1"))
    again = await api.post("/api/publish_interaction", json=turns("hello", request_id="r1"))
    other = await api.post("/api/publish_interaction", json=turns("bye", request_id="r1"))
    assert first.json() == again.json()
    assert other.status_code == 409
    assert other.json()["error"] == "Conflict"
    assert len((await api.get("/api/get_all_interactions")).json()["interactions"]) == 1


async def test_publish_keeps_when_it_happened(api):
    """The sender's time stands beside ours; a retry that is stamped anew is the same request."""
    at = 1_684_576_800
    turn = {"content": "hello", "created_at": at}
    body = {"user_id": "anna", "request_id": "r1", "interaction_data_list": [turn, turn | {"created_at": 0}]}
    first = await api.post("/api/publish_interaction", json=body)
    stamped_anew = body | {"interaction_data_list": [turn | {"created_at": at + 9}, turn | {"created_at": 0}]}
    again = await api.post("/api/publish_interaction", json=stamped_anew)
    assert (again.status_code, again.json()) == (200, first.json())
    newest, oldest = (await api.get("/api/get_all_interactions")).json()["interactions"]
    assert oldest["happened_at"] == at
    assert oldest["created_at"] == newest["created_at"] == newest["happened_at"] > at + 9


async def test_publish_that_waits_counts_what_was_learned(api, app):
    """A waiting publish says what came of it, and where it is kept."""
    reply = await api.post(
        "/api/publish_interaction",
        params={"wait_for_response": "true"},
        json=turns("I live in Lisbon.", force_extraction=True),
    )
    body = reply.json()
    assert body["profiles_added"] == 1
    assert body["playbooks_added"] == 0
    assert body["storage_type"] == app.state.runtime.storage.kind
    assert body["warnings"] == []


async def test_publish_by_many_at_once_loses_nothing(api):
    """Row 3: users that publish together are all stored."""
    await asyncio.gather(*(publish(api, f"turn of {n}", user_id=f"user-{n % 4}") for n in range(40)))
    read = (await api.get("/api/get_all_interactions")).json()["interactions"]
    assert sorted(turn["content"] for turn in read) == sorted(f"turn of {n}" for n in range(40))


@pytest.mark.parametrize(
    "turn",
    [
        {"user_action": "click"},
        {"user_action": "dance", "user_action_description": "x"},
        {"interacted_image_url": "ftp://example.org/a.png"},
        {"interacted_image_url": "http://169.254.169.254/latest/meta-data"},
        {"interacted_image_url": "http://metadata.google.internal/x.png"},
        {"interacted_image_url": "https://example.org/a.png", "image_encoding": "aGk="},
        {"tools_used": [{"tool_data": {}}]},
        {"content": 5},
    ],
)
async def test_publish_of_a_bad_turn_is_refused_and_stores_nothing(api, turn):
    """One bad turn refuses the whole call, with a text that says why."""
    body = {"user_id": "anna", "interaction_data_list": [{"content": "fine"}, turn]}
    reply = await api.post("/api/publish_interaction", json=body)
    assert reply.status_code == 422
    assert reply.json()["error"] == "InvalidInput"
    assert (await api.get("/api/get_all_interactions")).json()["interactions"] == []


async def test_publish_takes_the_address_of_an_image(api):
    """An image may be named by an ordinary address, or come as a data URL."""
    for url in ("https://example.org/a.png", "data:image/png;base64,aGk="):
        await api.post(
            "/api/publish_interaction",
            json={"user_id": "anna", "interaction_data_list": [{"interacted_image_url": url}]},
        )
    read = (await api.get("/api/get_all_interactions")).json()["interactions"]
    assert [turn["interacted_image_url"] for turn in read] == [
        "data:image/png;base64,aGk=",
        "https://example.org/a.png",
    ]


async def test_get_interactions_keeps_to_the_time_asked_for(api):
    """Row 16: both ends of a time filter work, and a time without a zone is UTC."""
    await publish(api, "now")
    everything = {"start_time": "2020-01-01T00:00:00", "end_time": "2100-01-01T00:00:00Z"}
    past = {"start_time": "2020-01-01T00:00:00", "end_time": "2020-06-01T00:00:00+02:00"}
    future = {"start_time": "2100-01-01T00:00:00"}
    for span, count in ((everything, 1), (past, 0), (future, 0), ({"end_time": "2020-01-01T00:00:00"}, 0)):
        read = await api.post("/api/get_interactions", json={"user_id": "anna"} | span)
        assert len(read.json()["interactions"]) == count, span


async def test_get_interactions_is_newest_first_and_limited(api):
    """The newest turns come first, also of one second."""
    await publish(api, *[f"turn {n}" for n in range(15)])
    read = (await api.post("/api/get_interactions", json={"user_id": "anna", "top_k": 3})).json()
    assert [turn["content"] for turn in read["interactions"]] == ["turn 14", "turn 13", "turn 12"]


async def test_get_requests_pages_exactly_and_groups_by_session(api):
    """Row 46: has_more is true only if there is more; requests without a session share the empty key."""
    first = await publish(api, "one", session_id="s1")
    second = await publish(api, "two")
    third = await publish(api, "three", session_id="s1")
    page = (await api.post("/api/get_requests", json={"top_k": 3})).json()
    assert page["has_more"] is False
    groups = {
        group["session_id"]: [item["request"]["request_id"] for item in group["requests"]]
        for group in page["sessions"]
    }
    assert groups == {"s1": [third, first], "": [second]}
    short = (await api.post("/api/get_requests", json={"top_k": 2})).json()
    assert short["has_more"] is True
    rest = (await api.post("/api/get_requests", json={"top_k": 2, "offset": 2})).json()
    assert rest["has_more"] is False
    assert rest["sessions"][0]["requests"][0]["interactions"][0]["content"] == "one"


async def test_get_requests_filters(api):
    """Every filter narrows the page."""
    kept = await publish(api, "one", session_id="s1")
    await publish(api, "two", user_id="ben")
    for wanted, count in (
        ({"user_id": "anna"}, 1),
        ({"request_id": kept}, 1),
        ({"session_id": "s1"}, 1),
        ({"session_id": ""}, 1),
        ({"user_id": "ben", "session_id": "s1"}, 0),
        ({"end_time": "2020-01-01T00:00:00"}, 0),
    ):
        page = (await api.post("/api/get_requests", json=wanted)).json()
        assert sum(len(group["requests"]) for group in page["sessions"]) == count, wanted


async def test_delete_interaction_is_its_users_only(api):
    """A turn goes only under its own user's name, and is then found no more."""
    await publish(api, "walrus")
    (turn,) = (await api.get("/api/get_all_interactions")).json()["interactions"]
    body = {"user_id": "ben", "interaction_id": turn["interaction_id"]}
    assert (await delete(api, "/api/delete_interaction", body)).status_code == 404
    assert (await delete(api, "/api/delete_interaction", body | {"user_id": "anna"})).status_code == 200
    found = await api.post("/api/search_interactions", json={"user_id": "anna", "query": "walrus"})
    assert found.json()["interactions"] == []


async def test_delete_requests_and_sessions_count_what_was_there(api):
    """Row 46: counts are of what was removed, and what is not there is a 404."""
    first = await publish(api, "one", session_id="s1")
    second = await publish(api, "two", session_id="s1")
    third = await publish(api, "three")
    assert (await delete(api, "/api/delete_request", {"request_id": "none"})).status_code == 404
    assert (await delete(api, "/api/delete_request", {"request_id": third})).json()["success"] is True
    many = await delete(api, "/api/delete_requests_by_ids", {"request_ids": [first, third, "none"]})
    assert (many.json()["deleted_count"], many.json()["message"]) == (1, "deleted 1 request")
    gone = await delete(api, "/api/delete_session", {"session_id": "s1"})
    assert gone.json()["deleted_requests_count"] == 1
    assert (await delete(api, "/api/delete_session", {"session_id": "s1"})).status_code == 404
    assert (await delete(api, "/api/delete_request", {"request_id": second})).status_code == 404


async def test_delete_all_interactions_counts_them(api):
    """Row 46: the count of a deletion of everything is the true one."""
    await publish(api, "one", "two")
    await publish(api, "three", user_id="ben")
    assert (await delete(api, "/api/delete_all_interactions")).json()["deleted_count"] == 3
    assert (await api.get("/api/get_all_interactions")).json()["interactions"] == []
