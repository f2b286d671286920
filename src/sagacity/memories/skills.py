"""Which skills are listed and exported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sagacity.domain.errors import InvalidInput, NotFound
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction

_KIND = MemoryKind.SKILL


@dataclass(frozen=True, slots=True)
class SkillChoice:
    """Which skills; an empty or missing field admits all."""

    ids: Sequence[int] | None = None
    statuses: Sequence[Status] = ()
    approvals: Sequence[Approval] = ()
    name: str | None = None
    agent_version: str | None = None

    def admits(self, skill: Memory) -> bool:
        """Whether the choice admits a skill, its number aside."""
        return (
            (not self.statuses or skill.status in self.statuses)
            and (not self.approvals or skill.approval in self.approvals)
            and self.name in {None, skill.name}
            and self.agent_version in {None, skill.agent_version}
        )


async def list_skills(acting: Acting, wanted: SkillChoice, *, limit: int) -> list[Memory]:
    """Return skills: those of given numbers in their order, whatever their status, else the last changed first."""
    async with acting.read() as snapshot:
        if wanted.ids is None:
            return await _newest(snapshot, wanted, limit, now=acting.parts.clock.now())
        named = await snapshot.memories.get_many(wanted.ids, kind=_KIND)
    return [one for one in named if wanted.admits(one)][:limit]


async def exported_skills(
    acting: Acting, wanted: SkillChoice, *, most: int
) -> tuple[Sequence[Memory], Mapping[MemoryId, str]]:
    """
    Return the current skills that are asked for, oldest first, and what all that are approved are called.

    Args:
        acting: on whose behalf.
        wanted: which; without an approval the approved ones.
        most: how many at most go into one export.

    Raises:
        InvalidInput: they are too many for one export.
        NotFound: one that is asked for by number is not there.
    """
    approvals = wanted.approvals or (Approval.APPROVED,)
    current = SkillChoice(
        statuses=(Status.CURRENT,), approvals=approvals, name=wanted.name, agent_version=wanted.agent_version
    )
    async with acting.read() as snapshot:
        if wanted.ids is None:
            found = await _newest(snapshot, current, most + 1, now=acting.parts.clock.now())
        else:
            ids = sorted(set(wanted.ids))
            named = await snapshot.memories.get_many(ids, kind=_KIND)
            if missing := sorted(set(ids) - {one.memory_id for one in named}):
                raise NotFound(f"no skill with id {missing[0]}")
            found = [one for one in named if current.admits(one)]
        approved = await snapshot.memories.approved_skills()
    if len(found) > most:
        raise InvalidInput(f"more than {most} skills; narrow them down with playbook_name or agent_version")
    return sorted(found, key=lambda skill: skill.memory_id), approved


async def _newest(snapshot: Transaction, wanted: SkillChoice, limit: int, *, now: datetime) -> list[Memory]:
    return await snapshot.memories.list_newest(
        _KIND,
        statuses=wanted.statuses or (Status.CURRENT,),
        approvals=wanted.approvals,
        name=wanted.name,
        agent_version=wanted.agent_version,
        valid_at=now,
        limit=limit,
    )
