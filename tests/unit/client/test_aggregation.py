"""`run_playbook_aggregation`: started, waited for, and read."""

import json

import httpx
import pytest

from sagacity.client import Sagacity

RUN = {"operation_id": "op-1", "service_name": "playbook_aggregation", "mode": "rerun", "started_at": 1}
DONE = {"processed": 5, "clusters": 2, "generated": 1, "updated": 1, "failed": 1, "errors": ["no answer"]}


def _server(*standings: dict):
    """A server that starts the run and then tells how it stands, the last time for ever."""
    calls: list[httpx.Request] = []
    told = list(standings)

    def serve(request: httpx.Request) -> httpx.Response:
        calls.append(request)
        if request.method == "POST":
            running = RUN | {"status": "in_progress"}
            reply = {"success": True, "operation_id": "op-1", "operation_status": running}
            return httpx.Response(200, json=reply)
        standing = told.pop(0) if len(told) > 1 else told[0]
        return httpx.Response(200, json={"success": True, "operation_status": RUN | standing})

    return serve, calls


def test_a_run_is_waited_for_and_its_counts_are_read() -> None:
    """It is started without waiting, followed, and answered with what came of it."""
    serve, calls = _server(
        {"status": "in_progress"}, {"status": "completed", "completed_at": 2, "result": DONE}
    )
    seen: list[str] = []
    with Sagacity("http://127.0.0.1:1", transport=httpx.MockTransport(serve)) as client:
        reply = client.run_playbook_aggregation(
            "booking", "v2", on_progress=lambda standing: seen.append(standing.status)
        )
    assert calls[0].url.params["wait_for_response"] == "false"
    assert json.loads(calls[0].content) == {"playbook_name": "booking", "agent_version": "v2"}
    assert seen == ["in_progress", "completed"]
    assert (reply.success, reply.playbooks_processed, reply.clusters) == (True, 5, 2)
    assert (reply.playbooks_generated, reply.playbooks_updated, reply.clusters_failed) == (1, 1, 1)
    assert "the model failed for 1 (no answer)" in (reply.message or "")


def test_without_waiting_it_answers_at_once() -> None:
    """Then there is an operation to follow."""
    serve, calls = _server({"status": "in_progress"})
    with Sagacity("http://127.0.0.1:1", transport=httpx.MockTransport(serve)) as client:
        assert client.run_playbook_aggregation("booking", wait_for_response=False).operation_id == "op-1"
    assert len(calls) == 1


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_run_that_ended_otherwise_is_no_success(status: str) -> None:
    """The reply says how it ended, and why."""
    serve, _ = _server({"status": status, "completed_at": 2, "error_message": "no vectors"})
    with Sagacity("http://127.0.0.1:1", transport=httpx.MockTransport(serve)) as client:
        reply = client.run_playbook_aggregation("booking")
    assert (reply.success, reply.message) == (False, f"playbook_aggregation is {status}: no vectors")
