"""
A collector of traces on a port of this machine: OTLP over HTTP, decoded by the classes of the protocol's own package.

    with collector() as received:
        ... run a program with SAGACITY_TRACES_URL=received.url; when it has stopped:
        assert received.named("publish")
"""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from support.http_server import served


@dataclass(frozen=True)
class Recorded:
    """One span as it arrived."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: int
    is_error: bool
    attributes: dict[str, Any]
    links: list[str]
    """The traces that it is linked to."""
    service: str


@dataclass
class Collector:
    """What arrived so far."""

    url: str = ""
    spans: list[Recorded] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)

    def named(self, name: str) -> Recorded:
        """The only span of a name."""
        [one] = [span for span in self.spans if span.name == name]
        return one

    def path(self, span: Recorded) -> list[str]:
        """The names from the root down to *span*."""
        by_id = {one.span_id: one for one in self.spans}
        names = [span.name]
        while span.parent_id in by_id:
            span = by_id[span.parent_id]
            names.insert(0, span.name)
        return names


@contextmanager
def collector(status: int = 200, *, until: threading.Event | None = None) -> Iterator[Collector]:
    """Run a collector that answers with *status*, and waits for *until* if given."""
    received = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if until is not None:
                until.wait(60)
            if self.path != "/v1/traces" or status != 200:
                self.send_error(404 if status == 200 else status)
                return
            received.headers.append({name.lower(): value for name, value in self.headers.items()})
            received.raw.append(gzip.decompress(body))
            received.spans += _spans(received.raw[-1])
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with served(Handler) as url:
        received.url = url
        try:
            yield received
        finally:
            if until is not None:
                until.set()


def _spans(body: bytes) -> Iterator[Recorded]:
    for one in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = _values(one.resource.attributes)
        for span in (span for scope in one.scope_spans for span in scope.spans):
            yield Recorded(
                name=span.name,
                trace_id=span.trace_id.hex(),
                span_id=span.span_id.hex(),
                parent_id=span.parent_span_id.hex(),
                kind=span.kind,
                is_error=span.status.code == 2,
                attributes=_values(span.attributes),
                links=[link.trace_id.hex() for link in span.links],
                service=resource["service.name"],
            )


def _values(pairs: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in pairs}
