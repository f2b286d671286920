"""Playbook candidates of a window: instructions, success recipes and expert answers."""

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.interaction import speaker_of
from sagacity.learning.rules.expert import expert_candidates
from sagacity.learning.rules.instructions import instruction_candidates
from sagacity.learning.rules.profile import settle
from sagacity.learning.rules.recipes import recipe_candidates


def playbook_candidates(window: Window) -> tuple[Candidate, ...]:
    """
    Return what the unread turns teach the agent; earlier turns only tell what it is about.

    Where several named people talk, nobody speaks to the agent; then only what an expert wrote counts.
    """
    turns = window.interactions
    unread = frozenset(turn.seq for turn in window.unread)
    if len({speaker_of(turn.role) for turn in turns if turn.is_user} - {""}) > 1:
        return settle(expert_candidates(turns, unread))
    return settle(
        (
            *expert_candidates(turns, unread),
            *instruction_candidates(turns, unread),
            *recipe_candidates(turns, unread),
        )
    )
