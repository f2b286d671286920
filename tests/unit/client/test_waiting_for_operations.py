"""Waiting for a run: for the one that was started, telling how it stands, however it ends."""

import json

import httpx
import pytest

from sagacity.client import Sagacity
from sagacity.client.errors import WaitedTooLong

OWN = "run-2"


def run_of(number: str, status: str, *, done: int = 0, generated: int = 0, **fields) -> dict:
    return {
        "operation_id": number,
        "service_name": "profile_generation",
        "mode": "rerun",
        "status": status,
        "started_at": 1_777_629_600,
        "total_users": 3,
        "processed_users": done,
        "stats": {"total_interactions_processed": 10 * done, "total_generated": generated},
    } | fields


class Server:
    """A server on which a former run is completed, and the one that is started takes a few looks."""

    def __init__(self, *standings: dict) -> None:
        self.standings = list(standings)
        self.asked: list[tuple[str, dict]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append((request.url.path, dict(request.url.params)))
        if request.method == "POST":
            return httpx.Response(200, json={"success": True, "msg": "goes on", "operation_id": OWN})
        if request.url.params.get("operation_id") != OWN:  # the newest run there was, or another one
            status = run_of("run-1", "completed", done=3, generated=99)
        else:
            status = self.standings.pop(0) if len(self.standings) > 1 else self.standings[0]
        return httpx.Response(200, json={"success": True, "operation_status": status})

    def client(self) -> Sagacity:
        return Sagacity("http://127.0.0.1:1", transport=httpx.MockTransport(self))


STARTS = (
    "rerun_profile_generation",
    "manual_profile_generation",
    "rerun_playbook_generation",
    "manual_playbook_generation",
)


@pytest.mark.parametrize("name", STARTS)
def test_what_is_waited_for_is_the_run_that_was_started(name: str) -> None:
    """A former run's end is never taken for it; every look is told, and the counts are of memories."""
    server = Server(
        run_of(OWN, "in_progress"),
        run_of(OWN, "in_progress", done=2, generated=4),
        run_of(OWN, "completed", done=3, generated=7, completed_at=1_777_629_700),
    )
    seen: list[int] = []
    with server.client() as client:
        reply = getattr(client, name)(
            wait_for_response=True, on_progress=lambda standing: seen.append(standing.processed_users)
        )
    assert seen == [0, 2, 3]
    assert (reply.success, reply.operation_id, reply.operation_status.status) == (True, OWN, "completed")
    counted = reply.profiles_generated if "profile" in name else reply.playbooks_generated
    assert counted == 7
    assert server.asked[0] == (f"/api/{name}", {"wait_for_response": "false"})
    assert {json.dumps(query) for _, query in server.asked[1:]} == {json.dumps({"operation_id": OWN})}


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_run_that_came_to_no_good_end_is_no_success(status: str) -> None:
    """`success` is false, the message says why, and how it stood is there."""
    server = Server(run_of(OWN, status, done=3, generated=2, error_message="the model refused"))
    with server.client() as client:
        reply = client.rerun_profile_generation(wait_for_response=True)
    assert (reply.success, reply.profiles_generated) == (False, 2)
    assert reply.msg == "the model refused"
    assert reply.operation_status.status == status


def test_waiting_has_an_end_and_the_run_goes_on() -> None:
    """Too long is an error that names the run; without waiting nothing is asked after the start."""
    server = Server(run_of(OWN, "in_progress"))
    with server.client() as client:
        with pytest.raises(WaitedTooLong, match=OWN):
            client.rerun_profile_generation(wait_for_response=True, timeout_seconds=0.2)
        server.asked.clear()
        assert client.rerun_profile_generation().profiles_generated is None
    assert [path for path, _ in server.asked] == ["/api/rerun_profile_generation"]
