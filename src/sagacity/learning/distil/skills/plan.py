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
    """Return how skills are made from the playbooks of one name; by default not automatically."""
    named = (one for one in config.user_playbook_extractor_configs if one.extractor_name == playbook_name)
    chosen = next(named, None)
    options = chosen.skill_generator_config if chosen is not None else None
    return options or SkillGeneratorConfig()


def reason_to_skip(
    options: SkillGeneratorConfig, last: datetime | None, *, requested: bool, now: datetime
) -> str:
    """
    Return why no skills may be generated now; empty if they may.

    Args:
        options: the tenant's options.
        last: when the cooldown began; None: it is over.
        requested: someone requested skills, so they may always be generated.
        now: the current time.
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
    """Decide which clusters are written up: new and changed ones and, if there is a model, those that rules wrote."""
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
    """Return the playbooks that a skill was made from and that are no longer members: current ones, withdrawn ones."""
    facts = None if skill is None else skill.attributes.skill
    others = sorted(set(() if facts is None else facts.user_playbook_ids) - set(members))
    current = set(state.ids)
    return tuple(one for one in others if one in current), tuple(one for one in others if one not in current)


def written_by(members: Mapping[int, str], *, has_model: bool) -> str:
    """Return who writes (model or rules) with a hash that changes when a member is added, removed or reworded."""
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
    Whether an existing cluster is to be written up.

    Args:
        known: the cluster when it was last written up.
        now: the fingerprint of its current members and of who would write.
        skill: the skill that was made from it, if it still exists. A rejected one is proposed again when more than half
            of the members are others, even on request.
        overlap: the share of members in common with *known*, from 0 to 1.
        requested: someone requested it; it is then due even if no skill was made from it, or the skill was deleted.
        has_model: whether a model writes. It rewrites what rules wrote; rules never rewrite what a model wrote.
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
    """Whether a person rejected the skill."""
    return skill is not None and skill.approval is Approval.REJECTED


def _kept(known: PlaybookCluster, traced: Traced, skill: Memory | None) -> PlaybookCluster:
    """Return a cluster that is not written up, with its current members."""
    members = tuple(MemoryId(member) for member in traced.members)
    if _is_rejected(skill) and not traced.has_moved:
        members = (
            known.member_ids
        )  # those that were rejected, so that gradual growth is measured against them
    return known.model_copy(
        update={"member_ids": members, "memory_id": None if skill is None else skill.memory_id}
    )


def _made_of(cluster: PlaybookCluster, state: State) -> Memory | None:
    """Return the last skill made from a cluster or, if that was deleted, an earlier one that still exists."""
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
