"""Which clusters are written up, and what becomes of the skill that there is; pure."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from sagacity.config.extractor_config import SkillGeneratorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.ids import MemoryId, MemoryUid, RunId
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
from sagacity.learning.skills import rules
from sagacity.learning.skills.draft import Draft

_ENOUGH_LEFT = 0.5
"""A cluster with at least this share of its members in common is the one that was rejected."""


def options_of(config: TenantConfig, playbook_name: str) -> SkillGeneratorConfig:
    """Return how skills are made of the playbooks of one name; by default not by themselves."""
    named = (one for one in config.user_playbook_extractor_configs if one.extractor_name == playbook_name)
    chosen = next(named, None)
    options = chosen.skill_generator_config if chosen is not None else None
    return options or SkillGeneratorConfig()


def reason_to_skip(
    options: SkillGeneratorConfig, last: datetime | None, *, rerun: bool, now: datetime
) -> str:
    """
    Return why nothing is generated now; empty if something may be.

    Args:
        options: the tenant's.
        last: when the cooldown began; None: it is over.
        rerun: someone asked for it: then always.
        now: the present.
    """
    if rerun:
        return ""
    if not options.enabled:
        return "skills are not enabled for these playbooks (skill_generator_config.enabled)"
    if last is not None and now < (until := last + timedelta(hours=options.cooldown_hours)):
        return f"the cooldown of {options.cooldown_hours} h ends at {until:%Y-%m-%d %H:%M} UTC"
    return ""


def fingerprint_of(members: Iterable[Memory], *, has_model: bool) -> str:
    """Return who writes, and a hash that changes when a member comes, goes, or says something else."""
    said = sorted(f"{one.memory_id}\0{one.search_text}\0{one.blocking_issue}" for one in members)
    digest = hashlib.sha256("\1".join(said).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{'model' if has_model else rules.METHOD}:{digest}"


def is_due(
    known: PlaybookCluster | None,
    fingerprint: str,
    skill: Memory | None,
    *,
    overlap: float,
    rerun: bool,
    has_model: bool,
) -> bool:
    """
    Whether a cluster is to be written up.

    Args:
        known: as it was when it was last written up; None: it is new.
        fingerprint: of its present members and of who would write.
        skill: what was made of it and is still there. A rejected one is proposed again when more than half of it is
            others, whoever asks.
        overlap: the share of members that it has in common with *known*, from 0 to 1.
        rerun: someone asked: then also where nothing was made of it, or what was made was deleted.
        has_model: whether a model writes. It writes anew what rules wrote, and rules never what a model wrote.
    """
    if known is None:
        return True
    is_changed = known.fingerprint.partition(":")[2] != fingerprint.partition(":")[2]
    if skill is None:
        return rerun or is_changed
    if is_rejected(skill) and overlap >= _ENOUGH_LEFT:
        return False
    if has_model:
        return known.fingerprint != fingerprint
    return is_changed and skill.provenance.method == rules.METHOD


def is_rejected(skill: Memory | None) -> bool:
    """Whether a person does not want it."""
    return skill is not None and skill.approval is Approval.REJECTED


def newest_first(playbooks: Iterable[Memory]) -> list[Memory]:
    """Return playbooks by when they last changed, the newest first."""
    return sorted(playbooks, key=lambda book: (book.updated_at, book.memory_id), reverse=True)


def search_text(draft: Draft) -> str:
    """Return the text by which a skill will be found that says what *draft* says."""
    return "\n".join(part for part in (draft.name, draft.description, draft.instructions) if part)


def is_touched(skill: Memory) -> bool:
    """Whether a person had a say in it, so that no run writes over it."""
    facts = skill.attributes.skill
    return skill.approval is not Approval.PENDING or (facts is not None and facts.is_edited)


def new_skill(
    draft: Draft,
    members: Sequence[Memory],
    former: Memory | None,
    *,
    uid: MemoryUid,
    run_id: RunId,
    now: datetime,
) -> NewMemory:
    """Return the skill to store: the first of its cluster, or the one that is to take the place of *former*."""
    one = members[0]
    return NewMemory(
        uid=uid,
        kind=MemoryKind.SKILL,
        agent_version=one.agent_version,
        name=one.name,
        content=draft.instructions,
        trigger=draft.description,
        attributes=Attributes(skill=_facts(draft, members, former, replaces=former)),
        provenance=draft.provenance.model_copy(update={"run_id": run_id}),
        created_at=now,
        updated_at=now,
    )


def written_over(
    former: Memory, draft: Draft, members: Sequence[Memory], *, run_id: RunId, now: datetime
) -> Memory:
    """Return *former*, in which no person had a say, with what the draft says."""
    facts = _facts(draft, members, former, replaces=None)
    replaces = former.attributes.skill.replaces if former.attributes.skill else None
    return former.model_copy(
        update={
            "content": draft.instructions,
            "trigger": draft.description,
            "attributes": former.attributes.model_copy(
                update={"skill": facts.model_copy(update={"replaces": replaces})}
            ),
            "provenance": draft.provenance.model_copy(update={"run_id": run_id}),
            "updated_at": now,
        }
    )


def with_members(skill: Memory, members: Sequence[Memory]) -> Memory:
    """Return *skill* resting on *members* too, in the same words."""
    facts = skill.attributes.skill or SkillFacts()
    ids = _merged(facts.user_playbook_ids, members)
    changed = facts.model_copy(update={"user_playbook_ids": ids})
    return skill.model_copy(update={"attributes": skill.attributes.model_copy(update={"skill": changed})})


def says_the_same(skill: Memory, draft: Draft) -> bool:
    """Whether the draft changes no word of the skill, no tool and nothing that stands in the way."""
    facts = skill.attributes.skill or SkillFacts()
    return (skill.trigger, skill.content, facts.tools, facts.blocking_issues) == (
        draft.description, draft.instructions, draft.tools, draft.blocking_issues,
    )  # fmt: skip


def standing(skill: Memory | None) -> Memory | None:
    """Return *skill* if it is in use, or waits for its review; what took its place speaks for it otherwise."""
    return skill if skill is not None and skill.status is Status.CURRENT else None


def _facts(
    draft: Draft, members: Sequence[Memory], former: Memory | None, *, replaces: Memory | None
) -> SkillFacts:
    before = (former.attributes.skill or SkillFacts()) if former is not None else None
    return SkillFacts(
        name=draft.name,
        version=FIRST_VERSION if before is None else before.next_minor,
        user_playbook_ids=_merged(() if before is None else before.user_playbook_ids, members),
        tools=draft.tools,
        blocking_issues=draft.blocking_issues,
        replaces=None if replaces is None else replaces.memory_id,
    )


def _merged(ids: Sequence[MemoryId], members: Sequence[Memory]) -> tuple[MemoryId, ...]:
    return tuple(sorted({*ids, *(one.memory_id for one in members)}))
