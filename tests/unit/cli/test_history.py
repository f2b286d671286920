"""How a memory's history looks to people."""

import io

import pytest
from rich.console import Console

from sagacity.api.openapi import examples
from sagacity.cli.history import draw
from sagacity.schemas.history import MemoryHistory

EXAMPLE = MemoryHistory.model_validate(examples()["GET /api/memories/{memory_id}/history"].reply)


def drawn(found: MemoryHistory) -> str:
    console = Console(file=io.StringIO(), width=160, highlight=False)
    draw(found)(console)
    return console.file.getvalue()


def test_timeline_says_who_when_why_and_from_which_turns():
    """What was proposed, what it became, what was before it, and who said so."""
    text = drawn(EXAMPLE)
    for line in (
        "2026-05-01 10:00Z  added  by profile:x: both are about mornings",
        "from turn 2 of request r-2",
        "proposed: Swims in the morning.",
        "is:  Runs and swims in the morning.",
        "  Runs in the morning.  [learned-000001; turn 1]",
        "  2026-05-01 10:00Z  User: I run every morning.  [turn 1]",
    ):
        assert line in text


def test_what_is_left_out_is_counted():
    """Older events, older turns and deleted ones; what was written directly rests on none."""
    more = {"event_count": 4, "source_count": 9, "deleted_source_count": 2, "has_more_predecessors": True}
    text = drawn(EXAMPLE.model_copy(update=more))
    assert "what happened (and 3 events before)" in text
    assert "2 turns, deleted since" in text
    assert "5 older turns" in text
    assert "and more before these" in text
    one = {"event_count": 2, "source_count": 3}
    text = drawn(EXAMPLE.model_copy(update=one))
    assert "(and 1 event before)" in text
    assert "\n  1 older turn\n" in text


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("direct", "no turns: it was written directly"),
        ("model", "no turns of its own: both are about mornings"),
    ],
)
def test_what_names_no_turns_says_what_it_rests_on(method: str, says: str):
    """A person's word, or other memories: then the reason why it was written names them."""
    memory = EXAMPLE.memory.model_copy(
        update={"provenance": EXAMPLE.memory.provenance.model_copy(update={"method": method})}
    )
    none = {"memory": memory, "sources": (), "source_count": 0}
    assert says in drawn(EXAMPLE.model_copy(update=none))


def test_many_turns_are_named_by_the_first_and_their_number():
    """Forty numbers tell a reader nothing."""
    [event, *_] = EXAMPLE.events
    many = event.model_copy(update={"interaction_ids": tuple(range(1, 41)), "request_id": None})
    assert "from turns 1, 2, 3, 4, 5, 6, 7, 8 and 32 more\n" in drawn(
        EXAMPLE.model_copy(update={"events": (many,)})
    )


def test_hostile_text_reaches_no_terminal():
    """Control characters and markup of a memory are shown, not obeyed."""
    bad = EXAMPLE.memory.model_copy(update={"content": "\x1b[31mred [bold]x[/bold]"})
    text = drawn(EXAMPLE.model_copy(update={"memory": bad}))
    assert "\x1b" not in text
    assert "�[31mred [bold]x[/bold]" in text
