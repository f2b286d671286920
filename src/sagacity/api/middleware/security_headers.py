"""Headers that restrict what browsers may do with a reply."""

from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HALF_A_YEAR = 15_552_000
_FRAMES = "frame-ancestors 'none'"
ALWAYS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-site",
}


class SecurityHeadersMiddleware:
    """
    Adds headers to every reply that lacks them.

    A reply of the API is no page: it may load nothing, be framed nowhere, and be cached nowhere. The pages that show
    the API's description load their own scripts.
    """

    def __init__(self, app: ASGIApp, *, is_https: bool, pages: tuple[str, ...]) -> None:
        """
        Add headers.

        Args:
            app: the wrapped application.
            is_https: whether browsers reach this server over https and must keep doing so.
            pages: path prefixes of pages.
        """
        self._app = app
        self._always = dict(ALWAYS)
        if is_https:
            self._always["Strict-Transport-Security"] = f"max-age={_HALF_A_YEAR}"
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Go on, and add the headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(self._always)
        if scope["path"].startswith(self._pages):
            headers["Content-Security-Policy"] = _FRAMES
        else:
            headers["Content-Security-Policy"] = f"default-src 'none'; {_FRAMES}"
            headers["Cache-Control"] = "no-store"

        async def send_completed(message: Message) -> None:
            if message["type"] == "http.response.start":
                reply = MutableHeaders(scope=message)
                for name, value in headers.items():
                    reply.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_completed)
