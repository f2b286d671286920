"""Whether and after how long a call is retried; pure, apart from the waiting itself."""

import asyncio
import random
import threading
from typing import cast

import httpx
from tenacity import Future, RetryCallState, wait_exponential_jitter

Outcome = httpx.Response | httpx.RequestError
"""How one attempt ended."""
STREAM_SECONDS = 45.0
"""How long a stream may be silent, at least."""
_LONGEST_SECONDS = 5.0
"""Between two attempts, unless the server asks for more."""
_JITTER_SECONDS = 0.2
_RECONNECT_SECONDS = (0.5, 1.0)
_BACKOFF = wait_exponential_jitter(multiplier=0.2, max=_LONGEST_SECONDS, jitter=_JITTER_SECONDS)
_PASSING_STATUSES = frozenset({429, 502, 503})
_PASSING_ERRORS = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError)
_UNSENT_ERRORS = (httpx.ConnectError, httpx.ConnectTimeout)


def stream_timeout(timeout: httpx.Timeout) -> dict[str, float | None]:
    """
    Return the time limits of a stream, given those of other calls, as httpx passes them on.

    A silent stream is not lost: a server may wait for 30 s until a conversation is free, takes up to 15 s to tell that
    the process which wrote an answer is gone, and shows every 15 s that it is there itself.
    """
    limits = timeout.as_dict()
    read = limits["read"]
    return limits | {"read": None if read is None else max(read, STREAM_SECONDS)}


def is_passing(outcome: Outcome) -> bool:
    """Whether the same call may well succeed in a moment; whether it may be sent again is another question."""
    if isinstance(outcome, httpx.Response):
        return outcome.status_code in _PASSING_STATUSES
    return isinstance(outcome, _PASSING_ERRORS)


def is_unsent(outcome: Outcome) -> bool:
    """Whether no server took the connection, as while one restarts: sent again, the call is made once all the same."""
    return isinstance(outcome, _UNSENT_ERRORS)


def goes_on(outcome: Outcome) -> bool:
    """Whether a stream that was lost may be taken up: the server is away for now, or ended it in the middle."""
    return isinstance(outcome, httpx.RequestError) or outcome.is_success or is_passing(outcome)


def wait_seconds(state: RetryCallState) -> float:
    """
    Return how long to wait after a failed attempt.

    A `Retry-After` of the server goes before our own doubling up to `_LONGEST_SECONDS`. Both have jitter: clients that
    lost the same server do not all come back at once.
    """
    asked = asked_seconds(last_outcome(state))
    return _BACKOFF(state) if asked is None else asked


def asked_seconds(outcome: Outcome) -> float | None:
    """Return how long the server asks to wait, and up to `_JITTER_SECONDS` more; None: it does not say."""
    asked = outcome.headers.get("Retry-After", "") if isinstance(outcome, httpx.Response) else ""
    if not (asked.isascii() and asked.isdecimal()):
        return None
    return float(asked) + random.uniform(0, _JITTER_SECONDS)  # noqa: S311  it hides nothing


def reconnect_seconds(outcome: Outcome) -> float:
    """Return how long to wait before a stream that was lost is taken up: as long as the server asks, if it does."""
    asked = asked_seconds(outcome)
    return random.uniform(*_RECONNECT_SECONDS) if asked is None else asked  # noqa: S311  it hides nothing


def last_outcome(state: RetryCallState) -> Outcome:
    """Return how the last attempt ended; there was one."""
    return cast("Future", state.outcome).result()


async def async_pause(seconds: float) -> None:
    """Give way to other tasks for a while."""
    await asyncio.sleep(seconds)


def pause(seconds: float) -> None:
    """Hold this thread for a while."""
    threading.Event().wait(seconds)
