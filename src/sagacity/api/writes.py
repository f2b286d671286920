"""Memories that a client writes itself: embedded first, then stored with the record of it in one transaction."""

from collections.abc import Awaitable, Callable, Sequence

import structlog

from sagacity.api.dependencies import Caller
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.change import Occasion
from sagacity.domain.errors import ProviderError
from sagacity.domain.ids import MemoryId, MemoryUid, RunId
from sagacity.domain.memory import PUT_AWAY, ArchivedBy, Memory, MemoryKind, NewMemory
from sagacity.domain.views.user_playbook import PLAYBOOK_METADATA
from sagacity.learning.distil.agent_playbooks.trigger import note_changed_playbooks, note_playbooks
from sagacity.learning.writing.undo import M, confirmed, restored, said_through
from sagacity.providers.base import Vectors
from sagacity.schemas.playbooks import PlaybookChange
from sagacity.storage.transaction import Transaction

_log = structlog.get_logger(__name__)

Follow = Callable[[Transaction, Memory, Memory], Awaitable[Sequence[tuple[Memory, Memory]]]]
"""Says of a memory before and after its change which others change with it: each before and after."""


async def embed(caller: Caller, memories: Sequence[NewMemory]) -> dict[MemoryUid, Vectors]:
    """
    Return the memories' vectors (float32 [d], unit length) by uid.

    Empty when the embedder fails: what is stored then is found by its words, and waits for its vector.
    """
    try:
        vectors = await caller.runtime.embedder.embed([memory.search_text for memory in memories])
    except ProviderError as error:
        _log.warning("write.not_embedded", error=type(error).__name__, count=len(memories))
        return {}
    return {memory.uid: vector for memory, vector in zip(memories, vectors, strict=True)}


async def add_memories(caller: Caller, new: Sequence[NewMemory], *, reason: str) -> list[Memory]:
    """Store *new*, every uid of which is new to the tenant, and return them with their numbers."""
    config = await caller.runtime.configs.get(caller.tenant)
    vectors = await embed(caller, new)
    async with caller.begin() as transaction:
        stored = await transaction.memories.add(await written(transaction, new), vectors=vectors)
        await record(caller, transaction, [(None, memory) for memory in stored], reason=reason)
        is_looked_at = await note_changed_playbooks(transaction, config, [(None, one) for one in stored])
    if is_looked_at or not vectors:
        caller.runtime.dispatcher.look()
    return stored


async def written(transaction: Transaction, memories: Sequence[M]) -> list[M]:
    """Return *memories* as a person wrote them now: what their users said before does not overrule them."""
    users = {memory.user_id for memory in memories}
    through = {user_id: await said_through(transaction, user_id) for user_id in users}
    return [confirmed(memory, through[memory.user_id]) for memory in memories]


async def edit_memory(
    caller: Caller,
    memory_id: MemoryId,
    kind: MemoryKind,
    change: Callable[[Memory], Memory],
    *,
    reason: str,
    follow: Follow | None = None,
) -> Memory:
    """
    Apply *change* to one memory, keep what finds it in step, and record it.

    What is archived so was archived by a person, and what is taken out of the archive has no successor any more.

    Args:
        caller: whose.
        memory_id: which.
        kind: of which kind it is.
        change: what becomes of it; must give the same for the same.
        reason: goes into its history.
        follow: what else changes with it, in the same transaction.

    Raises:
        NotFound: the tenant has none of that number and kind.
    """
    config = await caller.runtime.configs.get(caller.tenant)
    async with caller.read() as snapshot:
        before = await snapshot.memories.get(memory_id, kind=kind)
    planned = change(before)
    vectors = {} if planned.search_text == before.search_text else await embed(caller, [planned])
    async with caller.begin() as transaction:
        found = await transaction.memories.get(memory_id, kind=kind)
        changed = by_hand(found, change(found))
        if changed.status not in PUT_AWAY:
            [changed] = await written(transaction, [changed])
        fits = changed.search_text == planned.search_text
        await transaction.memories.save([changed], vectors=vectors if fits else {})
        others = () if follow is None else await follow(transaction, found, changed)
        await transaction.memories.save([after for _, after in others])
        await record(caller, transaction, [(found, changed), *others], reason=reason)
        await note_changed_playbooks(transaction, config, [(found, changed)])
    caller.runtime.dispatcher.look()
    return changed


async def delete_memories(
    caller: Caller, kind: MemoryKind, *, ids: Sequence[int] | None = None, uids: Sequence[str] | None = None
) -> int:
    """Delete memories of one kind with their history, and return how many there were; without a choice all."""
    config = await caller.runtime.configs.get(caller.tenant)
    async with caller.begin() as transaction:
        count = await delete_noted(transaction, config, kind, ids=ids, uids=uids)
    told_deleted(caller, kind, count)
    if kind is MemoryKind.USER_PLAYBOOK:
        caller.runtime.dispatcher.look()
    return count


async def delete_noted(
    transaction: Transaction,
    config: TenantConfig,
    kind: MemoryKind,
    *,
    ids: Sequence[int] | None = None,
    uids: Sequence[str] | None = None,
) -> int:
    """Delete as `delete_memories` does, and let aggregation look at what it made of user playbooks that went."""
    lost = await transaction.clusters.taught(ids) if kind is MemoryKind.USER_PLAYBOOK else ()
    count = await transaction.memories.delete(kind, ids=ids, uids=uids)
    await note_playbooks(transaction, config, (), lost=lost)
    return count


def told_deleted(caller: Caller, kind: MemoryKind, count: int) -> None:
    """Tell the log who deleted; a deleted memory has no history, so that erased content lives on nowhere."""
    _log.info("memory.deleted", actor=caller.principal.actor, kind=str(kind), count=count)


def by_hand(before: Memory, after: Memory) -> Memory:
    """Return *after* with what follows from a status that a person changed."""
    match before.status in PUT_AWAY, after.status in PUT_AWAY:
        case False, True:
            return after.model_copy(update={"archived_by": ArchivedBy.PERSON})
        case True, False:
            return restored(after, now=after.updated_at).model_copy(update={"status": after.status})
        case _:
            return after


async def record(
    caller: Caller,
    transaction: Transaction,
    changed: Sequence[tuple[Memory | None, Memory]],
    *,
    reason: str,
) -> None:
    """
    Record what the caller made of memories: each before (None for a new one) and after; one run a user.

    Of one to which nothing happened there is nothing to record.
    """
    runtime = caller.runtime
    changed = [
        (before, after)
        for before, after in changed
        if before is None or before.model_copy(update={"updated_at": after.updated_at}) != after
    ]
    now = runtime.clock.now()
    occasions = {
        user_id: Occasion(
            run_id=RunId(runtime.ids.new()), actor=caller.principal.actor, reason=reason, at=now
        )
        for user_id in dict.fromkeys(after.user_id for _, after in changed)
    }
    await transaction.changes.add(
        [occasions[after.user_id].change(before, after) for before, after in changed]
    )


def playbook_changes(body: PlaybookChange, memory: Memory) -> dict[str, object]:
    """Return the fields of *memory* that *body* names, with their new values."""
    given: dict[str, object] = {
        "name": body.playbook_name,
        "content": body.content,
        "trigger": body.trigger,
        "pitfall": body.pitfall,
        "rationale": body.rationale,
        "blocking_issue": body.blocking_issue.to_domain() if body.blocking_issue else None,
        "metadata": None
        if body.playbook_metadata is None
        else memory.metadata | {PLAYBOOK_METADATA: body.playbook_metadata},
    }
    return {name: value for name, value in given.items() if value is not None}
