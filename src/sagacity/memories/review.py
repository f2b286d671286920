"""Edit and approve what serves all users: agent playbooks and skills."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Approval, Memory, MemoryKind, SkillFacts, Status
from sagacity.learning.distil.agent_playbooks.plan import replaced_by as replaced_by_playbook
from sagacity.memories.acting import Acting
from sagacity.memories.edits import archived_for
from sagacity.memories.write import edit_memory
from sagacity.storage.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A memory after a reviewer's change."""

    memory: Memory
    replaced: tuple[MemoryId, ...]
    """The memories that it replaced; they are archived now."""


async def set_approval(acting: Acting, memory_id: MemoryId, kind: MemoryKind, approval: Approval) -> Reviewed:
    """
    Approve or reject a memory, or set it back to pending.

    An approved memory replaces the one that it was written to replace.

    Raises:
        NotFound: the tenant has none of that number and kind.
        Forbidden: the caller may not review.
    """
    now = acting.parts.clock.now()

    def change(memory: Memory) -> Memory:
        return memory.model_copy(update={"approval": approval, "updated_at": now})

    reason = f"{kind.replace('_', ' ')} {memory_id} is {approval}"
    return await _edit(acting, memory_id, kind, change, reason)


async def edit_agent_playbook(
    acting: Acting,
    memory_id: MemoryId,
    changes: Callable[[Memory], Mapping[str, object]],
    *,
    approval: Approval | None = None,
) -> Reviewed:
    """
    Change an agent playbook, and approve or reject it in the same step if *approval* is given.

    Raises:
        NotFound: the tenant has none of that number.
        Forbidden: the caller may not review.
    """
    now = acting.parts.clock.now()

    def change(memory: Memory) -> Memory:
        fields = {**changes(memory), **({} if approval is None else {"approval": approval})}
        return memory.model_copy(update={**fields, "updated_at": now}) if fields else memory

    reason = "agent playbook edited" if approval is None else f"agent playbook {memory_id} is {approval}"
    return await _edit(acting, memory_id, MemoryKind.AGENT_PLAYBOOK, change, reason)


async def edit_skill(
    acting: Acting, memory_id: MemoryId, *, texts: Mapping[str, object], facts: Mapping[str, object]
) -> Memory:
    """
    Change a skill. A change of its text makes the next patch version.

    Args:
        acting: on whose behalf.
        memory_id: which.
        texts: new values by field of the memory; what is missing stays.
        facts: the same by field of `SkillFacts`.

    Raises:
        NotFound: the tenant has none of that number.
        Forbidden: the caller may not review.
    """
    now = acting.parts.clock.now()

    def change(skill: Memory) -> Memory:
        if not texts and not facts:
            return skill
        before = skill.attributes.skill or SkillFacts()
        after = before.model_copy(update=facts)
        changed = skill.model_copy(update=texts)
        if after != before or (changed.content, changed.trigger) != (skill.content, skill.trigger):
            after = after.model_copy(update={"version": before.next_patch, "is_edited": True})
        attributes = skill.attributes.model_copy(update={"skill": after})
        return changed.model_copy(update={"attributes": attributes, "updated_at": now})

    return await edit_memory(acting, memory_id, MemoryKind.SKILL, change, reason="skill edited")


async def _edit(
    acting: Acting, memory_id: MemoryId, kind: MemoryKind, change: Callable[[Memory], Memory], reason: str
) -> Reviewed:
    """Change a memory. If that approves it, it replaces others in the same transaction."""
    replaced: list[Memory] = []

    async def make_room(
        transaction: Transaction, before: Memory, after: Memory
    ) -> list[tuple[Memory, Memory]]:
        is_new = before.approval is not Approval.APPROVED and after.approval is Approval.APPROVED
        replaced[:] = await _replaced_by(transaction, after) if is_new else []
        return [(one, archived_for(after, one)) for one in replaced]

    memory = await acting.parts.storage.retry(
        lambda: edit_memory(acting, memory_id, kind, change, reason=reason, follow=make_room)
    )
    return Reviewed(memory, tuple(one.memory_id for one in replaced))


async def _replaced_by(transaction: Transaction, memory: Memory) -> list[Memory]:
    """Return the current memories that *memory* replaces: the one it names, the one which that names, and so on."""
    found: list[Memory] = []
    named = _named_by(memory) if memory.status is Status.CURRENT else None
    while named is not None:
        before = await transaction.memories.get_many([named], kind=memory.kind)
        if not before or before[0].status is not Status.CURRENT or before[0] in found:
            break
        found += before
        named = _named_by(before[0])
    return found


def _named_by(memory: Memory) -> MemoryId | None:
    """Return the memory that *memory* was written to replace."""
    if memory.kind is MemoryKind.SKILL:
        return None if memory.attributes.skill is None else memory.attributes.skill.replaces
    return replaced_by_playbook(memory)
