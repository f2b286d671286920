"""No text that is taken keeps the event loop from other calls, and what is too long is refused with the limit."""

import json

import httpx
import pytest
from fastapi import FastAPI

from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.learning.windows.gate import worth_reading
from sagacity.schemas.base import MAX_TEXT
from sagacity.schemas.interactions import MAX_TURNS
from support.api import add_profile, publish, turns
from support.loop_work import loop_work
from support.windows import turn, window

MOST_CALLS = 60_000
"""Between two turns of the loop; with the words of one long turn counted there it was half as many again."""
DISTINCT = " ".join(f"w{number}" for number in range(20_000))[:MAX_TEXT]


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param([DISTINCT], id="one long turn"),
        pytest.param([DISTINCT] * 20, id="twenty long turns", marks=pytest.mark.full),
        pytest.param(
            [f"I like tea number {number}" for number in range(MAX_TURNS)], id="as many turns as are taken"
        ),
    ],
)
async def test_a_publish_leaves_the_loop_to_others(api: httpx.AsyncClient, contents: list[str]) -> None:
    """Its words are counted in another thread, and stored piece by piece."""
    with loop_work() as work:
        await publish(api, *contents)
    assert work.longest < MOST_CALLS


@pytest.mark.parametrize(
    "more",
    [
        {"metadata": {f"k{number}": 1 for number in range(300_000)}},
        {"interaction_data_list": [{"content": "tea"} | {f"k{number}": 1 for number in range(300_000)}]},
        {f"k{number}": 1 for number in range(300_000)},
    ],
    ids=["in its metadata", "in a turn", "beside its fields"],
)
async def test_a_body_of_many_names_leaves_the_loop_to_others(api: httpx.AsyncClient, more: dict) -> None:
    """It is refused before they are looked at, one by one."""
    body = {"user_id": "anna", "interaction_data_list": [{"content": "tea"}]} | more
    sent = json.dumps(body).encode()
    await api.post("/api/publish_interaction", json={})  # a first refusal reads source files
    with loop_work() as work:
        reply = await api.post(
            "/api/publish_interaction", content=sent, headers={"Content-Type": "application/json"}
        )
    assert reply.status_code == 422, reply.text
    assert work.longest < MOST_CALLS


async def test_learning_leaves_the_loop_to_others(app: FastAPI, api: httpx.AsyncClient) -> None:
    """A look at the beginning of a text is enough to see that there is something to read."""
    await publish(api, "No, never " + "a," * ((MAX_TEXT - 10) // 2))
    with loop_work() as work:
        report = await app.state.runtime.tasks.run_now(Tenant(org_id=LOCAL_ORG), "anna", "learn", force=True)
    assert not report.failed
    assert work.longest < MOST_CALLS


async def test_memories_written_by_hand_leave_the_loop_to_others(api: httpx.AsyncClient) -> None:
    """As a turn's text does."""
    body = {"user_profiles": [{"user_id": "anna", "content": DISTINCT}]}
    await add_profile(api, "no nuts, thanks")  # patterns are compiled once in a process
    with loop_work() as work:
        reply = await api.post("/api/add_user_profile", json=body)
    assert reply.status_code == 200, reply.text
    assert work.longest < MOST_CALLS


@pytest.mark.parametrize(
    "fields",
    [
        {"content": "x" * (MAX_TEXT + 1)},
        {"expert_content": "x" * (MAX_TEXT + 1)},
        {"content": "x" * (MAX_TEXT // 2), "shadow_content": "x" * (MAX_TEXT // 2), "expert_content": "x"},
    ],
    ids=["content", "expert_content", "together"],
)
async def test_a_turn_that_is_too_long_is_refused(api: httpx.AsyncClient, fields: dict) -> None:
    """With the limit, and with what to do; all its texts count together."""
    body = {"user_id": "anna", "interaction_data_list": [fields]}
    reply = await api.post("/api/publish_interaction", json=body)
    assert reply.status_code == 422
    assert "at most 100,000 characters" in reply.json()["message"]
    assert "several turns" in reply.json()["message"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        (
            "POST",
            "add_user_profile",
            {"user_profiles": [{"user_id": "anna", "content": "x" * (MAX_TEXT + 1)}]},
        ),
        (
            "PUT",
            "update_user_profile",
            {"user_id": "anna", "profile_id": "p", "content": "x" * (MAX_TEXT + 1)},
        ),
        (
            "POST",
            "add_user_playbook",
            {"user_playbooks": [{"content": "c", "trigger": "x" * (MAX_TEXT + 1)}]},
        ),
        ("POST", "add_agent_playbook", {"agent_playbooks": [{"content": "x" * (MAX_TEXT + 1)}]}),
        ("PUT", "update_agent_playbook", {"agent_playbook_id": 1, "pitfall": "x" * (MAX_TEXT + 1)}),
    ],
)
async def test_a_memory_that_is_too_long_is_refused(
    api: httpx.AsyncClient, method: str, path: str, body: dict
) -> None:
    """With the limit, and with what to do."""
    reply = await api.request(method, f"/api/{path}", json=body)
    assert reply.status_code == 422
    assert "at most 100,000 characters" in reply.json()["message"]


async def test_too_many_turns_are_refused(api: httpx.AsyncClient) -> None:
    """With the limit."""
    reply = await api.post("/api/publish_interaction", json=turns(*["hi"] * (MAX_TURNS + 1)))
    assert reply.status_code == 422
    assert "takes at most 1000 turns" in reply.json()["message"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("thanks " * 3, False), ("thanks " + " " * 5_000, False), ("a" * 100_000, True), ("hi " * 30_000, True)],
)
def test_a_prefix_says_whether_a_text_is_worth_reading(text: str, expected: bool) -> None:  # noqa: FBT001
    """Greetings are short: what is long is worth reading, whatever it begins with."""
    assert worth_reading(window(turn(content=text))) is expected
