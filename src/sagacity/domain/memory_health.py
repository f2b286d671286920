"""Problems of stored memories: counted by type, and summed up in one score; pure."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from sagacity.domain.base import Value
from sagacity.domain.ids import MemoryId, UserId
from sagacity.domain.memory import MemoryKind


class MemoryProblem(StrEnum):
    """A problem of a memory in force."""

    JUNK = "junk"
    """It is empty, too short or too long, or says nothing."""
    DUPLICATE = "duplicate"
    """An older memory of the same owner and kind says nearly the same."""
    CONTRADICTION = "contradiction"
    """A newer memory has another value of an exclusive slot, or a memory in force was made to replace it."""
    STALE = "stale"
    """It was neither surfaced nor changed in the period."""
    ORPHANED = "orphaned"
    """It names turns, and none of them exists any more."""


LEAST_CHARACTERS: Final = 6
"""The fewest characters of a memory; a shorter one says nothing by itself."""
MOST_CHARACTERS: Final = 4_000
"""Maximum number of characters, except for episodes and skills; a longer one is a pasted text."""
BOILERPLATE: Final = (
    "lorem ipsum", "no information", "no information available", "no preferences", "not available", "not mentioned",
    "not specified", "nothing to remember", "placeholder", "test memory", "the user greeted the assistant",
    "the user said hello", "undefined", "unknown", "user greeted the assistant", "user said hello",
)  # fmt: skip
"""Texts that careless extraction stores; compared without case, blanks and a final full stop."""
DENIALS: Final = (
    "% not %",
    "%no longer%",
    "lost %",
    "% nicht %",
    "% kein%",
    "% pas %",
    "no %",
    "% no %",
    "% não %",
)
"""Patterns of SQL for what denies a value: it contradicts no other value of the same slot."""
EXAMPLES: Final = 3
"""How many memories are shown for each problem."""
WEIGHTS: Final[Mapping[MemoryProblem, float]] = {
    MemoryProblem.JUNK: 1.0,
    MemoryProblem.DUPLICATE: 0.75,
    MemoryProblem.CONTRADICTION: 1.0,
    MemoryProblem.STALE: 0.25,
    MemoryProblem.ORPHANED: 0.75,
}
"""The part of a problem's share in the score that one memory with it costs."""
NEXT_STEPS: Final[Mapping[MemoryProblem, str]] = {
    MemoryProblem.JUNK: "sagacity review-memory ID archive --kind KIND",
    MemoryProblem.DUPLICATE: "sagacity review --signal duplicate --user-id USER_ID --kind KIND",
    MemoryProblem.CONTRADICTION: "sagacity history KIND ID, then sagacity review-memory ID archive --kind KIND",
    MemoryProblem.STALE: "sagacity review --signal stale --user-id USER_ID --kind KIND",
    MemoryProblem.ORPHANED: "sagacity history KIND ID, then sagacity review-memory ID archive --kind KIND",
}
"""What to do about each problem, as a command."""


class HealthQuery(Value):
    """Which memories are looked at."""

    user_id: UserId | None
    """Whose; None: those of all users, and of the organisation."""
    days_back: int
    """After how many times 24 hours without being surfaced or changed a memory is stale."""
    exclusive_slots: tuple[str, ...] = ()
    """Slots that hold one value at a time."""


class SickMemory(Value):
    """A memory that has a problem."""

    kind: MemoryKind
    memory_id: MemoryId
    uid: str
    user_id: UserId | None
    content: str
    """How it begins."""


class Counts(Value):
    """The number of memories in force, and of those with each problem, with examples."""

    total: int
    counts: dict[MemoryProblem, int]
    examples: dict[MemoryProblem, tuple[SickMemory, ...]]


def score_of(total: int, counts: Mapping[MemoryProblem, int]) -> int | None:
    """
    Return the health score of memories, from 0 to 100; None if there are none.

    100 less each problem's share of the memories times its weight, in points; not below 0.
    """
    if not total:
        return None
    lost = sum(WEIGHTS[problem] * count for problem, count in counts.items())
    return round(100 * max(1 - lost / total, 0.0))
