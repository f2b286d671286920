"""Where a window ends that follows the talk."""

import pytest

from sagacity.domain.ids import SessionId
from sagacity.domain.interaction import ToolUse
from sagacity.learning.windows.ends import MOST_CHARS, end_of_window
from support.windows import turn

ROLES = {"u": "User", "a": "Agent", "t": "tool", "j": "Jon", "g": "Gina"}


def talk(plan: str):
    """Turns by the letters of their roles; a space begins another session."""
    return [
        turn(ROLES[letter], "words", session_id=SessionId(f"s{number}"))
        for number, session in enumerate(plan.split())
        for letter in session
    ]


def end(plan: str, count: int | None = None) -> int:
    """How many of the first *count* turns make the window, where the others follow."""
    turns = talk(plan)
    count = len(turns) if count is None else count
    return end_of_window(turns[:count], following=turns[count] if count < len(turns) else None)


@pytest.mark.parametrize(
    ("plan", "count", "kept"),
    [
        ("", None, 0),
        ("u", None, 1),
        ("uaua", None, 4),
        ("uauau", None, 5),  # nothing follows: the last question may never be answered
        ("uauaua", 5, 4),  # not before the answer
        ("uauauaua", 6, 6),
        ("uatatau", 4, 3),  # not between a call and its result
        ("uatatauau", 7, 6),
        ("uuaauuaa", 6, 4),
        ("uatttttttt", 6, 1),  # no place but before the first result's call
        ("ttttttt", 4, 4),
        ("jgjgjgjg", 5, 5),  # two people: there is no agent to wait for
        ("uuuuuuu", 5, 5),
        ("uaua uaua", 5, 4),
        ("uaua uauau", 8, 4),  # the session's end in the second half counts more than a later exchange's
        ("ua uauauauau", 8, 8),  # an early one does not
        ("uaua ua uaua", 8, 6),
        ("uatt tau", 5, 4),
    ],
)
def test_window_ends_with_a_session_or_an_exchange(plan: str, count: int | None, kept: int):
    assert end(plan, count) == kept


def test_long_turns_make_a_shorter_window():
    """Text, an expert's answer and tool calls count, each up to what a prompt takes of it."""
    long = "x" * (MOST_CHARS // 4)
    turns = [turn(role, long) for role in ("User", "Agent") * 8]
    kept = end_of_window(turns, following=None)
    assert kept % 2 == 0
    assert 2 <= kept < len(turns)
    calls = [turn("Agent", tools_used=(ToolUse(tool_name="t", tool_data={"x": long}),)) for _ in range(16)]
    assert end_of_window(calls, following=None) == kept


def test_one_turn_is_a_window_however_long():
    huge = turn("User", "x" * 10 * MOST_CHARS, expert_content="y" * 10 * MOST_CHARS)
    assert end_of_window([huge, huge], following=huge) >= 1


def test_windows_of_a_log_do_not_depend_on_when_it_is_read():
    """Cut at once, and cut as soon as the next turn is there: the same windows."""
    turns = talk("uauatatau uauaua ua uauauauauaua ua u uauatattau jgjgjgjg uaua")
    step = 6

    def cut(known: int, start: int) -> int | None:
        there = turns[start : min(start + step, known)]
        is_full = known - start > step
        if not is_full:
            return None
        return start + end_of_window(there, following=turns[start + step])

    def ends_of(arrivals: range) -> list[int]:
        found, start = [], 0
        for known in arrivals:
            while (at := cut(known, start)) is not None:
                found.append(at)
                start = at
        return found

    assert ends_of(range(len(turns), len(turns) + 1)) == ends_of(range(1, len(turns) + 1))
