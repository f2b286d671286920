"""Undo one merge in a transaction: the memories that it archived become current again."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sagacity.domain.change import ChangeAction, Occasion
from sagacity.domain.errors import Conflict
from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.memory import Memory, NewMemory, Status
from sagacity.memories.edits import archived, confirmed, restored, said_through
from sagacity.providers.base import Vectors
from sagacity.storage.transaction import Transaction

_MOST_REPLACED = 1_000
_MOST_CHANGES = 10_000


@dataclass(frozen=True, slots=True)
class Merge:
    """A current memory, and the memories that it was made of."""

    memory: Memory
    replaced: tuple[Memory, ...]
    """The memories that were merged or replaced; never empty."""
    own: Memory | None
    """What was newly learned at the merge, as it was before; None if it replaced the others unmerged."""
    removals: Mapping[MemoryId, Memory]
    """The memories that were replaced, as they were before."""


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo changed."""

    memory: Memory
    """The merged memory, archived now; or the one that replaced others, unchanged."""
    restored: tuple[Memory, ...]
    """Current again."""
    separated: Memory | None
    """What was newly learned at the merge, now a memory of its own."""


async def find_merge(transaction: Transaction, memory: Memory) -> Merge:
    """
    Find out what *memory* was made of.

    Raises:
        Conflict: it is not current, or it replaced nothing (any more).
    """
    if memory.superseded_by is not None:
        raise Conflict(
            f"memory {memory.memory_id} has since been merged into or replaced by memory {memory.superseded_by}; "
            "undo that first"
        )
    if memory.status is not Status.CURRENT:
        raise Conflict(
            f"memory {memory.memory_id} is {memory.status}; only a current memory can be separated"
        )
    replaced = await transaction.memories.replaced_by([memory], limit=_MOST_REPLACED)
    if not replaced:
        raise Conflict(
            f"memory {memory.memory_id} was not made by a merge, or the merge was already undone: it replaces nothing"
        )
    ids = [memory.memory_id, *(one.memory_id for one in replaced)]
    changes = await transaction.changes.of_memories(
        ids, actions=(ChangeAction.ADDED, ChangeAction.REMOVED), limit=_MOST_CHANGES
    )
    made = (one for one in changes if one.memory_id == memory.memory_id and one.action is ChangeAction.ADDED)
    return Merge(
        memory=memory,
        replaced=tuple(replaced),
        own=next((change.before for change in made), None),
        removals={
            change.memory_id: change.before
            for change in changes
            if change.action is ChangeAction.REMOVED and change.before is not None
        },
    )


def separated(merge: Merge, *, uid: MemoryUid, now: datetime) -> NewMemory | None:
    """Return what was newly learned at the merge, to be stored as a memory of its own; None if it is one already."""
    if merge.own is None:
        return None
    fields = {name: getattr(merge.own, name) for name in NewMemory.model_fields}
    return NewMemory.model_validate(fields | {"uid": uid, "status": Status.CURRENT, "updated_at": now})


async def undo_merge(
    transaction: Transaction,
    memory: Memory,
    occasion: Occasion,
    *,
    uid: MemoryUid,
    vectors: Mapping[MemoryUid, Vectors],
) -> Undone:
    """
    Undo one merge, and record that with each memory involved.

    The memories that were merged are current again, the fact newly learned at the merge becomes a memory of its own,
    and the merged memory is archived. A memory that replaced others without a merge stays current beside them.

    Args:
        transaction: open to write.
        memory: as this transaction reads it.
        occasion: who asked for it, why and when.
        uid: the name of what is separated.
        vectors: float32 [d], unit length, of what is separated, by *uid*; empty if it is to be queued.

    Raises:
        Conflict: the memory is not current, or it replaced nothing (any more).
    """
    merge, now = await find_merge(transaction, memory), occasion.at
    through = await said_through(transaction, memory.user_id)
    back = tuple(
        confirmed(restored(one, before=merge.removals.get(one.memory_id), now=now), through)
        for one in merge.replaced
    )
    await transaction.memories.save(back)
    changes = [occasion.change(before, after) for before, after in zip(merge.replaced, back, strict=True)]
    own, apart, left = separated(merge, uid=uid, now=now), None, confirmed(memory, through)
    if own is not None:
        [apart] = await transaction.memories.add([confirmed(own, through)], vectors=vectors)
        changes.append(occasion.change(None, apart))
        left = archived(memory, now=now)
    await transaction.memories.save([left])
    if apart is not None and apart.user_id is not None:
        await transaction.graph.link(apart.user_id, [apart])
        await transaction.graph.take_apart(apart, memory, back)
    changes.append(occasion.change(memory, left))
    await transaction.changes.add(changes)
    return Undone(memory=left, restored=back, separated=apart)
