"""Send spans to an OpenTelemetry collector by OTLP over HTTP, from a thread of its own."""

import logging
import threading
from collections import deque
from collections.abc import Mapping, Sequence

import structlog
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

from sagacity.observability.tracing import Attribute, Span, TraceChoice, TraceCounts

MOST_WAITING = 4_096
"""How many spans may wait; further ones are dropped and counted."""
_BATCH = 256
_SECONDS = 1.0
"""How long a span waits to be sent together with others."""
_TIMEOUT_SECONDS = 5.0
_KINDS = {None: trace.SpanKind.INTERNAL, True: trace.SpanKind.CLIENT, False: trace.SpanKind.SERVER}
_log = structlog.get_logger(__name__)


class OtlpSpan:
    """A span of OpenTelemetry."""

    def __init__(self, recorded: trace.Span) -> None:
        self.recorded = recorded
        self._has_ended = False

    @property
    def trace_id(self) -> str:
        """In 32 hexadecimal digits."""
        return trace.format_trace_id(self.recorded.get_span_context().trace_id)

    @property
    def traceparent(self) -> str:
        """As W3C Trace Context has it."""
        context = self.recorded.get_span_context()
        return f"00-{self.trace_id}-{trace.format_span_id(context.span_id)}-{context.trace_flags:02x}"

    def rename(self, name: str) -> None:
        """Rename it."""
        self.recorded.update_name(name)

    def note(self, attributes: Mapping[str, Attribute | None]) -> None:
        """Add attributes; None values are left out."""
        self.recorded.set_attributes({name: one for name, one in attributes.items() if one is not None})

    def fail(self, kind: str) -> None:
        """Mark it as failed."""
        self.recorded.set_attribute("error.type", kind)
        self.recorded.set_status(trace.StatusCode.ERROR)

    def end(self) -> None:
        """End it; idempotent."""
        if not self._has_ended:
            self._has_ended = True
            self.recorded.end()


class OtlpTracer:
    """Begins spans and sends them."""

    def __init__(self, choice: TraceChoice) -> None:
        # They would write a line, with the address, for every batch; ours say once that the collector is lost or found.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        exporter = OTLPSpanExporter(
            endpoint=choice.url,
            headers={name: value.get_secret_value() for name, value in choice.headers.items()},
            timeout=_TIMEOUT_SECONDS,
            compression=Compression.Gzip,
        )
        self._sender = Sender(exporter)
        provider = TracerProvider(
            sampler=ParentBased(TraceIdRatioBased(choice.share)),
            resource=Resource({"service.name": choice.service_name}),
            shutdown_on_exit=False,
        )
        provider.add_span_processor(self._sender)
        self._tracer = provider.get_tracer("sagacity")

    def begin(
        self,
        name: str,
        *,
        parent: Span | None,
        remote: str,
        links: Sequence[Span],
        is_call: bool | None,
        attributes: Mapping[str, Attribute],
    ) -> Span:
        """Begin a span; see `Tracer.begin`."""
        context = Context()
        if isinstance(parent, OtlpSpan):
            context = trace.set_span_in_context(parent.recorded, context)
        elif remote:
            context = trace.set_span_in_context(trace.NonRecordingSpan(_context_of(remote)), context)
        causes = [one.recorded.get_span_context() for one in links if isinstance(one, OtlpSpan)]
        return OtlpSpan(
            self._tracer.start_span(
                name,
                context=context,
                kind=_KINDS[is_call],
                attributes=attributes,
                links=[trace.Link(one) for one in causes if one.trace_flags.sampled],
            )
        )

    @property
    def counts(self) -> TraceCounts:
        """The counts of spans so far."""
        return self._sender.counts

    def stop(self, seconds: float) -> None:
        """Send waiting spans, and drop those left after *seconds*; blocks."""
        self._sender.stop(seconds)


class Sender(SpanProcessor):
    """
    Sends spans in batches, from a thread, so that no call waits for the collector.

    The package's own would keep silent of what it drops, and does not say how long it takes to stop.
    """

    def __init__(self, exporter: SpanExporter, *, most_waiting: int = MOST_WAITING) -> None:
        self._exporter = exporter
        self._most_waiting = most_waiting
        self._waiting: deque[ReadableSpan] = deque()
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._is_stopped = False
        self._is_lost = False
        self._dropped = 0
        self._sending = 0
        self._thread = threading.Thread(target=self._run, name="traces", daemon=True)
        self._thread.start()

    @property
    def counts(self) -> TraceCounts:
        """The counts of waiting and of lost spans."""
        with self._lock:
            return TraceCounts(waiting=len(self._waiting) + self._sending, dropped=self._dropped)

    def on_end(self, span: ReadableSpan) -> None:
        """Accept an ended span; neither waits nor fails."""
        if span.context is None or not span.context.trace_flags.sampled:
            return
        with self._lock:
            if self._is_stopped or len(self._waiting) >= self._most_waiting:
                self._dropped += 1
                return
            self._waiting.append(span)
            is_batch = len(self._waiting) >= _BATCH
        if is_batch:
            self._news.set()

    def stop(self, seconds: float) -> None:
        """Send waiting spans; those left after *seconds* are dropped."""
        with self._lock:
            self._is_stopped = True
        self._news.set()
        self._thread.join(seconds)
        with self._lock:
            self._dropped += len(self._waiting) + self._sending
            self._sending = 0
            self._waiting.clear()
        self._exporter.shutdown()

    def _run(self) -> None:
        while True:
            self._news.wait(_SECONDS)
            self._news.clear()
            is_last = self._is_stopped
            while (batch := self._take()) and not (is_last and self._is_lost):
                self._send(batch)
            if is_last:
                return

    def _take(self) -> list[ReadableSpan]:
        with self._lock:
            self._sending = min(_BATCH, len(self._waiting))
            return [self._waiting.popleft() for _ in range(self._sending)]

    def _send(self, batch: Sequence[ReadableSpan]) -> None:
        is_lost = self._exporter.export(batch) is not SpanExportResult.SUCCESS
        with self._lock:
            self._dropped += self._sending if is_lost else 0
            self._sending = 0
        if is_lost != self._is_lost:
            self._is_lost = is_lost
            _log.warning("traces.collector_lost" if is_lost else "traces.collector_found")


def _context_of(traceparent: str) -> trace.SpanContext:
    _version, trace_id, span_id, flags = traceparent.split("-")
    return trace.SpanContext(
        trace_id=int(trace_id, 16),
        span_id=int(span_id, 16),
        is_remote=True,
        trace_flags=trace.TraceFlags(int(flags, 16) & trace.TraceFlags.SAMPLED),
    )
