"""What overrules a candidate whatever it says: a later statement, or a person's own edit."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sagacity.domain.change import Candidate
from sagacity.domain.ids import InteractionId
from sagacity.domain.memory import Memory

_NEVER = datetime.min.replace(tzinfo=UTC)


def said(candidate: Candidate) -> tuple[bool, datetime, InteractionId]:
    """
    Return the weight of a candidate: a person's word comes before what agents and tools alone say, then the later word.

    What was said at one moment is ordered by the log.
    """
    return not candidate.is_unconfirmed, candidate.said_at or _NEVER, max(candidate.evidence)


def is_newer(memory: Memory, candidate: Candidate) -> bool:
    """
    Tell whether *memory* was said later than *candidate*, or confirmed by a person since.

    What matters is when a turn happened, not when it was sent: an old conversation may be imported late, and an old
    window read again. The order of the log decides if a time is unknown or equal.
    What only agents and tools say is never newer than what the user says.
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
    """Tell whether a person stood by *memory* since the candidate was said, or at all if agents alone say that."""
    if candidate.is_unconfirmed and not memory.attributes.is_unconfirmed:
        return True
    through, at = memory.attributes.confirmed_through, memory.attributes.said_at
    if through is None:
        return False
    is_said_before = at is not None and candidate.said_at is not None and candidate.said_at < at
    return is_said_before or through >= max(candidate.evidence)


def is_mere_claim(memory: Memory, candidate: Candidate) -> bool:
    """Tell whether agents and tools alone say *memory*, and a person the candidate: one text must not say both."""
    return memory.attributes.is_unconfirmed and not candidate.is_unconfirmed


def newest_first(candidates: Sequence[Candidate]) -> list[int]:
    """Return indices, what was said last first, of one turn what was proposed last; what is unconfirmed last."""
    return sorted(range(len(candidates)), key=lambda index: (*said(candidates[index]), index), reverse=True)
