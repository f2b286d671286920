"""What overrules a candidate whatever it says: a later statement, or a person's own edit."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sagacity.domain.change import Candidate
from sagacity.domain.ids import InteractionId
from sagacity.domain.memory import Memory

_NEVER = datetime.min.replace(tzinfo=UTC)


def said(candidate: Candidate) -> tuple[bool, datetime, InteractionId]:
    """
    Return the weight of a candidate as a sort key.

    What a person said outweighs what only agents and tools said; among these, later outweighs earlier. Equal times are
    ordered by the log.
    """
    return not candidate.is_unconfirmed, candidate.said_at or _NEVER, max(candidate.evidence)


def is_newer(memory: Memory, candidate: Candidate) -> bool:
    """
    Tell whether *memory* was said later than *candidate*, or confirmed by a person since.

    What counts is when a turn happened, not when it was sent: an old conversation may be imported late, and an old
    window may be read again. If a time is unknown or equal, the order of the log decides. What only agents and tools
    say is never newer than what the user says.
    """
    if is_confirmed(memory, candidate):
        return True
    if is_mere_claim(memory, candidate):
        return False
    theirs, mine = memory.attributes.said_at, candidate.said_at
    if theirs is not None and mine is not None and theirs != mine:
        return theirs > mine
    return max(memory.source_interaction_ids, default=0) > max(candidate.evidence)


def is_confirmed(memory: Memory, candidate: Candidate) -> bool:
    """Tell whether a person confirmed *memory* after the candidate was said, or ever, if only agents say that."""
    if candidate.is_unconfirmed and not memory.attributes.is_unconfirmed:
        return True
    through, at = memory.attributes.confirmed_through, memory.attributes.said_at
    if through is None:
        return False
    is_said_before = at is not None and candidate.said_at is not None and candidate.said_at < at
    return is_said_before or through >= max(candidate.evidence)


def is_mere_claim(memory: Memory, candidate: Candidate) -> bool:
    """Tell whether only agents and tools say *memory*, but a person says the candidate: they must not be merged."""
    return memory.attributes.is_unconfirmed and not candidate.is_unconfirmed


def newest_first(candidates: Sequence[Candidate]) -> list[int]:
    """Return indices, last said first and, within one turn, last proposed first; unconfirmed candidates come last."""
    return sorted(range(len(candidates)), key=lambda index: (*said(candidates[index]), index), reverse=True)
