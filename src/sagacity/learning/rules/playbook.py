"""Playbook candidates of a window: instructions, success recipes and expert answers."""

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.learning.rules.expert import expert_candidates
from sagacity.learning.rules.instructions import instruction_candidates
from sagacity.learning.rules.profile import settle
from sagacity.learning.rules.recipes import recipe_candidates


def playbook_candidates(window: Window) -> tuple[Candidate, ...]:
    """Return what the unread turns teach the agent; earlier turns only tell what it is about."""
    turns = window.interactions
    unread = frozenset(turn.seq for turn in window.unread)
    return settle(
        (
            *expert_candidates(turns, unread),
            *instruction_candidates(turns, unread),
            *recipe_candidates(turns, unread),
        )
    )
