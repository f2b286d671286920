"""Where a window ends if windows follow the conversation: at a session or an exchange, within a text limit; pure."""

import json
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from sagacity.domain.interaction import Interaction

MOST_CHARS: Final = 24_000
"""The most characters of a window's turns, some 6,000 tokens: twice a prompt's instructions, half of its limit."""
_TURN_CHARS: Final = 4_000
"""The most characters of one part of a turn in a prompt."""
_TOOLS: Final = frozenset({"tool", "function"})


class _End(IntEnum):
    """What ends between two turns; a higher value is a better place for a cut."""

    CALL = 0
    """A tool's result follows, which belongs to the turn before it."""
    STEP = 1
    """The agent, or the same person, continues: the answer is still to come."""
    EXCHANGE = 2
    SESSION = 3


def end_of_window(turns: Sequence[Interaction], *, following: Interaction | None) -> int:
    """
    Return how many of *turns*, oldest first, form a window.

    The window ends at the last end of a session in their second half, else of an exchange (a person's turns and the
    answers to them), else of a step; if possible not between a tool's call and its result. It has all turns if nothing
    follows and they are not too long together.

    Args:
        turns: the turns that may be in the window.
        following: the next turn; None if there is none.

    Returns:
        At least 1, unless there are no turns. The result depends only on the turns, never on when they arrived.
    """
    fitting = _fitting(turns)
    if not turns or (fitting == len(turns) and following is None):
        return fitting
    after = [*turns[1:fitting], turns[fitting] if fitting < len(turns) else following]
    ends = [_end(turns[place], after[place]) for place in range(fitting)]
    sessions = [place for place, end in enumerate(ends) if end is _End.SESSION and 2 * (place + 1) >= fitting]
    if sessions:
        return sessions[-1] + 1
    best = max(min(end, _End.EXCHANGE) for end in ends)
    return max(place for place, end in enumerate(ends) if min(end, _End.EXCHANGE) == best) + 1


def _fitting(turns: Sequence[Interaction]) -> int:
    """Return how many of *turns* fit into the text limit; at least one, if there is any."""
    total = 0
    for place, turn in enumerate(turns):
        total += _chars(turn)
        if total > MOST_CHARS and place:
            return place
    return len(turns)


def _chars(turn: Interaction) -> int:
    tools = sum(len(json.dumps(tool.tool_data, ensure_ascii=False)) for tool in turn.tools_used)
    return sum(min(size, _TURN_CHARS) for size in (len(turn.content), len(turn.expert_content), tools))


def _end(turn: Interaction, following: Interaction | None) -> _End:
    if following is None or turn.session_id != following.session_id:
        return _End.SESSION
    if following.is_user and not turn.is_user:
        return _End.EXCHANGE
    return _End.CALL if following.role.strip().lower() in _TOOLS else _End.STEP
