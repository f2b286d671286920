"""What a caller sends beside what is known: refused where it would choose, named where it is written."""

import httpx
import pytest

from support.api import add_profile, delete, profiles_of, turns
from support.loop_work import loop_work

MOST_CALLS = 400_000
"""Between two turns of the loop: one a name is what Pydantic needs for a mapping."""


async def test_a_delete_of_all_refuses_a_filter(api: httpx.AsyncClient) -> None:
    """Who thinks to delete one user's profiles deletes nobody's."""
    await add_profile(api, "Likes tea.", user_id="bob")
    reply = await delete(api, "/api/delete_all_profiles?user_id=alice")
    assert reply.status_code == 422
    assert "user_id is not known" in reply.json()["message"]
    assert len(await profiles_of(api, "bob")) == 1


async def test_a_mistyped_field_of_a_search_is_refused(api: httpx.AsyncClient) -> None:
    """With the nearest one, at any depth."""
    for given, near in (
        ({"query": "rule", "userid": "alice"}, "userid is not known; did you mean user_id?"),
        (
            {"query": "q", "conversation_history": [{"role": "User", "content": "c", "contnt": "d"}]},
            "contnt is not known; did you mean content?",
        ),
    ):
        reply = await api.post("/api/search_user_playbooks", json=given)
        assert reply.status_code == 422
        assert near in reply.json()["message"]


async def test_a_null_is_a_field_not_given_also_where_it_is_not_known(api: httpx.AsyncClient) -> None:
    """Clients send null for all that they leave open."""
    reply = await api.post("/api/get_profiles", json={"user_id": "a", "later_field": None})
    assert reply.status_code == 200


async def test_a_publish_names_what_it_leaves_out(api: httpx.AsyncClient) -> None:
    """At any depth; what was known is stored."""
    body = turns("hi") | {"priority": True, "sorce": "x"}
    body["interaction_data_list"][0]["contnt"] = "z"
    reply = await api.post("/api/publish_interaction?wait_for_respons=true", json=body)
    assert reply.status_code == 200
    warnings = reply.json()["warnings"]
    assert "wait_for_respons is not known; did you mean wait_for_response?" in warnings
    assert any(one.startswith("priority is not known") for one in warnings)
    assert "sorce is not known; did you mean source?" in warnings
    assert "interaction_data_list.0: contnt is not known; did you mean content?" in warnings


async def test_a_write_without_unknown_names_says_nothing(api: httpx.AsyncClient) -> None:
    """Its reply is as it always was; older names are known."""
    body = {"user_profiles": [{"user_id": "a", "profile_content": "Likes tea."}]}
    reply = await api.post("/api/add_user_profile", json=body)
    assert reply.json() == {"success": True, "message": "stored 1 profile", "added_count": 1}


async def test_all_profiles_can_be_filtered(api: httpx.AsyncClient) -> None:
    """By what the published client sends."""
    await add_profile(api, "Alice likes tea.", user_id="alice", profile_id="p1", source="chat")
    await add_profile(api, "Bob plays chess.", user_id="bob", profile_id="p2", source="mail")
    for given, expected in (
        ({"user_id": "alice"}, {"p1"}),
        ({"user_id": "nobody"}, set()),
        ({"source": "mail"}, {"p2"}),
        ({"profile_id": "p2"}, {"p2"}),
        ({"profile_id": "p2", "user_id": "alice"}, set()),
        ({"query": "chess"}, {"p2"}),
        ({"query": "chess", "user_id": "alice"}, set()),
        ({"end_time": "2001-01-01T00:00:00Z"}, set()),
        ({"start_time": "2001-01-01T00:00:00Z"}, {"p1", "p2"}),
        ({}, {"p1", "p2"}),
    ):
        reply = await api.get("/api/get_all_profiles", params=given)
        assert {one["profile_id"] for one in reply.json()["user_profiles"]} == expected, given


async def test_user_playbooks_can_be_filtered(api: httpx.AsyncClient) -> None:
    """By time and by words."""
    rules = [{"user_id": "alice", "content": "Answer in French."}, {"user_id": "bob", "content": "Be short."}]
    assert (await api.post("/api/add_user_playbook", json={"user_playbooks": rules})).status_code == 200
    for given, expected in (
        ({"query": "French"}, {"Answer in French."}),
        ({"query": "zzz"}, set()),
        ({"start_time": "2001-01-01T00:00:00Z", "end_time": "2002-01-01T00:00:00Z"}, set()),
        ({"start_time": "2001-01-01T00:00:00Z", "user_id": "bob"}, {"Be short."}),
    ):
        reply = await api.post("/api/get_user_playbooks", json=given)
        assert {one["content"] for one in reply.json()["user_playbooks"]} == expected, given


@pytest.mark.parametrize("path", ["search", "publish_interaction", "set_config", "delete_profile"])
async def test_many_unknown_names_leave_the_loop_to_others(api: httpx.AsyncClient, path: str) -> None:
    """Three hundred thousand of them are refused, not compared with those that are known."""
    method = "DELETE" if path.startswith("delete") else "POST"
    body = turns("hi") | {f"k{number}": 0 for number in range(300_000)}
    request = api.build_request(method, f"/api/{path}", json=body)
    with loop_work() as work:
        reply = await api.send(request)
    assert reply.status_code == 422
    assert len(reply.text) < 100_000
    assert work.longest < MOST_CALLS
