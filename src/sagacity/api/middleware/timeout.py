"""Cancel calls that exceed their time limit."""

import asyncio
from collections.abc import Collection
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sagacity.api.errors import problem_response

_STREAMS = ("text/event-stream", "application/x-ndjson")


class TimeoutMiddleware:
    """
    Answers 504 after *seconds*, or after *wait_seconds* for a call that waits for learning or for a model's answer.

    A stream of events, or of lines, has begun by then, and may take as long as it takes.
    """

    def __init__(
        self, app: ASGIApp, seconds: float, wait_seconds: float, waiting: Collection[str] = frozenset()
    ) -> None:
        """
        Set the limits.

        Args:
            app: the wrapped application.
            seconds: the limit of a call.
            wait_seconds: the limit of a call that waits.
            waiting: calls that wait for a model's whole answer, by method and path such as `POST /api/chat/send`.
        """
        self._app = app
        self._waiting = waiting
        self._seconds = seconds
        self._wait_seconds = wait_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Go on, within the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_noting(message: Message) -> None:
            nonlocal started
            started = True
            if message["type"] == "http.response.start" and _is_stream(message):
                limit.reschedule(None)  # from here on, what answers has limits of its own
            await send(message)

        waits = f"{scope['method']} {scope['path']}" in self._waiting or _waits_for_learning(scope)
        seconds = self._wait_seconds if waits else self._seconds
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                await self._app(scope, receive, send_noting)
        except TimeoutError:
            if started or not limit.expired():
                raise
            reply = problem_response(504, "Timeout", f"the call took longer than {seconds:g} s and was ended")
            await reply(scope, receive, send)


def _is_stream(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith(_STREAMS)


def _waits_for_learning(scope: Scope) -> bool:
    query: bytes = scope["query_string"]
    asked = parse_qs(query.decode("latin-1")).get("wait_for_response", [""])[-1]
    return asked.lower() in {"true", "1", "yes", "on", "t", "y"}
