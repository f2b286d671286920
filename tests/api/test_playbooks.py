"""Playbooks of users and of agents: written, edited, reviewed, read, deleted."""

import pytest

from support.api import delete

ISSUE = {"kind": "missing_tool", "details": "no calendar"}


async def add_user(api, content: str, **fields) -> int:
    """Store one user playbook and return its number."""
    body = {
        "user_playbooks": [
            {"user_id": "anna", "agent_version": "v1", "request_id": "r1", "content": content} | fields
        ]
    }
    assert (await api.post("/api/add_user_playbook", json=body)).json()["added_count"] == 1
    page = (await api.post("/api/get_user_playbooks", json={})).json()
    return max(one["user_playbook_id"] for one in page["user_playbooks"])


async def add_agent(api, content: str, **fields) -> int:
    """Store one agent playbook and return its number."""
    body = {"agent_playbooks": [{"agent_version": "v1", "content": content} | fields]}
    assert (await api.post("/api/add_agent_playbook", json=body)).json()["added_count"] == 1
    page = (await api.post("/api/get_agent_playbooks", json={})).json()
    return max(one["agent_playbook_id"] for one in page["agent_playbooks"])


async def user_playbooks(api, **wanted) -> list[dict]:
    return (await api.post("/api/get_user_playbooks", json=wanted)).json()["user_playbooks"]


async def agent_playbooks(api, **wanted) -> list[dict]:
    return (await api.post("/api/get_agent_playbooks", json=wanted)).json()["agent_playbooks"]


async def test_user_playbook_comes_back_as_it_was_written(api):
    """The reply's fields are the contract's."""
    number = await add_user(
        api,
        "Offer three dates.",
        playbook_name="booking",
        trigger="The user books.",
        rationale="They compare.",
        blocking_issue=ISSUE,
        source="import",
        source_interaction_ids=[4, 5],
        created_at=1_700_000_000,
        playbook_metadata="by hand",
    )
    (read,) = await user_playbooks(api)
    assert read.pop("provenance")["method"] == "direct"
    assert read == {
        "user_playbook_id": number,
        "user_id": "anna",
        "agent_version": "v1",
        "request_id": "r1",
        "playbook_name": "booking",
        "created_at": 1_700_000_000,
        "content": "Offer three dates.",
        "trigger": "The user books.",
        "rationale": "They compare.",
        "blocking_issue": ISSUE,
        "source": "import",
        "source_interaction_ids": [4, 5],
        "playbook_metadata": "by hand",
        "last_modified_timestamp": 1_700_000_000,
        "origin": "operator",
        "trust": "high",
    }


async def test_agent_playbook_comes_back_as_it_was_written(api):
    """The reply's fields are the contract's; one that was not reviewed is pending."""
    number = await add_agent(api, "Ask for the number.", playbook_name="orders", blocking_issue=ISSUE)
    (read,) = await agent_playbooks(api)
    assert (read["agent_playbook_id"], read["playbook_name"], read["agent_version"]) == (
        number,
        "orders",
        "v1",
    )
    assert (read["content"], read["blocking_issue"]) == ("Ask for the number.", ISSUE)
    assert (read["playbook_status"], read["playbook_metadata"]) == ("pending", "")
    assert "status" not in read


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/add_user_playbook", {"user_playbooks": []}),
        ("/api/add_user_playbook", {"user_playbooks": [{"user_id": "anna", "agent_version": "v1"}]}),
        ("/api/add_user_playbook", {"user_playbooks": [{"content": "x", "status": "gone"}]}),
        ("/api/add_user_playbook", {"user_playbooks": [{"content": "x", "blocking_issue": {"kind": "no"}}]}),
        ("/api/add_user_playbook", {"user_playbooks": [{"content": "x", "created_at": 10**15}]}),
        ("/api/add_agent_playbook", {"agent_playbooks": [{"agent_version": "v1", "trigger": "only"}]}),
        ("/api/add_agent_playbook", {"agent_playbooks": [{"content": "x", "playbook_status": "maybe"}]}),
        ("/api/add_agent_playbook", {}),
    ],
)
async def test_bad_playbooks_are_refused(api, path, body):
    """What the schema refuses is told, and nothing is stored."""
    reply = await api.post(path, json=body)
    assert reply.status_code == 422
    assert reply.json()["detail"][0]["loc"][0] == "body"
    assert await user_playbooks(api) == []
    assert await agent_playbooks(api) == []


async def test_update_user_playbook_changes_what_is_given(api):
    """Row 15: only given fields change, and the new text is found at once, the old one no more."""
    number = await add_user(api, "Mention the walrus.", trigger="Always.")
    reply = await api.put(
        "/api/update_user_playbook",
        json={
            "user_playbook_id": number,
            "content": "Mention the zebra.",
            "blocking_issue": ISSUE,
            "playbook_metadata": '{"superseded_by": 3}',
        },
    )
    assert reply.json()["success"] is True
    (read,) = await user_playbooks(api)
    assert (read["content"], read["trigger"]) == ("Mention the zebra.", "Always.")
    assert (read["blocking_issue"], read["playbook_metadata"]) == (ISSUE, '{"superseded_by": 3}')
    for query, count in (("walrus", 0), ("zebra", 1)):
        found = await api.post("/api/search_user_playbooks", json={"query": query, "search_mode": "fts"})
        assert len(found.json()["user_playbooks"]) == count


async def test_update_moves_a_user_playbook_through_its_life(api):
    """A playbook can be archived and made current again."""
    number = await add_user(api, "x")
    for given, shown in (("archived", "archived"), ("current", None)):
        await api.put("/api/update_user_playbook", json={"user_playbook_id": number, "status": given})
        assert (await user_playbooks(api))[0].get("status") == shown


async def test_update_agent_playbook_and_its_approval(api):
    """Texts and approval change by either route; nothing else does."""
    number = await add_agent(api, "Mention the walrus.")
    await api.put(
        "/api/update_agent_playbook",
        json={"agent_playbook_id": number, "content": "Mention the zebra.", "playbook_status": "rejected"},
    )
    (read,) = await agent_playbooks(api)
    assert (read["content"], read["playbook_status"]) == ("Mention the zebra.", "rejected")
    body = {"agent_playbook_id": number, "playbook_status": "approved"}
    assert (await api.put("/api/update_agent_playbook_status", json=body)).status_code == 200
    found = await api.post(
        "/api/search_agent_playbooks", json={"query": "zebra", "playbook_status_filter": "approved"}
    )
    assert [one["agent_playbook_id"] for one in found.json()["agent_playbooks"]] == [number]


async def test_agent_playbooks_are_found_by_number_in_any_state(api):
    """In the order that is asked for; unknown ones are passed over, and no filter goes with them."""
    first, second = await add_agent(api, "a"), await add_agent(api, "b")
    reply = await api.post("/api/get_agent_playbooks", json={"agent_playbook_ids": [second, 999, first]})
    assert [one["agent_playbook_id"] for one in reply.json()["agent_playbooks"]] == [second, first]
    both = {"agent_playbook_ids": [first], "playbook_name": "n"}
    assert (await api.post("/api/get_agent_playbooks", json=both)).status_code == 422


async def test_updates_of_unknown_numbers_are_404(api):
    """Row 34: an unknown id is a 404 without internals; the other kind's id is unknown."""
    number = await add_user(api, "x")
    for path, body in (
        ("/api/update_user_playbook", {"user_playbook_id": 999, "content": "y"}),
        ("/api/update_agent_playbook", {"agent_playbook_id": number, "content": "y"}),
        ("/api/update_agent_playbook_status", {"agent_playbook_id": 999, "playbook_status": "approved"}),
    ):
        reply = await api.put(path, json=body)
        assert reply.status_code == 404, path
        assert "Traceback" not in reply.text
    assert (await user_playbooks(api))[0]["content"] == "x"


async def test_playbook_of_blanks_is_refused(api):
    """It says nothing; a trigger alone says something."""
    for path, key in (("user", "user_playbooks"), ("agent", "agent_playbooks")):
        reply = await api.post(f"/api/add_{path}_playbook", json={key: [{"content": "  ", "trigger": " "}]})
        assert reply.status_code == 422, path
    assert (
        await api.post("/api/add_user_playbook", json={"user_playbooks": [{"trigger": "x"}]})
    ).status_code == 200


async def test_get_filters(api):
    """Row 46: every filter narrows; user playbooks come in any status, agent playbooks current."""
    await add_user(api, "a", playbook_name="n1")
    await add_user(api, "b", status="pending", agent_version="v2")
    await add_user(api, "c", user_id="ben", status="archived")
    for wanted, contents in (
        ({}, "abc"),
        ({"user_id": "anna"}, "ab"),
        ({"status_filter": [None]}, "a"),
        ({"status_filter": ["pending", "archived"]}, "bc"),
        ({"playbook_name": "n1"}, "a"),
        ({"agent_version": "v2"}, "b"),
        ({"limit": 1}, "c"),
    ):
        found = {one["content"] for one in await user_playbooks(api, **wanted)}
        assert found == set(contents), wanted
    await add_agent(api, "d", playbook_status="approved")
    await add_agent(api, "e", playbook_name="n1")
    for wanted, contents in (
        ({}, "de"),
        ({"playbook_status_filter": "approved"}, "d"),
        ({"playbook_name": "n1"}, "e"),
        ({"status_filter": ["archived"]}, ""),
    ):
        assert {one["content"] for one in await agent_playbooks(api, **wanted)} == set(contents), wanted


async def test_deletions_count_what_was_there(api):
    """Row 46: counts are true, single deletions of nothing are 404, and a kind keeps to itself."""
    users = [await add_user(api, "a"), await add_user(api, "b"), await add_user(api, "c")]
    agents = [await add_agent(api, "d"), await add_agent(api, "e")]
    wrong = await delete(api, "/api/delete_user_playbook", {"user_playbook_id": agents[0]})
    assert wrong.status_code == 404
    assert (await delete(api, "/api/delete_user_playbook", {"user_playbook_id": users[0]})).status_code == 200
    assert (
        await delete(api, "/api/delete_agent_playbook", {"agent_playbook_id": agents[0]})
    ).status_code == 200
    again = await delete(api, "/api/delete_agent_playbook", {"agent_playbook_id": agents[0]})
    assert again.status_code == 404
    many = await delete(api, "/api/delete_user_playbooks_by_ids", {"user_playbook_ids": [users[1], 999]})
    assert many.json()["deleted_count"] == 1
    many = await delete(api, "/api/delete_agent_playbooks_by_ids", {"agent_playbook_ids": [*users, 999]})
    assert many.json()["deleted_count"] == 0
    assert (await delete(api, "/api/delete_all_playbooks")).json()["deleted_count"] == 2


async def test_deletions_of_everything_keep_to_their_kind(api):
    """Deleting all of one kind leaves the other."""
    await add_user(api, "a")
    await add_agent(api, "b")
    assert (await delete(api, "/api/delete_all_user_playbooks")).json()["deleted_count"] == 1
    assert len(await agent_playbooks(api)) == 1
    assert (await delete(api, "/api/delete_all_agent_playbooks")).json()["deleted_count"] == 1


async def test_aggregation_change_logs_need_name_and_version(api):
    """Both are required; where nothing was aggregated the list is empty."""
    assert (await api.get("/api/playbook_aggregation_change_logs")).status_code == 422
    reply = await api.get(
        "/api/playbook_aggregation_change_logs", params={"playbook_name": "n", "agent_version": "v"}
    )
    assert reply.json() == {"success": True, "change_logs": []}
