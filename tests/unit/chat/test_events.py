"""What a client is told, from any event on."""

from datetime import UTC, datetime

import pytest

from sagacity.chat.events import BEGINNING, Progress, events_after, place_of
from sagacity.domain.chat import Exchange, ExchangeStatus
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import InteractionId, SessionId, UserId

AT = datetime(2026, 3, 1, tzinfo=UTC)
TEXT = "You avoid peanuts."


def exchange(status: ExchangeStatus, **fields) -> Exchange:
    return Exchange(
        exchange_id="e-1",
        user_id=UserId("ana"),
        session_id=SessionId("c-1"),
        answer_id="a-1",
        status=status,
        held_until=AT,
        created_at=AT,
        updated_at=AT,
        **fields,
    )


def names(progress: Progress, after: int = BEGINNING) -> list[str]:
    return [one.name for one in events_after(after, progress)]


def test_order_is_always_the_same() -> None:
    """And there is exactly one last event."""
    running = exchange(ExchangeStatus.RUNNING)
    assert names(Progress(running)) == ["start", "metadata"]
    assert names(Progress(running, "", ())) == ["start", "metadata", "memory"]
    assert names(Progress(running, "You", ())) == ["start", "metadata", "memory", "message"]
    for status, last in (
        (ExchangeStatus.DONE, "done"),
        (ExchangeStatus.STOPPED, "done"),
        (ExchangeStatus.ABANDONED, "done"),
        (ExchangeStatus.FAILED, "error"),
        (ExchangeStatus.INTERRUPTED, "error"),
    ):
        ended = Progress(exchange(status), "You", ())
        assert names(ended) == ["start", "metadata", "memory", "message", last]
        final = list(events_after(BEGINNING, ended))[-1]
        assert final.name == last
        assert names(ended, final.number) == []


@pytest.mark.parametrize("cut", range(len(TEXT) + 1))
def test_text_goes_on_after_any_character(cut: int) -> None:
    """Whatever was seen of it, the rest makes it whole."""
    seen = list(events_after(BEGINNING, Progress(exchange(ExchangeStatus.RUNNING), TEXT[:cut], ())))
    ended = Progress(exchange(ExchangeStatus.DONE, answer_turn=InteractionId(2)), TEXT, ())
    rest = list(events_after(seen[-1].number, ended))
    told = [one.data["content"] for one in (*seen, *rest) if one.name == "message"]
    assert "".join(map(str, told)) == TEXT
    assert rest[-1].data["message_id"] == "a-1"


def test_answer_that_was_not_stored_has_no_id() -> None:
    """So that nobody looks for it."""
    final = list(events_after(BEGINNING, Progress(exchange(ExchangeStatus.FAILED, error="no"))))[-1]
    assert (final.name, final.data["message_id"], final.data["error"]) == ("error", None, "no")


@pytest.mark.parametrize("event_id", ["", "x", ".3", "x.", "x.-1", "x.³", "x.9999999999", "x.1.y"])
def test_ids_of_nobodys_events_are_refused(event_id: str) -> None:
    with pytest.raises(InvalidInput):
        place_of(event_id)
    assert place_of("a.b.12") == ("a.b", 12)


@pytest.mark.parametrize("ahead", range(1, 5))
@pytest.mark.parametrize("status", [ExchangeStatus.INTERRUPTED, ExchangeStatus.DONE])
def test_client_that_has_more_than_was_stored_is_told_the_end(status: ExchangeStatus, ahead: int) -> None:
    """A killed server kept less than it had sent: the last event comes, once, and no text again."""
    seen = list(events_after(BEGINNING, Progress(exchange(ExchangeStatus.RUNNING), TEXT, ())))
    kept = Progress(exchange(status), TEXT[:-ahead], ())
    rest = list(events_after(seen[-1].number, kept))
    assert [one.name for one in rest] == ["done" if status is ExchangeStatus.DONE else "error"]
    assert list(events_after(rest[0].number, kept)) == []
    assert place_of(rest[0].event_id) == ("e-1", rest[0].number)
