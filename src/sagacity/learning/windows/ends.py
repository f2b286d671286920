"""Where a window ends if windows follow the talk: at a session or an exchange, within a text limit; pure."""

import json
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from sagacity.domain.interaction import Interaction

MOST_CHARS: Final = 24_000
"""Of the turns of one window, some 6,000 tokens: twice the instructions of a prompt, and half of what it may carry."""
_TURN_CHARS: Final = 4_000
"""Of one part of a turn at most, as it goes into a prompt."""
_TOOLS: Final = frozenset({"tool", "function"})


class _End(IntEnum):
    """What ends between two turns, the better place for a cut the higher."""

    CALL = 0
    """A tool's result follows, and belongs to what is before it."""
    STEP = 1
    """The agent goes on, or the same person: the answer is still to come."""
    EXCHANGE = 2
    SESSION = 3


def end_of_window(turns: Sequence[Interaction], *, following: Interaction | None) -> int:
    """
    Return how many of *turns*, the oldest first, make a window.

    That is up to the last end of a session in their second half, else of an exchange (a person's turns and all that
    answers them), else of a step, never between a tool's call and its result if that can be helped. All of them where
    nothing follows and they are not too long together.

    Args:
        turns: those that may be in it.
        following: the next turn; None where there is none.

    Returns:
        At least 1, unless there are no turns. It depends on what the turns are, and never on when they came in.
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
    """Return how many of *turns* are within the limit of text; at least one, if there is any."""
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
