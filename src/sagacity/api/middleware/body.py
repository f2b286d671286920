"""Check that a body is small enough and is JSON before anything else reads it."""

from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sagacity.api.errors import error_response
from sagacity.domain.errors import TooLarge

FAULT = "body_fault"
"""The key in a call's state with the reason why its body is not JSON."""


class BodyMiddleware:
    """
    Reads the whole body, up to a limit, and passes it on in one piece.

    JSON is taken as RFC 8259 has it: UTF-8 without a mark, no NaN, no Infinity, and no more than 200 levels deep. What
    is wrong with it is noted in the state of the call as `FAULT`, and told once it is known who calls: a stranger is
    only asked for a token.
    """

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, and go on unless it is too large."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            body = await self._read(headers, receive)
        except TooLarge as error:
            await error_response(error, headers={"Connection": "close"})(scope, receive, send)
            return
        if body is None:
            return
        if body and "json" in headers.get("content-type", "").lower() and (fault := _fault(body)):
            scope.setdefault("state", {})[FAULT] = fault
            body = b"null"  # what anything may read in its place
        await self._app(scope, _replay(body, receive), send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes | None:
        """
        Return the body; None if the client disconnected.

        Raises:
            TooLarge: its declared or actual size is over the limit.
        """
        said = headers.get("content-length", "")
        if said.isdecimal() and int(said) > self._max_bytes:
            raise TooLarge(f"the body has {said} bytes; the limit is {self._max_bytes}")
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            piece: bytes = message.get("body", b"")
            size += len(piece)
            if size > self._max_bytes:
                raise TooLarge(f"the body has more than {self._max_bytes} bytes, which is the limit")
            pieces.append(piece)
            if not message.get("more_body", False):
                return b"".join(pieces)


def _fault(body: bytes) -> str:
    """Return why *body* is not JSON; empty if it is."""
    try:
        from_json(body, allow_inf_nan=False, cache_strings="none")
    except ValueError as error:
        return str(error)
    return ""


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = [body]

    async def replay() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replay
