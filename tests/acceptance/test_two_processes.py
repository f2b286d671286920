"""Eight users at once through two servers over one database: each window is learned once, as if they came in turn."""

import re
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.databases import POSTGRESQL
from support.scripted_llm import Answer, ChatRequest, ScriptedLLM, as_json, extracted, scripted_llm
from support.server import ServerProcess, running_server

USERS = [f"user-{n}" for n in range(8)]
REQUESTS, TURNS = 2, 5
WAIT_SECONDS = 120.0
DRAFT = {"slot": "", "time_to_live": "infinity"}
SAID = re.compile(r"#(\d+)[^#]*?locker (\d+) of (user-\d)")


def answer(request: ChatRequest) -> Answer:
    """What a good model says of these turns: a profile, and of the first turn a rule, after a moment."""
    found, asked_for = SAID.findall(request.prompt), (request.schema or {}).get("properties", {})
    if "verdicts" in asked_for:
        return as_json({"verdicts": []})  # all different
    if "playbook" in asked_for:
        return as_json({"playbook": None})  # nothing for all users
    rules = [
        {
            "rationale": "The user said so.",
            "trigger": f"asked about locker {locker}",
            "content": f"Name the row of locker {locker} of {user}.",
            "evidence": [int(number)],
        }
        for number, locker, user in found
        if int(locker) % TURNS == 0
    ]
    facts = [
        DRAFT | {"evidence": [int(number)], "content": f"Has the key of locker {locker} of {user}."}
        for number, locker, user in found
    ]
    given = extracted(request, profiles=facts, playbooks=rules)
    return Answer(text=given.text, delay_seconds=0.05)


def call(server: ServerProcess, path: str, body: Any) -> Any:
    reply = httpx.post(f"{server.url}/api/{path}", json=body, timeout=60)
    assert reply.is_success, reply.text
    return reply.json()


def publish(servers: list[ServerProcess], user: str) -> list[str]:
    """Publish one user's requests, through one server after the other; returns their ids."""
    return [
        call(
            servers[(n + int(user[-1])) % len(servers)],
            "publish_interaction",
            {
                "user_id": user,
                "interaction_data_list": [
                    {"content": f"I was given the key of locker {n * TURNS + turn} of {user}."}
                    for turn in range(TURNS)
                ],
            },
        )["request_id"]
        for n in range(REQUESTS)
    ]


def until_learned(server: ServerProcess, request_id: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        receipt = httpx.get(f"{server.url}/api/receipts/{request_id}", timeout=60).json()
        if receipt["state"] == "learned":
            return
        assert time.monotonic() < deadline, receipt
        time.sleep(0.05)


def learned(server: ServerProcess, user: str) -> tuple[list[str], list[str]]:
    profiles = call(server, "get_profiles", {"user_id": user, "top_k": 100})["user_profiles"]
    playbooks = call(server, "get_user_playbooks", {"user_id": user})["user_playbooks"]
    return sorted(one["content"] for one in profiles), sorted(one["content"] for one in playbooks)


def run(
    home: Path,
    env: dict[str, str],
    model: ScriptedLLM,
    work: Callable[[list[ServerProcess]], None],
    count: int,
) -> tuple[dict[str, Any], Counter[str]]:
    """Let *work* publish through so many servers; returns what was learned, and how often each window was read."""
    model.answer_with(answer)
    before = len(model.requests)
    with ExitStack() as stack:
        servers = [stack.enter_context(running_server(home, env)) for _ in range(count)]
        endpoint = {"model": "scripted", "api_key": "sk-secret", "api_base": model.base_url}
        config = {"api_key_config": {"custom_endpoint": endpoint}, "extraction_preset": "standard"}
        call(servers[0], "set_config", config)
        work(servers)
        found = {user: learned(servers[-1], user) for user in USERS}
    asked = (one for one in model.requests[before:] if one.schema)
    extractions = (one for one in asked if one.schema["properties"].keys() & {"profiles", "playbooks"})
    return found, Counter(request.prompt for request in extractions)


@pytest.mark.full
@POSTGRESQL
def test_eight_users_through_two_servers_learn_what_they_learn_in_turn(
    tmp_path: Path, database_url: str
) -> None:
    """Nobody's window is lost or read twice, and everybody has playbooks: there is no lock over all users."""

    def in_turn(servers: list[ServerProcess]) -> None:
        for user in USERS:
            until_learned(servers[0], publish(servers, user)[-1])

    def at_once(servers: list[ServerProcess]) -> None:
        with ThreadPoolExecutor(len(USERS)) as pool:
            ids = list(pool.map(lambda user: publish(servers, user), USERS))
        for request_id in (one for user in ids for one in user):
            until_learned(servers[0], request_id)

    env = {"SAGACITY_RATE_LIMITS": "false", "SAGACITY_QUIET_SECONDS": "2", "SAGACITY_SWEEP_SECONDS": "1"}
    with scripted_llm() as model:
        serial, read_in_turn = run(tmp_path / "serial", env, model, in_turn, 1)
        together, read_at_once = run(
            tmp_path / "together", env | {"SAGACITY_DATABASE_URL": database_url}, model, at_once, 2
        )
    expected = [
        sorted(f"Has the key of locker {n} of {user}." for n in range(REQUESTS * TURNS)) for user in USERS
    ]
    assert [serial[user][0] for user in USERS] == expected
    assert all(len(serial[user][1]) == REQUESTS for user in USERS)
    assert together == serial
    windows = REQUESTS * len(USERS)
    for read in (read_in_turn, read_at_once):
        assert (len(read), max(read.values())) == (windows, 1)
