"""
An embedding server that answers by script, over real HTTP, in OpenAI's protocol.

    with embedding_server(dimension=64) as server:
        server.fail_with(status(429), garbage())   # for the next calls, in order; all others get vectors
        ... embed with RemoteEmbedder("openai/scripted", dimension=64, api_base=server.base_url) ...
        assert server.requests[0]["input"] == ["tea"]

A vector counts the text's words, each at a place of its own, so that texts that share words are close.
"""

import json
import threading
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.http_server import serving

LENGTH = 7.0  # of the vectors given: a caller that wants unit rows has to scale


@dataclass(frozen=True)
class Fault:
    """What one call gets in place of the right answer."""

    status: int = 200
    body: bytes | None = None
    delay_seconds: float = 0
    never: bool = False
    dimension: int | None = None
    drop_last: bool = False


def status(code: int, *, error_code: str | None = None, says: str = "scripted") -> Fault:
    """An HTTP error."""
    body = json.dumps({"error": {"message": says, "type": "scripted", "code": error_code}}).encode()
    return Fault(status=code, body=body)


def garbage(body: bytes = b"<html>a proxy's page</html>") -> Fault:
    """A 200 whose body is no list of vectors."""
    return Fault(body=body)


def slow(seconds: float) -> Fault:
    """The right answer after a while."""
    return Fault(delay_seconds=seconds)


def never() -> Fault:
    """No answer until the server stops."""
    return Fault(never=True)


def wrong_dimension(dimension: int) -> Fault:
    """Vectors of another length."""
    return Fault(dimension=dimension)


def one_short() -> Fault:
    """A vector fewer than texts."""
    return Fault(drop_last=True)


class EmbeddingServer:
    """The server. Open it with `embedding_server()`."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.traceparents: list[str | None] = []
        self.most_at_once = 0
        self.stopped = threading.Event()
        self._at_once = 0
        self._faults: deque[Fault] = deque()
        self._lock = threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.http.daemon_threads = True
        self.http.block_on_close = False

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/v1"

    @property
    def batches(self) -> list[list[str]]:
        """The texts of each call."""
        return [request["input"] for request in self.requests]

    def fail_with(self, *faults: Fault) -> None:
        """Answer the next calls by *faults*, in order."""
        self._faults.extend(faults)

    def begin(self, request: dict[str, Any], key: str | None) -> Fault:
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            return self._faults.popleft() if self._faults else Fault()

    def end(self) -> None:
        with self._lock:
            self._at_once -= 1


@contextmanager
def embedding_server(*, dimension: int = 64) -> Iterator[EmbeddingServer]:
    """Start a server on a free port of 127.0.0.1; it stops at the end of the `with` block."""
    server = EmbeddingServer(dimension)
    with serving(server.http, poll_seconds=0.02):
        try:
            yield server
        finally:
            server.stopped.set()


def _handler(server: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.traceparents.append(self.headers["traceparent"])
            fault = server.begin(request, self.headers["Authorization"])
            try:
                self._answer(request, fault)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the caller gave up first, as tests of timeouts do
            finally:
                server.end()

        def _answer(self, request: dict[str, Any], fault: Fault) -> None:
            server.stopped.wait(None if fault.never else fault.delay_seconds)
            if fault.never:
                return
            body = fault.body
            if body is None:
                texts = request["input"][:-1] if fault.drop_last else request["input"]
                body = _vectors(texts, fault.dimension or server.dimension)
            self.send_response(fault.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")  # no connection is left open after a test
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing: tests read `requests`."""

    return Handler


def _vectors(texts: list[str], dimension: int) -> bytes:
    items = [
        {"object": "embedding", "index": index, "embedding": _vector(text, dimension)}
        for index, text in enumerate(texts)
    ]
    items.reverse()  # the protocol orders by index, not by place
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return json.dumps({"object": "list", "data": items, "model": "scripted", "usage": usage}).encode()


def _vector(text: str, dimension: int) -> list[float]:
    counts = [0.0] * dimension
    for word in text.lower().split():
        counts[zlib.crc32(word.encode("utf-8", "replace")) % dimension] += 1
    norm = sum(count * count for count in counts) ** 0.5
    return [LENGTH * count / norm for count in counts]
