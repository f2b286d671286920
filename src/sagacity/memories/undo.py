"""Undo a merge on behalf of a person."""

from sagacity.domain.ids import MemoryUid
from sagacity.domain.memory import MemoryKind
from sagacity.learning.distil.agent_playbooks.trigger import note_changed_playbooks
from sagacity.memories.acting import Acting
from sagacity.memories.edits import occasion
from sagacity.memories.history import find_memory
from sagacity.memories.merge import Undone, find_merge, separated, undo_merge
from sagacity.memories.write import embed


async def undo(acting: Acting, given: str, kind: MemoryKind | None) -> Undone:
    """
    Undo one merge: the merged memories are current again, and the newly learned part becomes a memory of its own.

    Args:
        acting: on whose behalf.
        given: a uid, a number or a citation; see `find_memory`.
        kind: of which kind it is; None for any.

    Raises:
        NotFound: the caller can reach no such memory.
        Conflict: it is not current, or it replaced nothing (any more).
        Forbidden: the caller may not write that kind.
    """
    uid, config = MemoryUid(acting.parts.ids.new()), await acting.config()
    async with acting.read() as snapshot:
        memory = await find_memory(snapshot, given, kind)
        acting.require_to_write_kind(memory.kind)
        merge = await find_merge(snapshot, memory)
    why = occasion(acting, f"merge into memory {memory.memory_id} undone")
    own = separated(merge, uid=uid, now=why.at)
    vectors = {} if own is None else await embed(acting, [own])

    async def once() -> Undone:
        async with acting.begin() as transaction:
            found = await transaction.memories.get(memory.memory_id)
            done = await undo_merge(transaction, found, why, uid=uid, vectors=vectors)
            made = [*done.restored, *([] if done.separated is None else [done.separated])]
            changed = [(found, done.memory), *((None, one) for one in made)]
            await note_changed_playbooks(transaction, config, changed)
            return done

    done = await acting.parts.storage.retry(once)
    acting.parts.dispatcher.poll_now()
    return done
