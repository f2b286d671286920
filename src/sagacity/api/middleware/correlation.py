"""Give each call one id, in its reply and in every line that it logs."""

import re

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sagacity.api.errors import CORRELATION_HEADER, REQUEST_HEADER
from sagacity.domain.ids import IdSource

_SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LENGTH = 8
NAMED_BY = (CORRELATION_HEADER, REQUEST_HEADER)
"""The headers with a call's id; the caller's first well-formed one counts."""


class CorrelationMiddleware:
    """Uses the caller's id if it is a short plain word, else a new one of 8 hex digits."""

    def __init__(self, app: ASGIApp, ids: IdSource) -> None:
        self._app = app
        self._ids = ids

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Set the id, and go on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = (headers.get(header, "") for header in NAMED_BY)
        # The last digits of a time-ordered id are its random ones.
        name = next(filter(_SANE.fullmatch, given), None) or self._ids.new().replace("-", "")[-_LENGTH:]
        # Left bound at the end: what answers a crash comes after us, and each call has a context of its own.
        structlog.contextvars.bind_contextvars(correlation_id=name)

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                reply = MutableHeaders(scope=message)
                for header in NAMED_BY:
                    reply[header] = name
            await send(message)

        await self._app(scope, receive, send_named)
