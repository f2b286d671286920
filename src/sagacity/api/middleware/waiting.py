"""Tell calls to come again while the database is down from the start."""

from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from sagacity.api.errors import RETRY_SECONDS, problem_response
from sagacity.domain.errors import StorageUnavailable

_ALWAYS = frozenset({"/", "/health", "/health/live", "/health/ready", "/meta/version"})
"""Paths that are answered without a database."""
_WAITS = "The server waits for its database. Nothing was stored; send the call again."


class WaitingMiddleware:
    """Answers 503 until the runtime is open."""

    def __init__(self, app: ASGIApp, is_open: Callable[[Scope], bool]) -> None:
        """
        Wrap *app*.

        Args:
            app: the wrapped application.
            is_open: returns whether the runtime is open.
        """
        self._app = app
        self._is_open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Go on, if the runtime is open."""
        if scope["type"] != "http" or self._is_open(scope) or scope["path"] in _ALWAYS:
            await self._app(scope, receive, send)
            return
        reply = problem_response(
            503,
            StorageUnavailable.__name__,
            _WAITS,
            retry_after=RETRY_SECONDS,
            headers={"Retry-After": str(RETRY_SECONDS)},
        )
        await reply(scope, receive, send)
