"""How a model call is retried: its time limit, its attempts, and what each failure means."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from typing import TypeVar, cast

import httpx
from tenacity import (
    AsyncRetrying,
    Future,
    RetryCallState,
    retry_if_result,
    stop_after_attempt,
    wait_exponential_jitter,
)

from sagacity.domain.base import Value
from sagacity.domain.errors import ProviderError, ProviderRefused, ProviderTimeout
from sagacity.providers.checked_connections import AddressRefused

BAD_REQUEST, TOO_MANY = 400, 429
REFUSALS = frozenset({400, 401, 402, 403, 404, 405, 410, 413, 415, 422})
REDIRECTS = range(300, 400)
TIMEOUTS = frozenset({408, 504})
NO_QUOTA = ("insufficient_quota", "billing")
"""Words in a 429 for which waiting does not help."""
IN_WORDS = {
    401: "the API key was refused (status 401)",
    403: "the API key may not do this (status 403)",
    429: "too many calls, or the quota is used up (status 429)",
}
"""Common failures in plain words, without those of HTTP and of the library."""

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]
"""Waits for a number of seconds."""


class Retry(Value):
    """How often, and with which waits, a call is retried."""

    attempts: int = 3
    first_pause_seconds: float = 0.5
    longest_pause_seconds: float = 20.0


class Limits(Value):
    """The time limit of one attempt, and the number of attempts."""

    timeout_seconds: float = 120.0
    first_piece_seconds: float | None = None
    """The time limit of a stream's first piece; None: that of an attempt."""
    piece_seconds: float | None = None
    """The time limit of each later piece of a stream; None: that of an attempt."""
    retry: Retry = Retry()

    @property
    def silences(self) -> tuple[float, float]:
        """How long a stream may be silent before its first piece, and before each later one."""
        first, later = self.first_piece_seconds, self.piece_seconds
        whole = self.timeout_seconds
        return whole if first is None else first, whole if later is None else later


class Failure(Value):
    """A failed attempt: our error, and the provider's `Retry-After`."""

    error: type[ProviderError]
    told: str
    status: int | None = None
    retry_after_seconds: float | None = None


async def retrying(
    attempt: Callable[[], Awaitable[T | Failure]], retry: Retry, *, sleep: Sleep = asyncio.sleep
) -> T | Failure:
    """
    Call *attempt* until it succeeds, fails permanently, or the attempts are used up; returns the last outcome.

    Pauses double from the first to the longest, with jitter of up to the first. `Retry-After` overrides them, up to the
    longest.
    """
    backoff = wait_exponential_jitter(
        multiplier=retry.first_pause_seconds,
        max=retry.longest_pause_seconds,
        jitter=retry.first_pause_seconds,
    )

    def pause_seconds(state: RetryCallState) -> float:
        asked = _failure(state).retry_after_seconds
        return backoff(state) if asked is None else min(max(asked, 0.0), retry.longest_pause_seconds)

    async def once() -> T | Failure:
        return await attempt()

    policy = AsyncRetrying(
        retry=retry_if_result(_may_pass),
        stop=stop_after_attempt(retry.attempts),
        wait=pause_seconds,
        sleep=sleep,
        retry_error_callback=_failure,
    )
    return await policy(once)


def _may_pass(outcome: object) -> bool:
    return isinstance(outcome, Failure) and outcome.error.retryable


def _failure(state: RetryCallState) -> Failure:
    """Return the failure of the last attempt; tenacity calls this only after an attempt."""
    return cast("Future", state.outcome).result()


def judge(model: str, error: Exception) -> Failure:
    """Classify *error* by its class and status; its text is dropped because it may quote prompts and keys."""
    refused = next((cause for cause in _causes(error) if isinstance(cause, AddressRefused)), None)
    if refused is not None:
        return Failure(error=ProviderRefused, told=f"{model}: its configured address {refused}")
    if any(isinstance(cause, httpx.ConnectError) for cause in _causes(error)):
        return Failure(error=ProviderError, told=f"{model}: the server could not be reached")
    redirect = next((code for code in map(_status, _causes(error)) if code in REDIRECTS), None)
    if redirect is not None:
        told = f"{model}: answered with a redirect, HTTP {redirect}, which is not followed"
        return Failure(
            error=ProviderRefused, told=f"{told}: configure the address that it leads to", status=redirect
        )
    status = _status(error)
    kind: type[ProviderError] = ProviderError
    if status in TIMEOUTS:
        kind = ProviderTimeout
    elif status in REFUSALS or (status == TOO_MANY and any(word in str(error).lower() for word in NO_QUOTA)):
        kind = ProviderRefused
    name = f"{type(error).__name__}, HTTP {status}" if status else type(error).__name__
    told = f"{model}: {IN_WORDS.get(status or 0, name)}"
    return Failure(error=kind, told=told, status=status, retry_after_seconds=_retry_after(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield *error* and its causes: LiteLLM reports exceptions that it does not know as status 500."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _status(error: BaseException) -> int | None:
    given = getattr(error, "status_code", None)
    return given if isinstance(given, int) else None


def _retry_after(error: Exception) -> float | None:
    """Return the seconds of `Retry-After`; None for a date or an unusable number."""
    response = getattr(error, "response", None)
    for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
        if isinstance(headers, Mapping):
            with suppress(KeyError, ValueError):
                seconds = float(cast("Mapping[str, str]", headers)["retry-after"])
                return seconds if math.isfinite(seconds) else None
    return None
