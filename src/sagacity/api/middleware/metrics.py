"""Count every call by route and status, with its duration."""

import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sagacity.observability.metrics import Metrics


class MetricsMiddleware:
    """Counts calls when they end; a call whose client disconnected before the reply counts as 499."""

    def __init__(self, app: ASGIApp, metrics_of: Callable[[Scope], Metrics | None]) -> None:
        """
        Wrap *app*.

        Args:
            app: the wrapped application.
            metrics_of: returns the counters, which are created later than this.
        """
        self._app = app
        self._metrics_of = metrics_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Go on, and count."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 499

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_noting)
        finally:
            seconds = time.perf_counter() - began
            metrics = self._metrics_of(scope)
            if metrics is not None:
                metrics.count_http(scope["method"], declared_route(scope), status, seconds)


def declared_route(scope: Scope) -> str:
    """Return the declared path, because the values in its braces are personal. Empty if no route matched."""
    return getattr(scope.get("route"), "path", "")
