"""When a call is sent again, and after how long; pure, but for the waiting itself."""

import asyncio
import threading

import httpx

BASE_SECONDS = 0.2
LONGEST_SECONDS = 5.0
_PASSING_STATUSES = frozenset({429, 502, 503})
_PASSING_ERRORS = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.ReadError,
    httpx.WriteError,
    httpx.RemoteProtocolError,
)


def is_passing(outcome: httpx.Response | httpx.RequestError) -> bool:
    """Whether the same call may well succeed in a moment. A server that is merely slow is not asked again."""
    if isinstance(outcome, httpx.Response):
        return outcome.status_code in _PASSING_STATUSES
    return isinstance(outcome, _PASSING_ERRORS)


def wait_seconds(attempt: int, outcome: httpx.Response | httpx.RequestError) -> float:
    """
    Return how long to wait after a failed attempt.

    Args:
        attempt: 0 for the first.
        outcome: how it ended; a Retry-After of the server goes before our own doubling.

    Returns:
        At most `LONGEST_SECONDS`.
    """
    asked = outcome.headers.get("Retry-After", "") if isinstance(outcome, httpx.Response) else ""
    seconds = float(asked) if asked.isdecimal() else BASE_SECONDS * 2**attempt
    return min(seconds, LONGEST_SECONDS)


async def async_pause(seconds: float) -> None:
    """Give way to other tasks for a while."""
    await asyncio.sleep(seconds)


def pause(seconds: float) -> None:
    """Hold this thread for a while."""
    threading.Event().wait(seconds)
