"""A server that is stopped and started again judges what was said before, once, and shows it."""

import json
import time
from pathlib import Path
from typing import Any

import httpx

from support.program import sagacity
from support.server import ServerProcess, running_server

DELAY = {"SAGACITY_EVALUATION_DELAY_SECONDS": "6", "SAGACITY_SWEEP_SECONDS": "0.5"}
EVALUATOR = {"evaluation_name": "resolved", "success_definition_prompt": "The user can go on."}


def call(server: ServerProcess, path: str, body: Any) -> Any:
    reply = httpx.post(server.url + path, json=body, timeout=30)
    assert reply.is_success, reply.text
    return reply.json()


def results(server: ServerProcess) -> list[Any]:
    return call(server, "/api/get_agent_success_evaluation_results", {})["agent_success_evaluation_results"]


def test_row_18_a_killed_server_judges_the_session_after_its_restart(tmp_path: Path) -> None:
    """Killed before the delay is over, it loses no evaluation; the list and the dashboard show the one result."""
    turns = [
        {"role": "User", "content": "How do I reset my password?"},
        {"role": "Assistant", "content": "Open the settings and choose Reset."},
        {"role": "User", "content": "Thanks, that worked!"},
    ]
    with running_server(tmp_path, DELAY) as server:
        config = httpx.get(f"{server.url}/api/get_config", timeout=30).json()
        call(server, "/api/set_config", config | {"agent_success_configs": [EVALUATOR]})
        body = {"user_id": "ana", "session_id": "s-1", "agent_version": "v2", "interaction_data_list": turns}
        call(server, "/api/publish_interaction", body)
        assert results(server) == []
        server.kill()
    with running_server(tmp_path, DELAY) as server:
        deadline = time.monotonic() + 60
        while not (found := results(server)):
            assert time.monotonic() < deadline, server.logs
            time.sleep(0.1)
        [result] = found
        assert (result["session_id"], result["agent_version"], result["is_success"]) == ("s-1", "v2", True)
        assert (result["evaluation_name"], result["user_turns_to_resolution"]) == ("resolved", 2)
        stats = call(server, "/api/get_dashboard_stats", {"days_back": 2})["stats"]
        assert stats["current_period"]["success_rate"] == 100.0
        compared = sagacity("evaluations", "shadow", home=tmp_path, url=server.url).out
        assert compared == "No session was compared with a shadow.\n"
        counted = sagacity(
            "evaluations", "series", "--days", "1", "--json", home=tmp_path, url=server.url
        ).out
        assert json.loads(counted)["data"]["series"][0]["points"][-1]["successes"] == 1
        shown = sagacity("evaluations", "list", home=tmp_path, url=server.url).out
        assert "success after 2 turns" in shown
        assert (
            sagacity("evaluations", "list", "--agent-version", "v1", home=tmp_path, url=server.url).out
            == "no evaluations\n"
        )
