"""A server of Python's own, for one test: it answers by the handler that it is given."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class JsonHandler(BaseHTTPRequestHandler):
    """Answers in JSON, and keeps quiet."""

    protocol_version = "HTTP/1.1"

    def sent(self) -> bytes:
        """The body of the request."""
        return self.rfile.read(int(self.headers["Content-Length"]))

    def answer(self, status: int, content: object, **headers: str) -> None:
        """Send a reply; an underscore in the name of a header is a dash."""
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name that the library calls
        pass


@contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server on a free port of 127.0.0.1; it stops at the end of the `with` block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with serving(server):
        yield f"http://127.0.0.1:{server.server_port}"


@contextmanager
def serving(server: ThreadingHTTPServer, *, poll_seconds: float = 0.5) -> Iterator[None]:
    """Run *server* in a thread during the block; a short *poll_seconds* makes it stop sooner."""
    thread = threading.Thread(target=server.serve_forever, args=(poll_seconds,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
