"""Turn an unforeseen error into a reply of the usual shape that reveals nothing about it."""

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sagacity.api.errors import crash_response

_log = structlog.get_logger(__name__)


class CrashMiddleware:
    """
    Logs everything, and tells the caller only where to look.

    It stands within what names calls and lets web pages read replies, so that such a reply has their headers. One that
    has begun is cut off.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Go on, and answer if something crashes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_noting(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, send_noting)
        except Exception as error:
            _log.exception("request.crashed", path=scope["path"], exc_info=error)
            if started:
                raise
            await crash_response()(scope, receive, send)
