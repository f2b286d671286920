"""How a model call is tried: how long, how often, and what a failure means; pure."""

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import cast

import httpx

from sagacity.domain.base import Value
from sagacity.domain.errors import ProviderError, ProviderRefused, ProviderTimeout

BAD_REQUEST, TOO_MANY = 400, 429
REFUSALS = frozenset({400, 401, 402, 403, 404, 405, 410, 413, 415, 422})
TIMEOUTS = frozenset({408, 504})
NO_QUOTA = ("insufficient_quota", "billing")
"""What a 429 says when waiting does not help."""


class Retry(Value):
    """How often and how patiently a call is tried."""

    attempts: int = 3
    first_pause_seconds: float = 0.5
    longest_pause_seconds: float = 20.0

    def pause_seconds(self, failures: int, *, asked_seconds: float | None, share: float) -> float:
        """
        Return how long to wait after a try that failed.

        Args:
            failures: tries that failed so far, from 1.
            asked_seconds: what the provider asked for in `Retry-After`; honoured up to the longest pause.
            share: jitter in 0..1: the pause is between half and all of the doubling one.
        """
        if asked_seconds is not None:
            return min(max(asked_seconds, 0.0), self.longest_pause_seconds)
        doubled = min(self.first_pause_seconds * 2 ** (failures - 1), self.longest_pause_seconds)
        return doubled * (1 + share) / 2


class Limits(Value):
    """How long one try may take, and how often it is tried."""

    timeout_seconds: float = 120.0
    retry: Retry = Retry()


class Failure(Value):
    """A failed try: what it is to us, and how long the provider wants to be left alone."""

    error: type[ProviderError]
    told: str
    status: int | None = None
    asked_seconds: float | None = None


def judge(model: str, error: Exception) -> Failure:
    """Say what *error* means, by class and status; its text may quote prompts and keys, and is dropped."""
    if _unreached(error):
        return Failure(error=ProviderError, told=f"{model}: the server could not be reached")
    given = getattr(error, "status_code", None)
    status = given if isinstance(given, int) else None
    kind: type[ProviderError] = ProviderError
    if status in TIMEOUTS:
        kind = ProviderTimeout
    elif status in REFUSALS or (status == TOO_MANY and any(word in str(error).lower() for word in NO_QUOTA)):
        kind = ProviderRefused
    told = f"{model}: {type(error).__name__}" + (f", HTTP {status}" if status else "")
    return Failure(error=kind, told=told, status=status, asked_seconds=_retry_after(error))


def _unreached(error: BaseException) -> bool:
    """Whether no connection came about; LiteLLM tells of it as of a server that answered 500."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, httpx.ConnectError):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


def _retry_after(error: Exception) -> float | None:
    """Return the seconds of `Retry-After`; a date, or no number to wait for, counts as none."""
    response = getattr(error, "response", None)
    for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
        if isinstance(headers, Mapping):
            with suppress(KeyError, ValueError):
                seconds = float(cast("Mapping[str, str]", headers)["retry-after"])
                return seconds if math.isfinite(seconds) else None
    return None
