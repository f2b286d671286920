"""Problems of the memories that a caller can reach, counted by type."""

from dataclasses import dataclass
from functools import cache

from sagacity.domain.ids import UserId
from sagacity.domain.memory_health import Counts, HealthQuery, score_of
from sagacity.learning.rules.profile import PROFILE_RULES
from sagacity.memories.acting import Acting


@dataclass(frozen=True, slots=True)
class Health:
    """How healthy memories are."""

    score: int | None
    """From 0 to 100; None if there are no memories."""
    found: Counts
    is_comparing: bool
    """Whether memories are still being compared in the background, so that duplicates may be missing."""


async def memory_health(acting: Acting, user_id: UserId | None, *, days_back: int) -> Health:
    """Return the problems of memories in force, of one user or of all; see `review_queue.whose_reviews`."""
    wanted = HealthQuery(user_id=user_id, days_back=days_back, exclusive_slots=exclusive_slots())
    async with acting.read(user_id=user_id) as snapshot:
        found = await snapshot.health.counts(wanted)
        is_comparing = bool(await snapshot.duplicates.uncompared(user_id=user_id))
    return Health(score_of(found.total, found.counts), found, is_comparing)


@cache
def exclusive_slots() -> tuple[str, ...]:
    """
    Return the slots that, by the rules, hold one value at a time, except those that depend on the text.

    A denial ("does not live in Boston") fills such a slot with many values; `DENIALS` tells it apart.
    """
    named = [one for one in PROFILE_RULES if one.slot and "{" not in one.slot and not one.negates]
    shared = {one.slot for one in named if not one.exclusive}
    return tuple(sorted({one.slot for one in named} - shared))
