"""Spans: the parts of a call or a task and their durations. Without a collector they cost nothing."""

import asyncio
import re
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from pydantic import SecretStr
from structlog.typing import EventDict, WrappedLogger

from sagacity.domain.base import Value
from sagacity.domain.errors import ConfigError

Attribute = str | int | float | bool
"""The type of attributes: names of this program's own, counts and statuses; no texts, no user names."""
NO_ATTRIBUTES: Mapping[str, Attribute] = MappingProxyType({})
MOST_LINKS = 32
_STOP_SECONDS = 3.0
"""How long a process that stops waits until its last spans are sent."""
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_LATER_VERSION = re.compile(r"(?!00|ff)[0-9a-f]{2}-.*")
_LENGTH = 55
_LONGEST = 512


class TraceChoice(Value):
    """Where spans are sent, and which share of traces."""

    url: str
    headers: Mapping[str, SecretStr] = field(default_factory=dict[str, SecretStr])
    service_name: str = "sagacity"
    share: float = 1.0
    """Of the traces that begin here, from 0 to 1."""


class TraceCounts(Value):
    """The counts of this process's spans."""

    waiting: int
    dropped: int


class Span(Protocol):
    """One part of a trace, while it runs."""

    @property
    def trace_id(self) -> str:
        """The trace's id in hexadecimal; empty if none is recorded."""
        ...

    @property
    def traceparent(self) -> str:
        """The header that passes the trace on to another program; empty if none is recorded."""
        ...

    def rename(self, name: str) -> None:
        """Rename it."""
        ...

    def note(self, attributes: Mapping[str, Attribute | None]) -> None:
        """Add attributes; None values are left out."""
        ...

    def fail(self, kind: str) -> None:
        """Say that it failed, by the kind of the error and never by its text."""
        ...

    def end(self) -> None:
        """End it; idempotent."""
        ...


class Tracer(Protocol):
    """Begins spans, and sends them when they have ended."""

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
        """
        Begin a span.

        Args:
            name: one of few.
            parent: the span that it is a part of.
            remote: the `traceparent` of the program that caused it, checked; empty if none did.
            links: what caused it without waiting for it.
            is_call: True if this program calls another, False if it is called, None if neither.
            attributes: what is known of it.
        """
        ...

    @property
    def counts(self) -> TraceCounts:
        """The counts of spans so far."""
        ...

    def stop(self, seconds: float) -> None:
        """Send waiting spans, and drop those left after *seconds*; blocks."""
        ...


class _Nothing:
    """A span that nobody asked for."""

    trace_id = traceparent = ""

    def rename(self, name: str) -> None:
        """Do nothing."""

    def note(self, attributes: Mapping[str, Attribute | None]) -> None:
        """Do nothing."""

    def fail(self, kind: str) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of the running code in a trace."""

    tracer: Tracer
    span: Span | None = None
    links: Sequence[Span] = ()


_NOTHING: Span = _Nothing()
_place: ContextVar[_Place | None] = ContextVar("sagacity_trace_place", default=None)


@contextmanager
def span(
    name: str, attributes: Mapping[str, Attribute] = NO_ATTRIBUTES, *, is_call: bool | None = None
) -> Generator[Span]:
    """Record the block as a part of the trace that goes on, or as a trace of its own; see `Tracer.begin`."""
    place = _place.get()
    if place is None:
        yield _NOTHING
        return
    with _recorded(place, name, attributes, is_call=is_call) as begun:
        yield begun


@contextmanager
def call_span(tracer: Tracer, name: str, traceparent: str) -> Generator[Span]:
    """Record the block as a call from outside, as a part of the caller's trace where *traceparent* names one."""
    with _recorded(_Place(tracer), name, NO_ATTRIBUTES, remote=traceparent, is_call=False) as begun:
        yield begun


@contextmanager
def _recorded(
    place: _Place,
    name: str,
    attributes: Mapping[str, Attribute],
    *,
    remote: str = "",
    is_call: bool | None = None,
) -> Generator[Span]:
    former = _place.get()
    begun = place.tracer.begin(
        name,
        parent=place.span,
        remote=remote,
        links=place.links,
        is_call=is_call,
        attributes=attributes,
    )
    _place.set(_Place(place.tracer, begun))
    try:
        yield begun
    except BaseException as error:
        begun.fail(type(error).__name__)
        raise
    finally:
        # Not by a token: a stream may be closed in another context than the one in which it was opened.
        _place.set(former)
        begun.end()


@asynccontextmanager
async def traced(choice: TraceChoice | None) -> AsyncGenerator[Tracer | None]:
    """
    Record the spans that begin in the block, and in the tasks that it starts, and send the last of them at its end.

    Raises:
        ConfigError: the packages are not installed.
    """
    if choice is None:
        yield None
        return
    former, tracer = _place.get(), open_tracer(choice)
    _place.set(_Place(tracer))
    try:
        yield tracer
    finally:
        _place.set(former)
        await asyncio.to_thread(tracer.stop, _STOP_SECONDS)


@contextmanager
def caused_by(causes: Sequence[Span]) -> Generator[None]:
    """Link the traces that begin in the block to what caused them."""
    place = _place.get()
    if place is None or not causes:
        yield
        return
    _place.set(_Place(place.tracer, links=tuple(causes[:MOST_LINKS])))
    try:
        yield
    finally:
        _place.set(place)


def current_span() -> Span | None:
    """Return the span that goes on; None where none is recorded."""
    place = _place.get()
    return None if place is None else place.span


def checked_traceparent(headers: Sequence[str]) -> str:
    """
    Return the header of W3C Trace Context that a caller sent; empty if it is not as it should be.

    Args:
        headers: all that came of it; more than one is as bad as none.
    """
    if len(headers) != 1 or len(headers[0]) > _LONGEST:
        return ""
    given = headers[0].strip(" \t")
    head = given[:_LENGTH]
    is_whole = given == head or (_LATER_VERSION.fullmatch(given) and given[_LENGTH] == "-")
    return head if is_whole and _TRACEPARENT.fullmatch(head) else ""


def add_trace(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Add the ids of the trace that goes on to a line of the log."""
    going_on = current_span()
    if going_on is not None and going_on.trace_id:
        event.setdefault("trace_id", going_on.trace_id)
    return event


def open_tracer(choice: TraceChoice) -> Tracer:
    """
    Return what sends spans to a collector; nothing connects before there are some.

    Raises:
        ConfigError: the packages are not installed.
    """
    try:
        from sagacity.observability.otlp import OtlpTracer  # noqa: PLC0415  an extra brings what it needs
    except ModuleNotFoundError as error:
        raise ConfigError(
            "setting SAGACITY_TRACES_URL needs more packages: uv pip install -e '.[tracing]' in the checkout"
        ) from error
    return OtlpTracer(choice)
