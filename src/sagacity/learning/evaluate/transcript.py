"""A session as text for a judge: as the user saw it, or with the shadow's answers instead; pure."""

from collections.abc import Sequence

from sagacity.domain.interaction import Interaction
from sagacity.learning.windows.render import DEFAULT_LIMITS, Limits, day_lines, fit, turn_lines

_READABLE_CHARS = 400
"""The least length of a turn; turns are left out rather than cut to less."""
_FEWEST_TURNS = 20


def transcript(turns: Sequence[Interaction], limits: Limits = DEFAULT_LIMITS) -> str:
    """
    Write a session as text, its turns numbered from 1.

    If it is too long, turns between the first quarter and the rest are left out, and long turns keep their beginnings
    and ends: the beginning and the end of a session show how it went.

    Args:
        turns: the turns of one session, oldest first.
        limits: how long the text may get.
    """
    kept = len(turns)
    while kept > _FEWEST_TURNS and len(_write(turns, kept, _READABLE_CHARS, limits)) > limits.total_chars:
        kept = max(kept * 3 // 4, _FEWEST_TURNS)
    return fit(lambda cap: _write(turns, kept, cap, limits), limits)


def as_shadowed(turns: Sequence[Interaction]) -> list[Interaction] | None:
    """Return the turns with the shadow's answers instead; None if there are none."""
    if not any(turn.shadow_content.strip() for turn in turns):
        return None
    return [
        turn.model_copy(update={"content": turn.shadow_content}) if turn.shadow_content.strip() else turn
        for turn in turns
    ]


def _write(turns: Sequence[Interaction], kept: int, cap: int, limits: Limits) -> str:
    numbered = list(enumerate(turns, start=1))
    first, left_out = kept // 4, len(turns) - kept
    lines: list[str] = []
    previous: Interaction | None = None
    for number, turn in [*numbered[:first], *numbered[first + left_out :]]:
        if left_out and number == first + left_out + 1:
            lines.append(f"--- {left_out} turns left out ---")
        lines += day_lines(turn, previous)
        lines += turn_lines(number, turn, cap, min(cap, limits.tool_chars))
        previous = turn
    return "\n".join(lines)
