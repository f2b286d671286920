"""The review queue: memories that a person should look at, the reasons, and the person's decisions."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from sagacity.domain.base import Value
from sagacity.domain.effects import MemoryEffect
from sagacity.domain.ids import MemoryId, MemoryUid, RunId, UserId
from sagacity.domain.memory import MemoryKind


class ReviewSignal(StrEnum):
    """Why a memory is in the review queue."""

    STALE = "stale"
    """Nobody surfaced it in the time looked at, and it was not changed in that time."""
    DUPLICATE = "duplicate"
    """Another memory of the same owner and kind says nearly the same."""
    HIGH_COST_LOW_CITE = "high_cost_low_cite"
    """It is surfaced often, and answers rarely cite it."""
    SUPERSEDEABLE = "supersedeable"
    """Something in force was made of it, or was noted to take its place."""
    HARMS = "harms"
    """Fewer of the sessions that are shown it are a success than of those that were drawn to go without."""
    HELPS = "helps"
    """More of the sessions that are shown it are a success than of those that were drawn to go without."""


SUPERSEDEABLE_SCORE: Final = 100
HARMS_SCORE: Final = 100
HELPS_SCORE: Final = 50
STALE_SCORES: Final = (50, 99)
"""The lowest and the highest; it grows by one for each week since the last change."""
DUPLICATE_SCORES: Final = (50, 99)
"""At the lowest cosine that counts, and at a cosine of 1."""
COST_SCORES: Final = (30, 49)
"""The lowest and the highest; it grows by one with each time that the memory was surfaced."""
LEAST_INJECTIONS: Final = 3
"""A memory that was surfaced less often is not yet judged by how rarely it is cited."""
LEAST_CITED_SHARE: Final = 0.5
"""Citations for each time that it was surfaced; fewer are low."""
DUPLICATE_COSINE: Final = 0.8
"""
From here on two memories are shown as duplicates. It is the cosine from which on deduplication takes two candidates for
near enough to be judged (`learning/deduplication/settle.py: TWIN_COSINE`); here a person is the judge.
"""
SUPERSEDED_BY: Final = "superseded_by"
"""In a playbook's metadata, if that is a JSON object: the number of what took its place."""


class ReviewQuery(Value):
    """Which memories are looked at."""

    kinds: tuple[MemoryKind, ...]
    user_id: UserId | None
    """Whose; None: those of all users."""
    days_back: int
    """Over how many times 24 hours uses are counted, and for how long a stale memory was not changed."""
    signals: frozenset[ReviewSignal] | None = None
    """Only memories with one of these; None: with any."""


class RelatedMemory(Value):
    """What a memory of the queue is compared with."""

    kind: MemoryKind
    memory_id: MemoryId
    uid: MemoryUid
    signal: ReviewSignal
    """`duplicate` or `supersedeable`."""
    name: str
    content: str
    similarity: float | None = None
    """The cosine, of a duplicate."""


class ReviewCandidate(Value):
    """A memory of the queue, with all its signals."""

    kind: MemoryKind
    memory_id: MemoryId
    uid: MemoryUid
    user_id: UserId | None
    name: str
    trigger: str | None
    content: str
    signals: tuple[ReviewSignal, ...]
    score: int
    """The highest that one of its signals gives; from 30 to 100."""
    injection_count: int = 0
    citation_count: int = 0
    last_injected_at: datetime | None = None
    last_cited_at: datetime | None = None
    last_modified_at: datetime | None = None
    """None where the database holds no date."""
    related: tuple[RelatedMemory, ...] = ()
    effect: MemoryEffect | None = None
    """What is known of it if it helps or harms."""


class ReviewStep(StrEnum):
    """What a person does with a memory of the queue."""

    KEEP = "keep"
    """Leave it as it is, and out of the queue for some time."""
    ARCHIVE = "archive"
    SUPERSEDE = "supersede"
    """Archive it in favour of another memory."""
    MERGE = "merge"
    """Archive it in favour of another memory, which takes over what it rests on."""


class NewReviewAction(Value):
    """What a person did, before it is stored."""

    kind: MemoryKind
    memory_id: MemoryId
    user_id: UserId | None
    step: ReviewStep
    other_id: MemoryId | None = None
    """What it was superseded by or merged into."""
    actor: str
    reason: str = ""
    run_id: RunId
    """Under which the change log has what changed."""
    created_at: datetime
    kept_until: datetime | None = None
    """Of `keep`: until when it stays out of the queue."""


class ReviewAction(NewReviewAction):
    """What a person did with a memory of the queue."""

    action_id: int
    undone_at: datetime | None = None
    undone_by: str = ""


class DuplicatePair(Value):
    """Two memories of one owner and kind that say nearly the same."""

    memory_id: MemoryId
    other_id: MemoryId
    similarity: float
    """The cosine."""
