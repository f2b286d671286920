"""Plan which clusters need a skill written, and which skill belongs to which cluster; pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sagacity.config.extractor_config import SkillGeneratorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Approval, Memory
from sagacity.learning.distil.lineage import Lineage, Traced, fingerprint
from sagacity.learning.distil.spec import BY_MODEL, BY_RULES, Plan, Run, State, Task

LEARNER = "skills"
_ENOUGH_LEFT = 0.5
"""A cluster that shares at least this part of its members with a rejected one counts as that one."""


def options_of(config: TenantConfig, playbook_name: str) -> SkillGeneratorConfig:
    """Return how skills are made of the playbooks of one name; by default not by themselves."""
    named = (one for one in config.user_playbook_extractor_configs if one.extractor_name == playbook_name)
    chosen = next(named, None)
    options = chosen.skill_generator_config if chosen is not None else None
    return options or SkillGeneratorConfig()


def reason_to_skip(
    options: SkillGeneratorConfig, last: datetime | None, *, requested: bool, now: datetime
) -> str:
    """
    Return why nothing is generated now; empty if something may be.

    Args:
        options: the tenant's.
        last: when the cooldown began; None: it is over.
        requested: someone asked for it: then always.
        now: the present.
    """
    if requested:
        return ""
    if not options.enabled:
        return "skills are not enabled for these playbooks (skill_generator_config.enabled)"
    if not options.auto_generate_on_aggregation:
        return "auto_generate_on_aggregation is off for these playbooks"
    if last is not None and now < (until := last + timedelta(hours=options.cooldown_hours)):
        return f"the cooldown of {options.cooldown_hours} h ends at {until:%Y-%m-%d %H:%M} UTC"
    return ""


def make_plan(run: Run, state: State, lineage: Lineage) -> Plan:
    """Decide which clusters are written up: new and changed ones, and by a model what rules wrote."""
    tasks: list[Task] = []
    kept: list[PlaybookCluster] = []
    for one in lineage.traced:
        known = None if one.cluster_id is None else state.known[one.cluster_id]
        skill = None if known is None else _made_of(known, state)
        members = tuple(MemoryId(member) for member in one.members)
        now = written_by({member: state.wordings[member] for member in members}, has_model=run.has_model)
        overlap = 1.0 if one.has_moved else one.overlap
        if known is None or is_due(
            known, now, skill, overlap=overlap, requested=run.requested, has_model=run.has_model
        ):
            left, withdrawn = _left(skill, members, state)
            tasks.append(
                Task(
                    members,
                    now,
                    known,
                    former=skill,
                    still_current=left,
                    withdrawn=withdrawn,
                    needs_model=run.has_model,
                )
            )
        else:
            kept.append(_kept(known, one, skill))
    return Plan(tasks=tuple(tasks), kept=tuple(kept))


def _left(
    skill: Memory | None, members: Sequence[MemoryId], state: State
) -> tuple[tuple[MemoryId, ...], tuple[MemoryId, ...]]:
    """Return what a skill was made of and is no member now: what is still current, and what was withdrawn."""
    facts = None if skill is None else skill.attributes.skill
    others = sorted(set(() if facts is None else facts.user_playbook_ids) - set(members))
    current = set(state.ids)
    return tuple(one for one in others if one in current), tuple(one for one in others if one not in current)


def written_by(members: Mapping[int, str], *, has_model: bool) -> str:
    """Return who writes, and a hash that changes when a member comes, goes, or says something else."""
    return f"{BY_MODEL if has_model else BY_RULES}:{fingerprint(members)}"


def is_due(
    known: PlaybookCluster,
    now: str,
    skill: Memory | None,
    *,
    overlap: float,
    requested: bool,
    has_model: bool,
) -> bool:
    """
    Whether a cluster that was there before is to be written up.

    Args:
        known: as it was when it was last written up.
        now: the fingerprint of its present members and of who would write.
        skill: what was made of it and is still there. A rejected one is proposed again when more than half of it is
            others, whoever asks.
        overlap: the share of members that it has in common with *known*, from 0 to 1.
        requested: someone asked: then also where nothing was made of it, or what was made was deleted.
        has_model: whether a model writes. It writes anew what rules wrote, and rules never what a model wrote.
    """
    is_changed = known.fingerprint.partition(":")[2] != now.partition(":")[2]
    if skill is None:
        return requested or is_changed
    if _is_rejected(skill) and overlap >= _ENOUGH_LEFT:
        return False
    if has_model:
        return known.fingerprint != now
    return is_changed and skill.provenance.method == BY_RULES


def _is_rejected(skill: Memory | None) -> bool:
    """Whether a person does not want it."""
    return skill is not None and skill.approval is Approval.REJECTED


def _kept(known: PlaybookCluster, traced: Traced, skill: Memory | None) -> PlaybookCluster:
    """Return a cluster that is not written up, with its present members."""
    members = tuple(MemoryId(member) for member in traced.members)
    if _is_rejected(skill) and not traced.has_moved:
        members = known.member_ids  # what was rejected, however much comes to it little by little
    return known.model_copy(
        update={"member_ids": members, "memory_id": None if skill is None else skill.memory_id}
    )


def _made_of(cluster: PlaybookCluster, state: State) -> Memory | None:
    """Return what was made of a cluster last; where that is deleted, what is left of the skills before it."""
    if cluster.memory_id is not None:
        return state.products.get(cluster.memory_id)
    facts = {
        one.memory_id: one.attributes.skill
        for one in state.products.values()
        if one.attributes.skill is not None
    }
    taken = {one.memory_id for one in state.known.values()} | {one.replaces for one in facts.values()}
    members = set(cluster.member_ids)
    left = {
        number: len(members.intersection(one.user_playbook_ids))
        for number, one in facts.items()
        if number not in taken and not _is_rejected(state.products[number])
    }
    nearest = max(left, key=lambda number: (left[number], number), default=None)
    return state.products[nearest] if nearest is not None and left[nearest] else None
