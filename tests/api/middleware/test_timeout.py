"""No call lasts for ever."""

import asyncio

import pytest

from sagacity.api.middleware.timeout import TimeoutMiddleware
from support.api import client_of


def slow(seconds: float, log: list[str]):
    """An application that takes its time, and notes whether it was let to finish."""

    async def app(scope, receive, send):
        try:
            await asyncio.sleep(seconds)
            log.append("finished")
        except asyncio.CancelledError:
            log.append("cancelled")
            raise
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    return app


@pytest.mark.parametrize(
    ("path", "status", "end"),
    [
        ("/x", 504, "cancelled"),
        ("/x?wait_for_response=false", 504, "cancelled"),
        ("/x?wait_for_response=true", 204, "finished"),
        ("/x?wait_for_response=1", 204, "finished"),
        ("/answer", 204, "finished"),
    ],
)
async def test_a_late_call_is_ended_and_its_work_cancelled(path, status, end):
    """Row 41: the work of a call that took too long does not go on; one that waits has longer."""
    log: list[str] = []
    async with client_of(
        TimeoutMiddleware(slow(0.2, log), seconds=0.05, wait_seconds=5, waiting={"GET /answer"})
    ) as api:
        reply = await api.get(path)
    assert (reply.status_code, log) == (status, [end])
    if status == 504:
        assert reply.json()["error"] == "Timeout"


async def test_a_timeout_from_within_is_not_taken_for_ours():
    """An error of the work itself is not called a late call."""

    async def app(scope, receive, send):
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        await TimeoutMiddleware(app, seconds=5, wait_seconds=5)(
            {"type": "http", "method": "GET", "path": "/x", "query_string": b""}, None, None
        )
