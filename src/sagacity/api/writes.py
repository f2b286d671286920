"""Memories that a client writes itself: embedded first, then stored in one transaction."""

from collections.abc import Callable, Sequence

import structlog

from sagacity.api.dependencies import Caller
from sagacity.domain.errors import ProviderError
from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.memory import Memory, MemoryKind, NewMemory
from sagacity.domain.views.user_playbook import PLAYBOOK_METADATA
from sagacity.providers.base import Vectors
from sagacity.schemas.playbooks import PlaybookChange

_log = structlog.get_logger(__name__)


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


async def add_memories(caller: Caller, new: Sequence[NewMemory]) -> list[Memory]:
    """Store *new*, every uid of which is new to the tenant, and return them with their numbers."""
    vectors = await embed(caller, new)
    async with caller.begin() as transaction:
        stored = await transaction.memories.add(new, vectors=vectors)
    if not vectors:
        caller.runtime.dispatcher.look()
    return stored


async def edit_memory(
    caller: Caller, memory_id: MemoryId, kind: MemoryKind, change: Callable[[Memory], Memory]
) -> Memory:
    """
    Apply *change* to one memory and keep what finds it in step.

    Raises:
        NotFound: the tenant has none of that number and kind.
    """
    async with caller.read() as snapshot:
        before = await snapshot.memories.get(memory_id, kind=kind)
    planned = change(before)
    vectors = {} if planned.search_text == before.search_text else await embed(caller, [planned])
    async with caller.begin() as transaction:
        changed = change(await transaction.memories.get(memory_id, kind=kind))
        fits = changed.search_text == planned.search_text
        await transaction.memories.save([changed], vectors=vectors if fits else {})
    caller.runtime.dispatcher.look()
    return changed


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
