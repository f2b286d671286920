"""Add and edit memories on behalf of a person: embed first, then store and record in one transaction."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import structlog

from sagacity.domain.errors import NotFound, ProviderError
from sagacity.domain.ids import MemoryId, MemoryUid, RunId, UserId
from sagacity.domain.memory import ARCHIVED_STATUSES, Memory, MemoryKind, NewMemory, Status
from sagacity.learning.distil.agent_playbooks.trigger import note_changed_playbooks
from sagacity.memories.acting import Acting
from sagacity.memories.edits import edited_by_person, keep_users_within_limits, record, written
from sagacity.providers.base import Vectors
from sagacity.storage.transaction import Transaction

_log = structlog.get_logger(__name__)

Follow = Callable[[Transaction, Memory, Memory], Awaitable[Sequence[tuple[Memory, Memory]]]]
"""Given a memory before and after its change, returns the other memories that change with it, each before and after."""


async def embed(acting: Acting, memories: Sequence[NewMemory]) -> dict[MemoryUid, Vectors]:
    """
    Return the memories' vectors (float32 [d], unit length) by uid.

    Empty if the embedder fails: the memories are then found by their words until their vectors are made.
    """
    try:
        vectors = await acting.parts.embedder.embed([memory.search_text for memory in memories])
    except ProviderError as error:
        _log.warning("write.not_embedded", error=type(error).__name__, count=len(memories))
        return {}
    return {memory.uid: vector for memory, vector in zip(memories, vectors, strict=True)}


async def add_memories(
    acting: Acting, new: Sequence[NewMemory], *, reason: str, user_id: UserId | None = None
) -> list[Memory]:
    """
    Store *new* and return them with their numbers. Every uid must be new to the tenant.

    Args:
        acting: on whose behalf.
        new: the memories.
        reason: goes into their history.
        user_id: whose they all are; None if they are of several users, or of none.

    Raises:
        Forbidden: one is of another user than the caller's, or of a kind that the caller may not write.
    """
    acting.require_to_write(new)
    config = await acting.config()
    vectors = await embed(acting, new)
    async with acting.begin(user_id=user_id) as transaction:
        stored = await transaction.memories.add(await written(acting, transaction, new), vectors=vectors)
        await record(acting, transaction, [(None, memory) for memory in stored], reason=reason)
        await keep_users_within_limits(acting, transaction, stored)
        is_looked_at = await note_changed_playbooks(transaction, config, [(None, one) for one in stored])
    if is_looked_at or not vectors:
        acting.parts.dispatcher.poll_now()
    return stored


async def edit_user_playbook(
    acting: Acting,
    memory_id: MemoryId,
    changes: Callable[[Memory], Mapping[str, object]],
    *,
    status: Status | None = None,
) -> Memory:
    """
    Change a user playbook, and set its *status* in the same step if one is given.

    Raises:
        NotFound: the tenant has none of that number.
    """
    now = acting.parts.clock.now()

    def change(memory: Memory) -> Memory:
        fields = {**changes(memory), **({} if status is None else {"status": status})}
        return memory.model_copy(update={**fields, "updated_at": now}) if fields else memory

    reason = "user playbook edited" if status is None else f"user playbook is {status}"
    return await edit_memory(acting, memory_id, MemoryKind.USER_PLAYBOOK, change, reason=reason)


async def edit_memory(
    acting: Acting,
    memory_id: MemoryId,
    kind: MemoryKind,
    change: Callable[[Memory], Memory],
    *,
    reason: str,
    user_id: UserId | None = None,
    follow: Follow | None = None,
    run_id: RunId | None = None,
) -> Memory:
    """
    Apply *change* to one memory, update what finds it, and record the change.

    A memory archived this way counts as archived by a person, and one restored from the archive has no successor.

    Args:
        acting: on whose behalf.
        memory_id: which.
        kind: of which kind it is.
        change: what becomes of it; must give the same for the same. Gives it what it was given, nothing is written.
        reason: goes into its history.
        user_id: whose it has to be; None for anyone's.
        follow: what else changes with it, in the same transaction.
        run_id: under which it is recorded; None for a new run.

    Raises:
        NotFound: the tenant, or the user, has none of that number and kind.
        Forbidden: the caller may not write that kind.
    """
    acting.require_to_write_kind(kind)
    config = await acting.config()
    async with acting.read(user_id=user_id) as snapshot:
        before = _of_user(await snapshot.memories.get(memory_id, kind=kind), user_id)
    planned = change(before)
    if planned is before:
        return before
    vectors = {} if planned.search_text == before.search_text else await embed(acting, [planned])
    async with acting.begin(user_id=user_id) as transaction:
        found = _of_user(await transaction.memories.get(memory_id, kind=kind), user_id)
        changed = edited_by_person(found, change(found))
        if changed.status not in ARCHIVED_STATUSES:
            [changed] = await written(acting, transaction, [changed], before=found)
        fits = changed.search_text == planned.search_text
        await transaction.memories.save([changed], vectors=vectors if fits else {})
        others = () if follow is None else await follow(transaction, found, changed)
        await transaction.memories.save([after for _, after in others])
        await record(acting, transaction, [(found, changed), *others], reason=reason, run_id=run_id)
        await note_changed_playbooks(transaction, config, [(found, changed), *others])
    acting.parts.dispatcher.poll_now()
    return changed


def _of_user(memory: Memory, user_id: UserId | None) -> Memory:
    """Return *memory* if it belongs to the named user, or if none is named; else NotFound."""
    if user_id not in (None, memory.user_id):
        raise NotFound(f"no {memory.kind.replace('_', ' ')} with id {memory.memory_id} of user {user_id!r}")
    return memory
