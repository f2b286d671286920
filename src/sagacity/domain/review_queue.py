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
    """It was neither surfaced nor changed in the period."""
    DUPLICATE = "duplicate"
    """Another memory of the same owner and kind says nearly the same."""
    HIGH_COST_LOW_CITE = "high_cost_low_cite"
    """It is surfaced often but rarely cited."""
    SUPERSEDEABLE = "supersedeable"
    """A memory in force was made of it, or is marked to replace it."""
    HARMS = "harms"
    """Sessions with it succeed less often than those drawn to go without."""
    HELPS = "helps"
    """Sessions with it succeed more often than those drawn to go without."""


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
"""A memory must be surfaced this often before its citations count."""
LEAST_CITED_SHARE: Final = 0.5
"""Citations per time surfaced; fewer are low."""
DUPLICATE_COSINE: Final = 0.8
"""
From this cosine on, two memories are shown as duplicates. It is the cosine from which deduplication has two candidates
judged (`learning/deduplication/settle.py: TWIN_COSINE`); here a person is the judge.
"""
SUPERSEDED_BY: Final = "superseded_by"
"""In a playbook's metadata, if that is a JSON object: the number of its successor."""


class ReviewQuery(Value):
    """Which memories are looked at."""

    kinds: tuple[MemoryKind, ...]
    user_id: UserId | None
    """Whose; None: those of all users."""
    days_back: int
    """Over how many times 24 hours uses are counted, and for how long a stale memory was not changed."""
    signals: frozenset[ReviewSignal] | None = None
    """Only memories with one of these signals; None: with any."""


class RelatedMemory(Value):
    """The other memory of a signal."""

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
    """The highest score of its signals; from 30 to 100."""
    injection_count: int = 0
    citation_count: int = 0
    last_injected_at: datetime | None = None
    last_cited_at: datetime | None = None
    last_modified_at: datetime | None = None
    """None if not recorded."""
    related: tuple[RelatedMemory, ...] = ()
    effect: MemoryEffect | None = None
    """The effect, if it helps or harms."""


class ReviewStep(StrEnum):
    """What a reviewer does with a memory."""

    KEEP = "keep"
    """Leave it as it is, and out of the queue for some time."""
    ARCHIVE = "archive"
    SUPERSEDE = "supersede"
    """Archive it in favour of another memory."""
    MERGE = "merge"
    """Archive it in favour of another memory, which takes over its evidence."""


class NewReviewAction(Value):
    """A review action before it is stored."""

    kind: MemoryKind
    memory_id: MemoryId
    user_id: UserId | None
    step: ReviewStep
    other_id: MemoryId | None = None
    """What it was superseded by or merged into."""
    actor: str
    reason: str = ""
    run_id: RunId
    """The run of its changes in the change log."""
    created_at: datetime
    kept_until: datetime | None = None
    """For `keep`: until when it stays out of the queue."""


class ReviewAction(NewReviewAction):
    """A stored review action."""

    action_id: int
    undone_at: datetime | None = None
    undone_by: str = ""


class DuplicatePair(Value):
    """Two near-duplicate memories of one owner and kind."""

    memory_id: MemoryId
    other_id: MemoryId
    similarity: float
    """The cosine."""
