"""What people decided on memories that they reviewed, and memories that are near each other."""

from datetime import timedelta

import numpy as np

from sagacity.domain.ids import MemoryId, RunId
from sagacity.domain.memory import Memory
from sagacity.domain.review_queue import DuplicatePair, NewReviewAction, ReviewStep
from sagacity.storage.memories.duplicate_pairs import ChangedMemories, ComparedScope
from support.parts import START


def kept(memory: Memory, reason: str, *, run_id: str = "run", actor: str = "api") -> NewReviewAction:
    """A memory that a person kept for a day."""
    return NewReviewAction(
        kind=memory.kind,
        memory_id=memory.memory_id,
        user_id=memory.user_id,
        step=ReviewStep.KEEP,
        actor=actor,
        reason=reason,
        run_id=RunId(run_id),
        created_at=START,
        kept_until=START + timedelta(days=1),
    )


def compared(scope_id: int, memory: Memory) -> ComparedScope:
    """The scope of a memory, of which nothing was compared yet."""
    return ComparedScope(scope_id, memory.kind, memory.user_id, revision=9, compared_revision=0)


def pair(one: Memory, other: Memory) -> tuple[ChangedMemories, list[DuplicatePair]]:
    """Two memories that were compared, and say nearly the same."""
    first, second = sorted((MemoryId(one.memory_id), MemoryId(other.memory_id)))
    found = DuplicatePair(memory_id=first, other_id=second, similarity=0.9)
    return ChangedMemories([first, second], through=9), [found]


def near_rows(*cosines: float, dimension: int = 16):
    """float32 [n + 1, dimension], unit rows: one, and one for each of *cosines* with the first."""
    rows = np.zeros((len(cosines) + 1, dimension), np.float32)
    rows[0, 0] = 1
    for number, cosine in enumerate(cosines, 1):
        rows[number, 0], rows[number, number] = cosine, np.sqrt(1 - cosine**2)
    return rows
