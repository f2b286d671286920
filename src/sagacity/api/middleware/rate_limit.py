"""Rate limits, per caller and route."""

import math
from collections.abc import Awaitable, Callable, Mapping

from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

from sagacity.api.errors import error_response
from sagacity.coordination.base import Limiter
from sagacity.domain.errors import RateLimited

RATE_HEADERS = ("Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
"""Headers of a refusal: seconds to wait (twice), calls allowed per minute, and that none are left."""


class RateLimitMiddleware:
    """Answers 429 to a user, an organisation or an address that calls a route too often."""

    def __init__(
        self,
        app: ASGIApp,
        limiter_of: Callable[[Scope], Limiter],
        allowance_of: Callable[[Scope], Awaitable[str]],
        limits: Mapping[str, int],
        older: Mapping[str, str],
    ) -> None:
        """
        Wrap *app*.

        Args:
            app: the wrapped application.
            limiter_of: returns the rate limiter, which is created later than this.
            allowance_of: returns whose bucket a call takes from.
            limits: calls per minute by method and path, such as `POST /api/search`; other calls are not counted.
            older: older paths, mapped to the path whose bucket they share.
        """
        self._app = app
        self._limiter_of = limiter_of
        self._allowance_of = allowance_of
        self._limits = limits
        self._older = older
        self._patterns = [
            (method, compile_path(path)[0], call)
            for call in limits
            for method, _, path in [call.partition(" ")]
            if "{" in path
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the call, and go on if the bucket is not empty."""
        call = self._limited(scope) if scope["type"] == "http" else None
        if call is None:
            await self._app(scope, receive, send)
            return
        per_minute = self._limits[call]
        wait = await self._limiter_of(scope).take(f"{call} {await self._allowance_of(scope)}", per_minute)
        if not wait:
            await self._app(scope, receive, send)
            return
        seconds = math.ceil(wait)
        error = RateLimited(f"more than {per_minute} calls a minute; wait {seconds} s")
        told = {"Limit": per_minute, "Remaining": 0, "Reset": seconds}
        headers = {f"RateLimit-{name}": str(number) for name, number in told.items()}
        await error_response(error, retry_after=seconds, headers=headers)(scope, receive, send)

    def _limited(self, scope: Scope) -> str | None:
        """Return the call's key in the limits; None if it has no limit."""
        method, path = scope["method"], self._older.get(scope["path"], scope["path"])
        if (call := f"{method} {path}") in self._limits:
            return call
        return next(
            (call for its, pattern, call in self._patterns if its == method and pattern.match(path)), None
        )
