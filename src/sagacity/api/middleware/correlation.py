"""One id for a call: in its reply, and in every line that it logs."""

import re

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sagacity.api.errors import CORRELATION_HEADER
from sagacity.domain.ids import IdSource

_SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LENGTH = 8


class CorrelationMiddleware:
    """Keeps the caller's id if it is a plain short word, and makes one of 8 hex digits otherwise."""

    def __init__(self, app: ASGIApp, ids: IdSource) -> None:
        self._app = app
        self._ids = ids

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Name the call, and go on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(CORRELATION_HEADER, "")
        # The last digits of a time-ordered id are its random ones.
        name = given if _SANE.fullmatch(given) else self._ids.new().replace("-", "")[-_LENGTH:]
        # Left bound at the end: what answers a crash comes after us, and each call has a context of its own.
        structlog.contextvars.bind_contextvars(correlation_id=name)

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[CORRELATION_HEADER] = name
            await send(message)

        await self._app(scope, receive, send_named)
