"""So many calls a minute and caller, route by route."""

import math
from collections.abc import Callable, Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from sagacity.api.errors import error_response
from sagacity.auth.tokens import bearer, hash_token
from sagacity.coordination.base import Limiter
from sagacity.domain.errors import RateLimited


class RateLimitMiddleware:
    """Answers 429 with `Retry-After` to a token, or without one to an address, that calls too often."""

    def __init__(
        self,
        app: ASGIApp,
        limiter_of: Callable[[Scope], Limiter],
        limits: Mapping[str, int],
        older: Mapping[str, str],
    ) -> None:
        """
        Wrap *app*.

        Args:
            app: what is called while there is an allowance left.
            limiter_of: finds what counts the calls; it is opened after this is made.
            limits: calls a minute, by path.
            older: paths that share the allowance of another one, to that one.
        """
        self._app = app
        self._limiter_of = limiter_of
        self._limits = limits
        self._older = older

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the call, and go on if there is an allowance left."""
        path = self._older.get(scope["path"], scope["path"]) if scope["type"] == "http" else ""
        per_minute = self._limits.get(path)
        if per_minute is None:
            await self._app(scope, receive, send)
            return
        wait = await self._limiter_of(scope).take(f"{path} {_caller(scope)}", per_minute)
        if not wait:
            await self._app(scope, receive, send)
            return
        error = RateLimited(f"more than {per_minute} calls a minute; wait {math.ceil(wait)} s")
        await error_response(error, headers={"Retry-After": str(math.ceil(wait))})(scope, receive, send)


def _caller(scope: Scope) -> str:
    token = bearer(Headers(scope=scope).get("authorization"))
    if token:
        return hash_token(token)
    client = scope.get("client")
    return str(client[0]) if client else ""
