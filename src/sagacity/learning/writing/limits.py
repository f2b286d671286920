"""Apply the user's settings of how many memories of a type are kept, and for how long."""

from collections.abc import Collection
from datetime import datetime, timedelta

from sagacity.domain.change import Occasion
from sagacity.domain.ids import UserId
from sagacity.domain.memory import ArchivedBy, Memory, MemoryKind, Status
from sagacity.storage.transaction import Transaction

MOST_AT_ONCE = 200
"""How many memories one transaction archives; further ones wait for the next transaction."""


async def keep_within_limits(
    transaction: Transaction,
    user_id: UserId,
    kinds: Collection[MemoryKind],
    occasion: Occasion,
    *,
    spared: Collection[int] = (),
) -> int:
    """
    Archive a user's memories beyond the limit, and make the user due when memories get too old.

    Args:
        transaction: the transaction in which memories were written.
        user_id: the user; one without settings has no limit.
        kinds: the kinds of the written memories.
        occasion: who wrote them, and when.
        spared: the written memories, which stay.

    Returns:
        How many were archived.
    """
    settings = await transaction.user_settings.find(user_id)
    if settings is None:
        return 0
    archived = 0
    for kind in sorted(kinds):
        excess = await transaction.user_memories.beyond(
            user_id,
            kind,
            keep=settings.memory.max_memories_per_type,
            limit=MOST_AT_ONCE,
            spared=sorted(spared),
        )
        after = [_archived(one, occasion.at) for one in excess]
        await transaction.memories.save(after)
        await transaction.changes.add([occasion.change(*pair) for pair in zip(excess, after, strict=True)])
        archived += len(after)
    too_old_at = occasion.at + timedelta(days=settings.memory.retention_days)
    await transaction.cursors.ensure_due(user_id, too_old_at)
    return archived


def _archived(memory: Memory, now: datetime) -> Memory:
    changed = {"status": Status.ARCHIVED, "archived_by": ArchivedBy.LEARNER, "updated_at": now}
    return memory.model_copy(update=changed)
