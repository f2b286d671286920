"""A user's memories of the four types: write, read, edit and delete them one by one or together."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sagacity.domain.errors import Conflict, NotFound, StorageError
from sagacity.domain.ids import MemoryUid, UserId
from sagacity.domain.kinds import USER_KINDS
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.user_memory import TYPED_KINDS, UserMemoryDraft, UserMemoryEdit
from sagacity.memories.acting import Acting
from sagacity.memories.delete import delete_memories, log_deleted
from sagacity.memories.usage import forget_usage
from sagacity.memories.write import add_memories, edit_memory
from sagacity.storage.memories.of_user import MemoryCounts, Place, StoredCount
from sagacity.storage.transaction import Transaction

BATCH = 200
"""How many memories are deleted in one transaction, so that nobody waits long for it."""


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page of a user's memories, newest first, and how many there are."""

    memories: Sequence[Memory]
    total: int
    has_more: bool


async def add_for_user(acting: Acting, user_id: UserId, drafts: Sequence[UserMemoryDraft]) -> list[Memory]:
    """
    Store memories written by a user or by a program for them: all or none, embedded together.

    Returns:
        What was stored: those whose uid the user has already stay as they are, and are left out.

    Raises:
        Conflict: a uid is taken by a memory of another user.
        Forbidden: the caller may not write for this user.
    """
    now, ids = acting.parts.clock.now(), acting.parts.ids
    new = {
        uid: draft.to_memory(uid, user_id, now)
        for draft in drafts
        for uid in [MemoryUid(draft.uid or ids.new())]
    }
    acting.require_to_write(list(new.values()))
    named = [draft.uid for draft in drafts if draft.uid]
    known = await _known(acting, user_id, named)
    while unknown := [memory for uid, memory in new.items() if uid not in known]:
        try:
            return await add_memories(acting, unknown, reason="memory written", user_id=user_id)
        except StorageError:
            before, known = known, await _known(acting, user_id, named)
            if len(known) == len(before):
                raise
            # Somebody stored one of them meanwhile: what is left is tried again.
    return []


async def _known(acting: Acting, user_id: UserId, uids: Sequence[str]) -> Collection[str]:
    """Return those of *uids* that the user has, seen by the caller or not; Conflict if another user has one."""
    if not uids:
        return ()
    async with acting.parts.storage.read(acting.tenant) as snapshot:
        known = await snapshot.memories.find_uids(uids)
    taken = sorted(uid for uid, memory in known.items() if memory.user_id != user_id)
    if taken:
        raise Conflict(f"the id {taken[0]!r} is taken; use another id")
    return known


async def page_of_user(
    acting: Acting,
    user_id: UserId,
    kinds: Sequence[MemoryKind],
    *,
    before: Place | None = None,
    limit: int,
    offset: int = 0,
) -> MemoryPage:
    """Return a page of a user's memories in force; see `UserMemoryRepository.page`."""
    async with acting.read(user_id=user_id) as snapshot:
        found = await snapshot.user_memories.page(
            user_id, kinds, before=before, limit=limit + 1, offset=offset
        )
        total = await snapshot.user_memories.count(user_id, kinds)
    return MemoryPage(found[:limit], total, has_more=len(found) > limit)


async def memory_of_user(acting: Acting, user_id: UserId, name: str) -> Memory:
    """
    Return one of a user's memories in force, by its uid or its number.

    Raises:
        NotFound: the user has none of that name.
    """
    async with acting.read(user_id=user_id) as snapshot:
        return await _get(snapshot, user_id, name)


async def edit_of_user(acting: Acting, user_id: UserId, name: str, edit: UserMemoryEdit) -> Memory:
    """
    Change one of a user's memories.

    Raises:
        NotFound: the user has none of that name.
    """
    found = await memory_of_user(acting, user_id, name)
    now = acting.parts.clock.now()
    return await edit_memory(
        acting,
        found.memory_id,
        found.kind,
        lambda memory: edit.apply(memory, now),
        reason="memory edited",
        user_id=user_id,
    )


async def delete_of_user(acting: Acting, user_id: UserId, name: str) -> None:
    """
    Delete one of a user's memories, with its history.

    Raises:
        NotFound: the user has none of that name.
    """
    found = await memory_of_user(acting, user_id, name)
    if not await delete_memories(acting, found.kind, ids=[found.memory_id], user_id=user_id):
        raise _unknown(name)


async def delete_all_of_user(acting: Acting, user_id: UserId, kinds: Sequence[MemoryKind]) -> int:
    """
    Delete all of a user's memories of some kinds, current or not, and return how many there were.

    They are deleted in batches; memories written meanwhile may stay. If all kinds are deleted, the user's usage events
    go too.
    """
    count = 0
    for kind in kinds:
        deleted = 0
        while True:
            async with acting.read(user_id=user_id) as snapshot:
                numbers = await snapshot.user_memories.numbers(user_id, kind, limit=BATCH)
            if not numbers:
                break
            deleted += await delete_memories(acting, kind, ids=numbers, user_id=user_id, is_logged=False)
        log_deleted(acting, kind, deleted)
        count += deleted
    if set(kinds) >= USER_KINDS:
        await forget_usage(acting, user_id)
    return count


async def look_at(acting: Acting, user_id: UserId, name: str) -> Memory:
    """
    Count one use of a user's memory at once, and return the memory.

    Raises:
        NotFound: the user has none of that name.
    """
    now = acting.parts.clock.now()

    async def count() -> Memory:
        async with acting.begin(user_id=user_id) as transaction:
            found = await _get(transaction, user_id, name)
            await transaction.user_memories.note_accesses({found.memory_id: 1}, now)
        return found.model_copy(
            update={"access_count": found.access_count + 1, "last_accessed_at": now}
        )  # its row was held since it was read

    return await acting.parts.storage.retry(count)


async def counts_of_user(acting: Acting, user_id: UserId) -> MemoryCounts:
    """Return statistics of a user's memories."""
    async with acting.read(user_id=user_id) as snapshot:
        return await snapshot.user_memories.counts(user_id, TYPED_KINDS)


async def stored_of_user(
    acting: Acting, user_id: UserId, kinds: Sequence[MemoryKind]
) -> Mapping[MemoryKind, StoredCount]:
    """Return how many memories of a user are stored, by kind, in force or not."""
    async with acting.read(user_id=user_id) as snapshot:
        return await snapshot.user_memories.stored(user_id, kinds)


async def _get(transaction: Transaction, user_id: UserId, name: str) -> Memory:
    found = await transaction.user_memories.find(user_id, name, kinds=TYPED_KINDS)
    if found is None:
        raise _unknown(name)
    return found


def _unknown(name: str) -> NotFound:
    return NotFound(f"the user has no memory {name!r}")
