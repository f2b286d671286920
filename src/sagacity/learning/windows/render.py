"""Render a window as text with numbered turns, and map the numbers back to turns."""

import bisect
import itertools
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from sagacity.domain.base import Value
from sagacity.domain.cursor import Window
from sagacity.domain.interaction import Interaction, UserAction

_LINE_BREAK = re.compile("\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_NOT_IN_A_LABEL = re.compile(r"[\[\]#:\s\x00-\x1f\x7f-\x9f]+")
_TOOL_CHARS, _ROLE_CHARS = 40, 24
"""The most characters of a tool's name, and of a role, which is a word or a full name; most are shorter."""
_TOOLS_SHOWN = 20
_LEAST_CHARS = 40
_SHOWN = "beside this text, if it could be shown"
_NOT_SHOWN = "not shown here"
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ZERO_WIDTH_JOINER = "\u200d"
_LONGEST_CHARACTER = 32
"""The most code points of one visible character; a longer sequence is cut anywhere."""


class Limits(Value):
    """How much of a window a prompt may carry, in characters."""

    turn_chars: int = 4_000
    tool_chars: int = 1_500
    total_chars: int = 48_000


DEFAULT_LIMITS = Limits()


def render_window(window: Window, limits: Limits = DEFAULT_LIMITS) -> str:
    """
    Write a window as text, its turns numbered from 1; a model cites them by number.

    Each part of a turn begins with `[#NUMBER WHO` at the start of a line. All text by others follows it on that line or
    is indented, so that it cannot be mistaken for a turn, or for the line with the day on which the turns below it
    happened. A part that is too long keeps its beginning and end. If the whole is too long, the oldest context is left
    out first, then all parts are shortened equally, down to 40 characters.

    Returns:
        The text, of at most `total_chars` characters unless the unread turns are too many even at 40 characters per
        part.
    """
    first_unread = len(window.context) + 1
    turns = list(enumerate(window.interactions, start=1))
    shown = window.pictured if window.image else None

    def write(skipped: int, cap: int) -> str:
        return "\n".join(_lines(turns[skipped:], limits, cap, first_unread=first_unread, shown=shown))

    skips = range(len(window.context))
    skipped = bisect.bisect_left(
        skips, True, key=lambda s: len(write(s, limits.turn_chars)) <= limits.total_chars
    )
    return fit(lambda cap: write(skipped, cap), limits)


def render_conversations(
    conversations: Sequence[Sequence[Interaction]], limits: Limits = DEFAULT_LIMITS
) -> str:
    """
    Write conversations of any users as text, each under its number, with their turns numbered consecutively.

    As in `render_window`, text by others cannot be mistaken for a turn or a heading, and long parts are cut.
    """
    numbers = itertools.count(1)
    numbered = [[(next(numbers), turn) for turn in turns] for turns in conversations]

    def write(cap: int) -> str:
        return "\n".join(
            line
            for place, turns in enumerate(numbered, start=1)
            for line in (f"--- conversation {place} ---", *_lines(turns, limits, cap))
        )

    return fit(write, limits)


def shorten(text: str, limit: int) -> str:
    """
    Shorten a text that is too long to its beginning and end, with a note of how much is left out between.

    Args:
        text: any text.
        limit: the most characters to keep, not counting the note. Characters with marks, emoji of several code points
            and flags are not cut in two; less is kept instead.
    """
    if len(text) <= limit:
        return text
    head = text[: _boundary(text, limit * 2 // 3, -1)]
    tail = text[_boundary(text, len(text) - limit // 3, 1) :]
    return f"{head} […{len(text) - len(head) - len(tail)} characters left out…] {tail}"


def fit(write: Callable[[int], str], limits: Limits) -> str:
    """
    Return a `write(cap)` that keeps within *limits*, cut about as little as possible, down to 40 characters per part.

    Args:
        write: returns the text with every part cut at *cap* characters; mostly longer for a larger cap.
        limits: the largest cap, and how long the text may get.
    """
    caps = range(_LEAST_CHARS, max(limits.turn_chars, _LEAST_CHARS) + 1)
    fitting = bisect.bisect_right(caps, limits.total_chars, key=lambda cap: len(write(cap)))
    return write(caps[max(fitting - 1, 0)])


def part_lines(number: int, label: str, text: str, cap: int) -> Iterator[str]:
    """Yield the lines of one part of a turn: its label with the first line of *text*, then the others indented."""
    first, *rest = _LINE_BREAK.split(shorten(text.strip(), cap))
    yield f"[#{number} {label}] {first}".rstrip()
    yield from (f"    {line}".rstrip() for line in rest)


def _lines(
    turns: Sequence[tuple[int, Interaction]],
    limits: Limits,
    cap: int,
    *,
    first_unread: int = 0,
    shown: Interaction | None = None,
) -> Iterator[str]:
    """Yield the lines of *turns*, with a heading each for those read before and for the new ones."""
    previous: Interaction | None = None
    for number, turn in turns:
        if previous is None and number < first_unread:
            yield "EARLIER"
        elif number == first_unread:
            yield "NEW"
        if previous is not None and previous.session_id != turn.session_id:
            yield "--- another session ---"
        yield from day_lines(turn, previous)
        yield from turn_lines(number, turn, cap, min(cap, limits.tool_chars), is_shown=turn is shown)
        previous = turn


def day_lines(turn: Interaction, previous: Interaction | None) -> Iterator[str]:
    """Yield the day on which *turn* happened, in UTC, unless it is that of the turn before."""
    day = turn.occurred_at.date()
    if previous is None or previous.occurred_at.date() != day:
        yield f"--- {_WEEKDAYS[day.weekday()]} {day.isoformat()} ---"


def turn_lines(
    number: int, turn: Interaction, cap: int, tool_cap: int, *, is_shown: bool = False
) -> Iterator[str]:
    """
    Yield the lines of one turn with all its parts.

    Args:
        number: the number of the turn.
        turn: the turn to write.
        cap: the most characters of each part.
        tool_cap: the most characters of each tool call.
        is_shown: whether its image is sent with the text.
    """
    who = f"{_label(turn.role, _ROLE_CHARS) or 'user'} {turn.occurred_at:%H:%M}"
    yield from part_lines(number, who, turn.content, cap)
    if turn.has_image:
        yield from part_lines(number, "image", _SHOWN if is_shown else _NOT_SHOWN, cap)
    if turn.user_action is not UserAction.NONE:
        yield from part_lines(number, f"action {turn.user_action}", turn.user_action_description, cap)
    for name, sent in tool_texts(turn):
        yield from part_lines(number, f"tool {_label(name, _TOOL_CHARS)}", sent, tool_cap)
    if (more := len(turn.tools_used) - _TOOLS_SHOWN) > 0:
        yield from part_lines(number, "tools", f"{more} more calls left out", cap)
    if turn.expert_content.strip():
        yield from part_lines(number, "expert answer", turn.expert_content, cap)


def tool_texts(turn: Interaction) -> Iterator[tuple[str, str]]:
    """Yield name and data of the calls of a turn that are shown."""
    for tool in turn.tools_used[:_TOOLS_SHOWN]:
        yield tool.tool_name, json.dumps(tool.tool_data, ensure_ascii=False)


def _label(text: str, most: int) -> str:
    """Return a name chosen by others as one word that cannot end its bracket or line, or look like a number or time."""
    return _NOT_IN_A_LABEL.sub("_", text).strip("_").lower()[:most]


def _boundary(text: str, at: int, step: int) -> int:
    """Return the next place from *at*, in the direction of *step*, where *text* can be cut."""
    places = range(at, at + step * _LONGEST_CHARACTER, step)
    return next((place for place in places if _is_boundary(text, place)), at)


def _is_boundary(text: str, at: int) -> bool:
    """Whether a reader sees two separate characters around *at* (the main cases of Unicode UAX #29)."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if _ZERO_WIDTH_JOINER in {before, after}:
        return False
    if unicodedata.category(after).startswith("M") or "\U0001f3fb" <= after <= "\U0001f3ff":
        return False
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return False
    if _is_flag_half(before) and _is_flag_half(after):
        first = at
        while first > 0 and _is_flag_half(text[first - 1]):
            first -= 1
        return (at - first) % 2 == 0
    return True


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
