"""Log every call with its status and duration."""

import time

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TIME_HEADER = "X-Process-Time"
_USERS = "/api/users/"
PROBES = ("/health", "/metrics")
"""Probes, which machines call every few seconds."""

_log = structlog.get_logger(__name__)


class RequestLogMiddleware:
    """
    Logs method, path, status and seconds of a call at its end, and says in its reply how long it took to begin.

    Personal data is not logged: the query, the caller's address, a user's id in the path.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Go on, and measure the time."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status: int | None = None

        async def send_timed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[TIME_HEADER] = f"{time.perf_counter() - began:.4f}"
            await send(message)

        try:
            await self._app(scope, receive, send_timed)
        finally:
            if not scope["path"].startswith(PROBES):
                _log.info(
                    "request.done",
                    method=scope["method"],
                    path=_USERS + "{user_id}" if scope["path"].startswith(_USERS) else scope["path"],
                    status=status,
                    seconds=round(time.perf_counter() - began, 4),
                )
