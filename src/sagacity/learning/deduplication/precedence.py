"""What stands against a candidate, whatever is said of it: a newer turn, and a person's word."""

from sagacity.domain.change import Candidate
from sagacity.domain.memory import Memory


def is_newer(memory: Memory, candidate: Candidate) -> bool:
    """Tell whether *memory* rests on a newer turn, or on a person's word since, as when an old window is read again."""
    rests_on = max(memory.source_interaction_ids, default=0)
    return rests_on > max(candidate.evidence) or is_confirmed(memory, candidate)


def is_confirmed(memory: Memory, candidate: Candidate) -> bool:
    """Tell whether a person stood by *memory* since the candidate was said."""
    through = memory.attributes.confirmed_through
    return through is not None and through >= max(candidate.evidence)
