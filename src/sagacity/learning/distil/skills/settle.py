"""Turn drafts into skills if they are still valid; pure."""

from collections.abc import Mapping, Sequence

from sagacity.domain.amounts import counted
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import (
    FIRST_VERSION,
    Approval,
    Attributes,
    Memory,
    MemoryKind,
    NewMemory,
    SkillFacts,
    Status,
)
from sagacity.domain.trust import least_trusted
from sagacity.learning.distil.spec import MISSED, Draft, Effect, Run, Settlement, Written


def settle(run: Run, one: Written, now: Mapping[MemoryId, Memory]) -> Settlement:
    """
    Return what is stored for one cluster.

    A cluster that lost a member meanwhile is left for the next run. A skill that was deleted stays deleted. A skill
    that a person reviewed or edited is not overwritten: a new one waits to replace it.
    """
    if not all(_holds(member, now) for member in one.members):
        return MISSED
    former = None
    if one.task.former is not None:
        former = now.get(one.task.former.memory_id)
        if former is None or former.status is not Status.CURRENT:
            return Settlement(Effect.KEPT, one.cluster(run, None))
    if one.draft is None:
        return Settlement(Effect.KEPT, one.cluster(run, None if former is None else former.memory_id))
    count = counted(len(one.members), "playbook")
    if former is None:
        new = _new_skill(run, one, one.draft, None)
        return Settlement(Effect.CREATED, one.cluster(run, None), new=new, reason=f"written from {count}")
    return _settle_former(run, one, one.draft, former, count)


def _settle_former(run: Run, one: Written, draft: Draft, former: Memory, count: str) -> Settlement:
    """Return what is stored if there is a skill already."""
    cluster = one.cluster(run, former.memory_id)
    if former.provenance.run_id == run.run_id:  # an earlier commit of this run, whose answer was lost
        return Settlement(Effect.UPDATED, cluster)
    if _says_the_same(former, draft):
        return Settlement(Effect.KEPT, cluster, saved=_with_members(former, one.members))
    if _is_touched(former):
        reason = f"written from {count}; takes the place of skill {former.memory_id} once it is approved"
        return Settlement(Effect.UPDATED, cluster, new=_new_skill(run, one, draft, former), reason=reason)
    after = _written_over(run, one, draft, former)
    reason = f"rewritten from {count}"
    return Settlement(Effect.UPDATED, cluster, saved=after, before=former, reason=reason)


def _is_touched(skill: Memory) -> bool:
    """Whether a person reviewed or edited the skill, so that no run overwrites it."""
    facts = skill.attributes.skill
    return skill.approval is not Approval.PENDING or (facts is not None and facts.is_edited)


def _holds(member: Memory, now: Mapping[MemoryId, Memory]) -> bool:
    """Whether a member is unchanged since it was read."""
    found = now.get(member.memory_id)
    return found is not None and found.status is Status.CURRENT and found.search_text == member.search_text


def _new_skill(run: Run, one: Written, draft: Draft, former: Memory | None) -> NewMemory:
    """Return the skill to store: the first of its cluster, or the one that is to replace *former*."""
    return NewMemory(
        uid=one.uid,
        kind=MemoryKind.SKILL,
        agent_version=run.agent_version,
        name=run.name,
        content=draft.content,
        trigger=draft.trigger,
        attributes=Attributes(
            skill=_facts(draft, one.members, former, replaces=None if former is None else former.memory_id),
            origin=least_trusted(member.attributes.origin for member in one.members),
        ),
        provenance=draft.provenance.model_copy(update={"run_id": run.run_id}),
        created_at=run.at,
        updated_at=run.at,
    )


def _written_over(run: Run, one: Written, draft: Draft, former: Memory) -> Memory:
    """Return *former*, which no person reviewed or edited, with the text of the draft."""
    replaces = former.attributes.skill.replaces if former.attributes.skill else None
    facts = _facts(draft, one.members, former, replaces=replaces)
    origin = least_trusted(member.attributes.origin for member in one.members)
    return former.model_copy(
        update={
            "content": draft.content,
            "trigger": draft.trigger,
            "attributes": former.attributes.model_copy(update={"skill": facts, "origin": origin}),
            "provenance": draft.provenance.model_copy(update={"run_id": run.run_id}),
            "updated_at": run.at,
        }
    )


def _with_members(skill: Memory, members: Sequence[Memory]) -> Memory:
    """Return *skill* with *members* added to its sources, and with the same words."""
    facts = skill.attributes.skill or SkillFacts()
    ids = _merged(facts.user_playbook_ids, members)
    changed = facts.model_copy(update={"user_playbook_ids": ids})
    return skill.model_copy(update={"attributes": skill.attributes.model_copy(update={"skill": changed})})


def _says_the_same(skill: Memory, draft: Draft) -> bool:
    """Whether the draft has the same words, tools and blocking issues as the skill."""
    facts = skill.attributes.skill or SkillFacts()
    return (skill.trigger, skill.content, facts.tools, facts.blocking_issues) == (
        draft.trigger, draft.content, draft.tools, draft.blocking_issues,
    )  # fmt: skip


def _facts(
    draft: Draft, members: Sequence[Memory], former: Memory | None, *, replaces: MemoryId | None
) -> SkillFacts:
    before = (former.attributes.skill or SkillFacts()) if former is not None else None
    return SkillFacts(
        name=draft.name,
        version=FIRST_VERSION if before is None else before.next_minor,
        user_playbook_ids=_merged(() if before is None else before.user_playbook_ids, members),
        tools=draft.tools,
        blocking_issues=draft.blocking_issues,
        replaces=replaces,
    )


def _merged(ids: Sequence[MemoryId], members: Sequence[Memory]) -> tuple[MemoryId, ...]:
    return tuple(sorted({*ids, *(one.memory_id for one in members)}))
