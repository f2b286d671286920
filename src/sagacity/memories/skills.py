"""Select the skills to export."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sagacity.domain.errors import InvalidInput, NotFound
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Approval, Memory, Status
from sagacity.memories.acting import Acting
from sagacity.memories.listing import Choice


async def exported_skills(
    acting: Acting, choice: Choice, *, most: int
) -> tuple[Sequence[Memory], Mapping[MemoryId, str]]:
    """
    Return the chosen skills that are current, oldest first, and the names of all that are approved.

    Args:
        acting: on whose behalf.
        choice: which; without an approval the approved ones.
        most: how many at most go into one export.

    Raises:
        InvalidInput: they are too many for one export.
        NotFound: there is no skill of a number that was given.
    """
    current = replace(choice, statuses=(Status.CURRENT,), approvals=choice.approvals or (Approval.APPROVED,))
    async with acting.read() as snapshot:
        if choice.ids is None:
            wanted = current.to_filter(acting.parts.clock.now())
            found = await snapshot.memories.list_wanted(wanted, most + 1)
        else:
            ids = sorted(set(choice.ids))
            named = await snapshot.memories.get_many(ids, kind=choice.kind)
            if missing := sorted(set(ids) - {one.memory_id for one in named}):
                raise NotFound(f"no skill with id {missing[0]}")
            found = [one for one in named if current.admits(one)]
        approved = await snapshot.memories.approved_skills()
    if len(found) > most:
        raise InvalidInput(f"more than {most} skills; narrow them down with playbook_name or agent_version")
    return sorted(found, key=lambda skill: skill.memory_id), approved
