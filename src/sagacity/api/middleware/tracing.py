"""Record each call as a span, in the caller's trace if it names one."""

from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sagacity.api.middleware.metrics import declared_route
from sagacity.api.middleware.request_log import PROBES
from sagacity.observability.tracing import Tracer, call_span, checked_traceparent

_HEADER = b"traceparent"
_SERVER_FAULT = 500
_GONE = 499


class TracingMiddleware:
    """
    Records method, declared route and status, but nothing from the path's values, the query or the body.

    A caller's `traceparent` is used if it is well formed, and ignored otherwise. Its `tracestate` is not read.
    """

    def __init__(self, app: ASGIApp, tracer_of: Callable[[Scope], Tracer | None]) -> None:
        """
        Wrap *app*.

        Args:
            app: the wrapped application.
            tracer_of: returns the tracer, which is created later than this.
        """
        self._app = app
        self._tracer_of = tracer_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Go on, and record."""
        is_traced = scope["type"] == "http" and not scope["path"].startswith(PROBES)
        tracer = self._tracer_of(scope) if is_traced else None
        if tracer is None:
            await self._app(scope, receive, send)
            return
        status = _GONE

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        given = [value.decode("latin-1") for name, value in scope["headers"] if name == _HEADER]
        with call_span(tracer, "call", checked_traceparent(given)) as begun:
            try:
                await self._app(scope, receive, send_noting)
            finally:
                route = declared_route(scope) or "none"
                method = scope["method"] if route != "none" else "other"
                begun.rename(f"{method} {route}")
                begun.note(
                    {
                        "http.request.method": method,
                        "http.route": route,
                        "http.response.status_code": status,
                    }
                )
                if status >= _SERVER_FAULT:
                    begun.fail(str(status))
