"""
A reranking server that answers by script, over real HTTP, in Cohere's protocol, which most servers speak.

    with reranking_server() as server:
        server.script(Answer(status=401))       # for the next calls, in order; all others get scores
        ... rank with RemoteReranker("hosted_vllm/scripted", api_base=server.base_url) ...
        assert server.requests[0]["query"] == "tea"

A text's score is the share of the question's words that it has.
"""

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.http_server import JsonHandler, serving


@dataclass(frozen=True)
class Answer:
    """What one call gets in place of the right answer."""

    status: int = 200
    body: Any = None
    location: str = ""
    never: bool = False


class RerankingServer:
    """The server. Open it with `reranking_server()`."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.traceparents: list[str | None] = []
        self.stopped = threading.Event()
        self.answers: deque[Answer] = deque()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.http.daemon_threads = True
        self.http.block_on_close = False

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    def script(self, *answers: Answer) -> None:
        """Answer the next calls by *answers*, in order."""
        self.answers.extend(answers)


@contextmanager
def reranking_server() -> Iterator[RerankingServer]:
    """Start a server on a free port of 127.0.0.1; it stops at the end of the `with` block."""
    server = RerankingServer()
    with serving(server.http, poll_seconds=0.02):
        try:
            yield server
        finally:
            server.stopped.set()


def _handler(server: RerankingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(JsonHandler):
        def do_POST(self) -> None:  # noqa: N802  the name that the library calls
            request = json.loads(self.sent())
            server.requests.append(request)
            server.keys.append(self.headers["Authorization"])
            server.traceparents.append(self.headers["traceparent"])
            answer = server.answers.popleft() if server.answers else Answer()
            if answer.never:
                server.stopped.wait()
                return
            headers = {"Location": answer.location} if answer.location else {}
            body = _scores(request) if answer.body is None else answer.body
            # no connection is left open after a test
            self.answer(answer.status, body, Connection="close", **headers)

    return Handler


def _scores(request: dict[str, Any]) -> dict[str, Any]:
    asked = set(request["query"].lower().split())
    shares = [len(asked & set(text.lower().split())) / len(asked) for text in request["documents"]]
    results = [{"index": place, "relevance_score": share} for place, share in enumerate(shares)]
    results.sort(key=lambda one: -one["relevance_score"])  # the protocol orders by score, not by place
    return {"id": "1", "model": "scripted", "results": results, "usage": {"total_tokens": 1}}
