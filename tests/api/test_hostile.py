"""Hostile input: refused with a clear text, or kept exactly; never a crash, nothing half stored."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from sagacity.api.openapi import examples
from sagacity.api.vocabulary import OLDER_ROUTES
from support.api import publish, turns

HOSTILE = Path(__file__).parent.parent / "data" / "hostile"
SUITE = sorted((HOSTILE / "jsontestsuite" / "test_parsing").glob("*.json"))
NAUGHTY: list[str] = json.loads((HOSTILE / "blns.json").read_text(encoding="utf-8"))
JSON = {"Content-Type": "application/json"}
BODIES = {call: example.request for call, example in examples().items() if example.request is not None}
CURRENT = [call for call in BODIES if call.partition("/api")[2] not in OLDER_ROUTES]
ODD = [None, True, 0, -1, 1.5, 10**30, "", "x", "\U0001f9ea" * 20_000, [], ["x"], {}, {"x": {"y": []}}]


def call_of(name: str) -> tuple[str, str]:
    """The method and address of an example's call, with some number for what the path leaves open."""
    method, path = name.split()
    return method, re.sub(r"\{\w+\}", "1", path)


def is_broken(reply) -> bool:
    """Whether the reply says that the body was no JSON at all."""
    detail = reply.json().get("detail")
    return isinstance(detail, list) and detail[0]["type"] == "json_invalid"


async def stored(api) -> int:
    return len((await api.get("/api/get_all_interactions")).json()["interactions"])


@pytest.mark.parametrize("path", ["/api/publish_interaction", "/api/set_config", "/api/search"])
async def test_json_is_read_as_the_standard_has_it(api, path):
    """Each broken file of the suite is refused, each valid one is read, and the rest is one or the other."""
    assert len(SUITE) > 300
    for file in SUITE:
        reply = await api.post(path, content=file.read_bytes(), headers=JSON)
        assert reply.status_code < 500, file.name
        if file.name.startswith("n_"):
            assert reply.status_code in {400, 413, 422}, file.name
            assert reply.json()["message"], file.name
        if file.name.startswith("y_"):
            assert not is_broken(reply), file.name
    assert await stored(api) == 0


async def test_naughty_texts_come_back_exactly(api):
    """Every string of the list, in every text of a turn, is read as it was written."""
    fields = ("role", "content", "shadow_content", "expert_content", "user_action_description")
    sent = [
        dict.fromkeys(fields, text) | {"tools_used": [{"tool_name": text, "tool_data": {text: text}}]}
        for text in NAUGHTY
    ]
    reply = await api.post(
        "/api/publish_interaction", json={"user_id": "anna", "interaction_data_list": sent}
    )
    assert reply.status_code == 200
    read = (await api.get("/api/get_all_interactions", params={"limit": 10_000})).json()["interactions"][::-1]
    assert len(read) == len(NAUGHTY) > 400
    for turn, expected in zip(read, sent, strict=True):
        assert {name: turn[name] for name in expected} == expected


@pytest.mark.full
async def test_naughty_ids_and_labels_come_back_exactly(api):
    """Users, requests, sessions and sources may have any name that is not blank."""
    fitting = (text for text in NAUGHTY if text.strip() == text != "" and len(text) <= 512)
    names = list(dict.fromkeys(fitting))[::3]
    assert len(names) > 100
    await asyncio.gather(
        *(
            publish(
                api,
                "x",
                user_id=name,
                request_id=f"{number} {name}",
                session_id=name,
                source=name,
                agent_version=name,
            )
            for number, name in enumerate(names)
        )
    )
    for number, name in enumerate(names):
        page = (await api.post("/api/get_requests", json={"user_id": name, "session_id": name})).json()
        request = page["sessions"][0]["requests"][0]["request"]
        assert request == {
            "request_id": f"{number} {name}",
            "user_id": name,
            "created_at": request["created_at"],
            "source": name,
            "agent_version": name,
            "session_id": name,
        }


async def test_naughty_memories_come_back_exactly(api):
    """Profiles and playbooks keep any text, in every field."""
    texts = [text for text in NAUGHTY if text][:150]
    profiles = [
        {
            "user_id": "anna",
            "content": text,
            "custom_features": {text: text},
            "last_modified_timestamp": 1_700_000_000 + n,
        }
        for n, text in enumerate(texts)
    ]
    playbooks = [
        {
            "content": text,
            "trigger": text,
            "pitfall": text,
            "rationale": text,
            "playbook_metadata": text,
            "created_at": 1_700_000_000 + n,
        }
        for n, text in enumerate(texts)
    ]
    assert (await api.post("/api/add_user_profile", json={"user_profiles": profiles})).status_code == 200
    assert (await api.post("/api/add_user_playbook", json={"user_playbooks": playbooks})).status_code == 200
    read = (await api.get("/api/get_all_profiles", params={"limit": 1_000})).json()["user_profiles"][::-1]
    assert [(one["content"], one["custom_features"]) for one in read] == [
        (text, {text: text}) for text in texts
    ]
    read = (await api.post("/api/get_user_playbooks", json={"limit": 1_000})).json()["user_playbooks"][::-1]
    fields = ("content", "trigger", "pitfall", "rationale", "playbook_metadata")
    assert [[one[name] for name in fields] for one in read] == [[text] * 5 for text in texts]


@pytest.mark.full
async def test_naughty_queries_are_answered(api):
    """Any text may be asked for, in every mode."""
    await publish(api, *NAUGHTY[:100])
    for number, text in enumerate(NAUGHTY):
        for mode in ("fts", "hybrid") if number % 20 == 0 else ("fts",):
            body = {"user_id": "anna", "query": text, "search_mode": mode}
            assert (await api.post("/api/search_interactions", json=body)).status_code == 200, text


def bodies_of(example: dict) -> list:
    """The odd values as a whole body, in each field of it, and in each field of its first part."""
    found = [*ODD, *({**example, name: odd} for name in example for odd in ODD)]
    for name, value in example.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            found += [{**example, name: [{**value[0], key: odd}]} for key in value[0] for odd in ODD]
    return found


@pytest.mark.full
async def test_odd_values_never_crash_a_route(api):
    """Each field of each body takes each odd value in turn: a reply of ours, never a 5xx."""
    for name in CURRENT:
        method, path = call_of(name)
        for body in bodies_of(BODIES[name]):
            reply = await api.request(method, path, json=body)
            assert reply.status_code < 500, (path, body, reply.text)
            assert isinstance(reply.json(), dict)


@pytest.mark.parametrize("bad", ["a\\u0000b", "\\ud800", "\\udc00\\ud800"])
async def test_nul_and_lone_surrogates_are_refused_everywhere(api, bad):
    """Neither can be kept as it is by every database: 422 in a value, in a key, and at any depth."""
    for name, example in BODIES.items():
        method, path = call_of(name)
        text = json.dumps(example)
        for extra in (f'"x": "{bad}"', f'"{bad}": 1', f'"x": [[{{"y": "{bad}"}}]]'):
            body = f"{text[:-1]}, {extra}}}"
            reply = await api.request(method, path, content=body.encode(), headers=JSON)
            assert reply.status_code == 422, (path, extra, reply.text)
            assert reply.json()["success"] is False


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/publish_interaction", turns("x", user_id=" ")),
        ("/api/publish_interaction", turns("x", user_id="u" * 513)),
        ("/api/publish_interaction", turns("x", request_id="")),
        ("/api/publish_interaction", turns("x", source="s" * 513)),
        ("/api/publish_interaction", {"user_id": "anna", "interaction_data_list": []}),
        ("/api/publish_interaction", {"user_id": "anna", "interaction_data_list": [{}] * 10_001}),
        ("/api/publish_interaction", {"user_id": "anna", "interaction_data_list": "x"}),
        ("/api/get_interactions", {"user_id": "anna", "start_time": "2026-02-01", "end_time": "2026-01-01"}),
        (
            "/api/get_interactions",
            {
                "user_id": "anna",
                "start_time": "2026-01-01T00:00:00Z",
                "end_time": "2026-01-01T01:00:00+01:00",
            },
        ),
        ("/api/get_interactions", {"user_id": "anna", "start_time": "yesterday"}),
        ("/api/get_interactions", {"user_id": "anna", "start_time": "0001-01-01T00:00:00+14:00"}),
        ("/api/get_requests", {"offset": -1}),
        ("/api/get_requests", {"offset": 10**30}),
        ("/api/get_profiles", {"user_id": "anna", "top_k": 0}),
        ("/api/get_profiles", {"user_id": "anna", "status_filter": ["gone"]}),
        ("/api/add_user_profile", {"user_profiles": [{"user_id": "anna", "content": ""}]}),
        (
            "/api/add_user_profile",
            {"user_profiles": [{"user_id": "anna", "content": "x", "last_modified_timestamp": 10**13}]},
        ),
        (
            "/api/add_user_profile",
            {"user_profiles": [{"user_id": "anna", "content": "x", "profile_time_to_live": "soon"}]},
        ),
    ],
)
async def test_what_breaks_a_rule_is_named_and_not_stored(api, path, body):
    """The reply names the field; nothing of the call is kept."""
    reply = await api.post(path, json=body)
    assert reply.status_code == 422
    fault = reply.json()["detail"][0]
    assert set(fault) == {"type", "loc", "msg"}
    assert fault["loc"][0] == "body"
    assert await stored(api) == 0
    assert (await api.get("/api/get_profile_statistics")).json()["current_count"] == 0


async def test_odd_query_parameters_are_refused(api):
    """Limits out of bounds and words for numbers are told by name."""
    for path in ("/api/get_all_interactions", "/api/get_all_profiles", "/api/dead_letters"):
        for limit in ("0", "-1", "x", "10001", "9" * 40, "\x00"):
            reply = await api.get(path, params={"limit": limit})
            assert reply.status_code == 422, (path, limit)
            assert reply.json()["detail"][0]["loc"] == ["query", "limit"]
    late = await api.post(
        "/api/publish_interaction", params={"wait_for_response": "perhaps"}, json=turns("x")
    )
    assert late.status_code == 422
    assert await stored(api) == 0


async def test_unknown_routes_and_methods_answer_in_the_same_shape(api):
    """404 and 405 have the body that every error has."""
    for method, path, status, name in (
        ("GET", "/api/nowhere", 404, "NotFound"),
        ("GET", "/api/search", 405, "MethodNotAllowed"),
        ("POST", "/../../etc/passwd", 404, "NotFound"),
    ):
        reply = await api.request(method, path)
        assert (reply.status_code, reply.json()["error"]) == (status, name)
        assert reply.json()["success"] is False
        assert reply.json()["message"] == reply.json()["msg"] == reply.json()["detail"]


async def test_a_mistyped_route_or_method_is_told_where_to_look(api):
    """404 and 405 name the page with all routes, 405 the methods of this one too."""
    for path in ("/search", "/api/get_profile", "/api/" + "x" * 200, "/api/sea%0arch"):
        reply = await api.post(path, json={})
        assert (reply.status_code, reply.json()["error"]) == (404, "NotFound"), path
        assert reply.json()["message"] == "there is no such route; GET /docs lists all routes"
    for method, path, allowed in (
        ("GET", "/api/search", "POST"),
        ("PATCH", "/api/update_skill_status", "POST, PUT"),
        ("PUT", "/api/entities/3", "DELETE, GET, PATCH"),
        ("PUT", "/api/invitations/accept", "POST"),
    ):
        reply = await api.request(method, path)
        assert (reply.status_code, reply.headers["Allow"]) == (405, allowed)
        says = f"{path} takes {allowed}, not {method}; GET /docs shows all routes"
        assert reply.json()["message"] == says
