"""
The events of an answer, computed from its progress alone.

An event's number says how much of the exchange is complete after it: 0 to 2 for the events before the text, 3 plus the
number of characters for a piece of text, and a number larger than any text's for the last event. So any process can
continue after any event from the stored exchange, although it may cut the text into other pieces. A client whose
server was killed may have more text than was stored; it gets the last event too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from sagacity.domain.chat import AnswerSource, Cited, Exchange, ExchangeStatus
from sagacity.domain.errors import InvalidInput

START, METADATA, MEMORY, TEXT = range(4)
BEGINNING: Final = -1
"""Before the first event."""
LAST: Final = 999_999_999
"""Of `done` and `error`. No text is so long."""
_FAILED = frozenset({ExchangeStatus.FAILED, ExchangeStatus.INTERRUPTED})


@dataclass(frozen=True, slots=True)
class SourceText:
    """A memory or turn that an answer could use, with its current text."""

    source: AnswerSource
    text: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of an exchange so far."""

    exchange: Exchange
    text: str = ""
    """The answer so far."""
    memories: tuple[SourceText, ...] | None = None
    """None while not known."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of the stream."""

    name: str
    number: int
    data: Mapping[str, JsonValue]
    exchange_id: str

    @property
    def event_id(self) -> str:
        """With it a client says where to continue."""
        return f"{self.exchange_id}.{self.number}"


def place_of(event_id: str) -> tuple[str, int]:
    """
    Return the exchange that an event's id names, and the event's number.

    Raises:
        InvalidInput: it is no id of an event.
    """
    exchange_id, _, number = event_id.rpartition(".")
    if not exchange_id or not (number.isascii() and number.isdigit()) or len(number) > 9:  # noqa: PLR2004  no answer is so long
        raise InvalidInput("Last-Event-ID: no id of an event of this stream")
    return exchange_id, int(number)


def events_after(number: int, progress: Progress) -> Iterator[Event]:
    """Yield the events that a client which has those up to *number* still needs."""
    exchange = progress.exchange

    def event(name: str, at: int, **data: JsonValue) -> Event:
        return Event(
            name, at, {"type": name, "exchange_id": exchange.exchange_id, **data}, exchange.exchange_id
        )

    if number < START:
        yield event("start", START, conversation_id=exchange.session_id)
    if number < METADATA:
        yield event(
            "metadata",
            METADATA,
            conversation_id=exchange.session_id,
            message_id=exchange.message_id,
            user_message_saved=True,
        )
    if progress.memories is not None and number < MEMORY:
        note: dict[str, JsonValue] = {"note": exchange.memory_note} if exchange.memory_note else {}
        yield event("memory", MEMORY, memories=[shown_view(one) for one in progress.memories], **note)
    text = progress.text[max(number - TEXT, 0) :]
    end = TEXT + len(progress.text)
    if text:
        yield Event("message", end, {"type": "text", "content": text}, exchange.exchange_id)
    if exchange.is_running or number >= LAST:
        return
    if exchange.status in _FAILED:
        yield event("error", LAST, error=exchange.error, error_kind=exchange.error_kind, **_outcome(exchange))
    else:
        yield event("done", LAST, **_outcome(exchange))


def shown_view(shown: SourceText) -> dict[str, JsonValue]:
    """Return a memory or turn as the stream shows it."""
    source = shown.source
    return {
        "citation": source.citation,
        "kind": source.kind,
        "id": source.item_id,
        "content": shown.text,
        "score": source.score,
        "relevance": source.relevance,
        "components": dict(source.components),
        "strategies": list(source.strategies),
        "tokens": source.tokens,
    }


def cited_view(cited: Cited) -> dict[str, JsonValue]:
    """Return a citation as the stream shows it."""
    return {"citation": cited.citation, "kind": cited.kind, "id": cited.item_id, "offset": cited.offset}


def _outcome(exchange: Exchange) -> dict[str, JsonValue]:
    return {
        "conversation_id": exchange.session_id,
        "message_id": exchange.answer_id if exchange.answer_turn is not None else None,
        "user_message_id": exchange.message_id,
        "status": str(exchange.status),
        "model": exchange.model,
        "usage": {
            "prompt_tokens": exchange.prompt_tokens,
            "completion_tokens": exchange.completion_tokens,
            "total_tokens": exchange.prompt_tokens + exchange.completion_tokens,
        },
        "ttfb_ms": exchange.timings.get("ttfb"),
        "timings": dict(exchange.timings),
        "citations": [cited_view(one) for one in exchange.citations],
    }
