"""So many calls a minute and caller, route by route."""

import hashlib
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Protocol

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from sagacity.api.errors import error_response
from sagacity.domain.errors import RateLimited

MINUTE_SECONDS = 60.0
LIMITS: Mapping[str, int] = {
    "/api/publish_interaction": 60,
    "/api/add_user_playbook": 60,
    "/api/add_agent_playbook": 60,
    "/api/add_user_profile": 60,
    "/api/search_interactions": 120,
    "/api/search_profiles": 120,
    "/api/search_user_playbooks": 120,
    "/api/search_agent_playbooks": 120,
    "/api/search": 120,
}
"""Calls a minute; a route that is not named has no limit."""
_CALLERS = 10_000


class Limiter(Protocol):
    """Counts calls; one process keeps the counts in memory, several share them in a store."""

    async def take(self, key: str, per_minute: int) -> float:
        """Take one call from the allowance of *key*; returns 0, or after how many seconds to try again."""
        ...


class LocalLimiter:
    """
    A token bucket for each key, in memory: full at first, refilled evenly over a minute.

    The keys longest out of use are forgotten when there are too many, which only ever lets calls through.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic, keys: int = _CALLERS) -> None:
        self._monotonic = monotonic
        self._keys = keys
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def take(self, key: str, per_minute: int) -> float:
        """Take one call from the allowance of *key*; returns 0, or after how many seconds to try again."""
        now = self._monotonic()
        left, since = self._buckets.pop(key, (float(per_minute), now))
        left = min(per_minute, left + (now - since) * per_minute / MINUTE_SECONDS)
        wait = 0.0 if left >= 1 else (1 - left) * MINUTE_SECONDS / per_minute
        self._buckets[key] = (left if wait else left - 1, now)
        if len(self._buckets) > self._keys:
            self._buckets.popitem(last=False)
        return wait


class RateLimitMiddleware:
    """Answers 429 with `Retry-After` to a token, or without one to an address, that calls too often."""

    def __init__(
        self, app: ASGIApp, limiter: Limiter, limits: Mapping[str, int], older: Mapping[str, str]
    ) -> None:
        """
        Wrap *app*.

        Args:
            app: what is called while there is an allowance left.
            limiter: counts the calls.
            limits: calls a minute, by path.
            older: paths that share the allowance of another one, to that one.
        """
        self._app = app
        self._limiter = limiter
        self._limits = limits
        self._older = older

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the call, and go on if there is an allowance left."""
        path = self._older.get(scope["path"], scope["path"]) if scope["type"] == "http" else ""
        per_minute = self._limits.get(path)
        if per_minute is None:
            await self._app(scope, receive, send)
            return
        wait = await self._limiter.take(f"{path} {_caller(scope)}", per_minute)
        if not wait:
            await self._app(scope, receive, send)
            return
        error = RateLimited(f"more than {per_minute} calls a minute; wait {math.ceil(wait)} s")
        await error_response(error, headers={"Retry-After": str(math.ceil(wait))})(scope, receive, send)


def _caller(scope: Scope) -> str:
    token = Headers(scope=scope).get("authorization")
    if token:
        return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
    client = scope.get("client")
    return str(client[0]) if client else ""
