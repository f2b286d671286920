"""Older names: of routes, of fields sent, of fields answered."""

from sagacity.api.vocabulary import OLDER_ROUTES, renamed
from support.api import delete, publish
from support.routes import described


def test_renaming_reaches_every_depth():
    """Keys change, values do not."""
    value = {"a": [{"a": "a", "b": {"a": 1}}], "c": None}
    assert renamed(value, {"a": "z"}) == {"z": [{"z": "a", "b": {"z": 1}}], "c": None}


async def test_user_playbooks_under_their_older_name(api):
    """Written, read, found, edited and deleted as raw feedback."""
    raw = {
        "user_id": "anna",
        "agent_version": "v1",
        "request_id": "r1",
        "feedback_name": "n",
        "feedback_content": "zebra",
    }
    added = await api.post("/api/add_raw_feedback", json={"raw_feedbacks": [raw]})
    assert added.json()["added_count"] == 1
    for path, body in (
        ("/api/get_raw_feedbacks", {"feedback_name": "n"}),
        ("/api/search_raw_feedbacks", {"query": "zebra"}),
    ):
        (found,) = (await api.post(path, json=body)).json()["raw_feedbacks"]
        assert {name: found[name] for name in raw} == raw
        assert not {"user_playbook_id", "playbook_name", "content"} & set(found)
    number = found["raw_feedback_id"]
    await api.put("/api/update_raw_feedback", json={"raw_feedback_id": number, "feedback_content": "walrus"})
    (current,) = (await api.post("/api/get_user_playbooks", json={})).json()["user_playbooks"]
    assert (current["user_playbook_id"], current["content"]) == (number, "walrus")
    assert (await delete(api, "/api/delete_raw_feedback", {"raw_feedback_id": number})).status_code == 200
    assert (await delete(api, "/api/delete_raw_feedback", {"raw_feedback_id": number})).status_code == 404


async def test_agent_playbooks_under_their_older_name(api):
    """Written, read, reviewed and deleted as feedback."""
    body = {"feedbacks": [{"agent_version": "v1", "feedback_name": "n", "feedback_content": "zebra"}]}
    assert (await api.post("/api/add_feedback", json=body)).json()["added_count"] == 1
    (found,) = (await api.post("/api/get_feedbacks", json={"feedback_status_filter": "pending"})).json()[
        "feedbacks"
    ]
    assert (found["feedback_name"], found["feedback_content"], found["feedback_status"]) == (
        "n",
        "zebra",
        "pending",
    )
    review = {"feedback_id": found["feedback_id"], "feedback_status": "approved"}
    assert (await api.put("/api/update_feedback_status", json=review)).status_code == 200
    (current,) = (await api.post("/api/search_feedbacks", json={"query": "zebra"})).json()["feedbacks"]
    assert current["feedback_status"] == "approved"
    gone = await delete(api, "/api/delete_feedbacks_by_ids", {"feedback_ids": [found["feedback_id"], 999]})
    assert gone.json()["deleted_count"] == 1


async def test_current_routes_take_older_fields_and_answer_with_current_ones(api):
    """What a client sends may be of either vocabulary; the route decides the answer's."""
    body = {
        "raw_feedbacks": [
            {"feedback_name": "n", "when_condition": "w", "do_action": "d", "do_not_action": "not"}
        ]
    }
    assert (await api.post("/api/add_user_playbook", json=body)).json()["added_count"] == 1
    (found,) = (await api.post("/api/get_user_playbooks", json={"feedback_name": "n"})).json()[
        "user_playbooks"
    ]
    assert (found["playbook_name"], found["trigger"], found["content"], found["pitfall"]) == (
        "n",
        "w",
        "d",
        "not",
    )


async def test_a_request_group_is_a_session(api):
    """A session goes by its older name too."""
    await publish(api, "x", session_id="s1")
    gone = await delete(api, "/api/delete_request_group", {"request_group": "s1"})
    assert gone.json()["deleted_requests_count"] == 1


def test_the_document_marks_older_names_as_deprecated():
    """A reader of the document is sent to the current name."""
    paths = described()["paths"]
    for older, (successor, _) in OLDER_ROUTES.items():
        (operation,) = paths[f"/api{older}"].values()
        assert operation["deprecated"] is True
        assert successor.strip("/") in operation["summary"]
