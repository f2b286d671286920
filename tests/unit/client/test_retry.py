"""How long the SDK waits before it sends a call again."""

import httpx
import pytest
from tenacity import RetryCallState, Retrying

from sagacity.client.retry import Outcome, wait_seconds


def wait(outcome: Outcome, *, attempt: int = 1) -> float:
    state = RetryCallState(Retrying(), None, (), {})
    state.attempt_number = attempt
    state.set_result(outcome)
    return wait_seconds(state)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(("asked", "seconds"), [("0", 0), ("2", 2), ("3600", 3600)])
def test_retry_after_is_honoured(status: int, asked: str, seconds: float) -> None:
    """The server's wish goes before our own pauses; whether there is time for it is another question."""
    reply = httpx.Response(status, headers={"Retry-After": asked})
    assert seconds <= wait(reply) <= seconds + 0.2
    assert len({wait(reply) for _ in range(20)}) > 1


@pytest.mark.parametrize(
    "outcome",
    [
        httpx.RemoteProtocolError("cut"),
        httpx.Response(503),
        httpx.Response(503, headers={"Retry-After": "soon"}),
    ],
)
def test_pauses_double_with_jitter(outcome: Outcome) -> None:
    """Without a wish of the server pauses grow by two up to the longest, and no two clients wait alike."""
    for attempt, shortest, longest in ((1, 0.2, 0.4), (2, 0.4, 0.6), (3, 0.8, 1.0), (9, 5, 5)):
        assert shortest <= wait(outcome, attempt=attempt) <= longest
    assert len({wait(outcome) for _ in range(20)}) == 20
