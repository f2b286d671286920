"""The client takes up an answer whose connection was lost, when the server wants it to."""

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest
from pydantic import JsonValue

from sagacity.client import AsyncSagacity, Sagacity
from support.http_server import served

EVENTS = (
    ("start", {"conversation_id": "c", "exchange_id": "e"}),
    ("message", {"content": "Once upon "}),
    ("message", {"content": "a time."}),
    ("done", {"status": "done"}),
)
DROPPED_AFTER = 2
BUSY_SECONDS = 1
SHORT_SECONDS = 0.5
"""A client's time limit, which the server's silence is longer than."""


class Dropping:
    """A server that drops its first stream in the middle of an event, and is busy for a while after that."""

    def __init__(self) -> None:
        self.resumed_after: list[str | None] = []
        self.url = ""
        self.busy_until = 0.0
        self.silent_seconds = 0.0
        """After the headers of a stream that is taken up."""


@pytest.fixture
def server() -> Iterator[Dropping]:
    dropping = Dropping()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            after = self.headers.get("Last-Event-ID")
            dropping.resumed_after.append(after)
            if len(dropping.resumed_after) == 2:
                dropping.busy_until = time.monotonic() + 0.9 * BUSY_SECONDS  # a timer may go off early
            if time.monotonic() < dropping.busy_until:
                body = b'{"success": false, "error": "RateLimited", "message": "wait", "msg": "wait", "detail": null}'
                self.send_response(429)
                self.send_header("Retry-After", str(BUSY_SECONDS))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if after is not None:
                time.sleep(dropping.silent_seconds)
            for number in range(int(after or 0), len(EVENTS)):
                name, data = EVENTS[number]
                told = f"event: {name}\nid: {number + 1}\ndata: {json.dumps(data)}\n\n"
                if after is None and number == DROPPED_AFTER:
                    self._chunk(told[: len(told) // 2])
                    self.close_connection = True
                    return
                self._chunk(told)
            self._chunk("")

        def _chunk(self, text: str) -> None:
            piece = text.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name is the base's
            pass

    with served(Handler) as dropping.url:
        yield dropping


async def test_lost_stream_is_taken_up(server: Dropping) -> None:
    """After the last whole event, and no sooner than the server asks: asked again at once, it would refuse."""
    async with AsyncSagacity(server.url) as sagacity:
        told = [(one.event, one.data) async for one in sagacity.send_message("Tell me a story.")]
    _check(told, server)


def test_lost_stream_is_taken_up_without_asyncio(server: Dropping) -> None:
    with Sagacity(server.url) as sagacity:
        told = [(one.event, one.data) for one in sagacity.send_message("Tell me a story.")]
    _check(told, server)


async def test_silent_stream_is_waited_for(server: Dropping) -> None:
    """Also for longer than other calls may be silent, and than a lost connection is looked for."""
    server.silent_seconds = 3 * SHORT_SECONDS
    limits = {"timeout_seconds": SHORT_SECONDS, "retry_seconds": BUSY_SECONDS + 4 * SHORT_SECONDS}
    async with AsyncSagacity(server.url, **limits) as sagacity:
        told = [(one.event, one.data) async for one in sagacity.send_message("Tell me a story.")]
    _check(told, server)


def _check(told: list[tuple[str, dict[str, JsonValue]]], server: Dropping) -> None:
    assert told == list(EVENTS)
    assert server.resumed_after == [None, str(DROPPED_AFTER), str(DROPPED_AFTER)]
