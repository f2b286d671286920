"""The spec of skills: what users taught about one kind of task, as instructions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sagacity.config.extractor_config import PlaybookAggregatorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cluster import SkillsMade
from sagacity.domain.distillation import Distillation
from sagacity.domain.ids import MemoryId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.learning.distil.agent_playbooks.trigger import LEARNER as AGGREGATION
from sagacity.learning.distil.agent_playbooks.trigger import SMALLEST_CLUSTER
from sagacity.learning.distil.order import newest_first
from sagacity.learning.distil.skills.conversations import conversations_of
from sagacity.learning.distil.skills.plan import (
    LEARNER,
    make_plan,
    options_of,
    reason_to_skip,
)
from sagacity.learning.distil.skills.settle import settle
from sagacity.learning.distil.skills.writer import write_skill
from sagacity.learning.distil.spec import (
    Counts,
    Draft,
    Effect,
    Material,
    Nearness,
    Run,
    Spec,
    State,
    Written,
)
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.storage.transaction import Transaction


async def _due(snapshot: Transaction, config: TenantConfig) -> list[tuple[str, str]]:
    """Return the playbooks that were aggregated since skills were last written, if that is automatic."""
    names = {one.extractor_name for one in config.user_playbook_extractor_configs}
    automatic = {name for name in names if options_of(config, name).is_automatic}
    if not automatic:
        return []  # most tenants want none, and the rest would read every playbook
    taught = [one for one in sorted(await snapshot.clusters.newest_candidates()) if one[0] in automatic]
    aggregated = await snapshot.distillations.of(AGGREGATION, taught)
    written = await snapshot.distillations.of(LEARNER, taught)
    return [one for one in taught if aggregated[one].last_read > written[one].last_read]


async def _reason_to_skip(snapshot: Transaction, run: Run) -> str:
    """Return why an automatic run may not start: not enabled, or within the cooldown."""
    began = (await snapshot.distillations.get(LEARNER, run.name, run.agent_version)).cooldown_from
    return reason_to_skip(options_of(run.config, run.name), began, requested=run.requested, now=run.at)


def _nearness(run: Run) -> Nearness:
    """Return aggregation's similarity, and how many playbooks of how many users make a skill."""
    named = (one for one in run.config.user_playbook_extractor_configs if one.extractor_name == run.name)
    extractor = next(named, None)
    aggregation = extractor.aggregation_config if extractor is not None else None
    similarity = (aggregation or PlaybookAggregatorConfig()).clustering_similarity
    return Nearness(similarity, options_of(run.config, run.name).min_feedback_per_cluster, SMALLEST_CLUSTER)


async def _conversations(
    snapshot: Transaction, run: Run, members: Sequence[Memory]
) -> tuple[tuple[Interaction, ...], ...]:
    """Return a fair share of the turns from which each playbook was learned."""
    limit = options_of(run.config, run.name).max_interactions_per_skill
    return await conversations_of(snapshot, newest_first(members), limit=limit)


async def _write(prompt_runner: PromptRunner | None, run: Run, material: Material) -> Draft | None:
    """
    Write or rewrite a skill; None if a model finds no common task.

    A current playbook keeps its lines in the skill, even if clusters shifted and it is no longer a member.
    """
    in_order = replace(material, members=tuple(newest_first((*material.members, *material.still_current))))
    return await write_skill(
        prompt_runner, in_order, config=run.config, playbook_name=run.name, learner=run.actor
    )


def _rests_on(written: Written) -> set[MemoryId]:
    """Return the members and the skill: a playbook that is deleted must not be in a skill."""
    former = written.task.former
    return {*written.task.members, *(() if former is None else (former.memory_id,))}


async def _advance(
    transaction: Transaction, run: Run, _state: State, written: Sequence[Written], effects: Counter[Effect]
) -> None:
    """
    Record that skills are written up to the point that aggregation has reached.

    An automatic run begins a cooldown. If a cluster was not processed, the next run may follow at once in any case.
    """
    done = await _caught_up(transaction, run.name, run.agent_version)
    if effects[Effect.MISSED] or not all(one.is_settled for one in written):
        done = done.model_copy(update={"cooldown_from": None})
    elif not run.requested:
        done = done.model_copy(update={"cooldown_from": run.at})
    await transaction.distillations.save(done)


async def _put_off(transaction: Transaction, name: str, agent_version: str) -> None:
    """Wait for the next aggregation."""
    await transaction.distillations.save(await _caught_up(transaction, name, agent_version))


async def _caught_up(transaction: Transaction, name: str, agent_version: str) -> Distillation:
    """Lock the skills' position, and return it set to the position of aggregation."""
    aggregated = await transaction.distillations.get(AGGREGATION, name, agent_version)
    own = await transaction.distillations.lock(LEARNER, name, agent_version)
    return own.model_copy(update={"last_read": max(own.last_read, aggregated.last_read)})


def _result(run: Run, counts: Counts) -> SkillsMade:
    return SkillsMade(
        created=counts.effects[Effect.CREATED],
        updated=counts.effects[Effect.UPDATED],
        skipped_reason=counts.skipped_reason,
        playbook_count=counts.playbooks,
        cluster_count=counts.clusters,
        least_count=_nearness(run).min_size,
        failed=len(counts.errors),
        left=counts.left + counts.effects[Effect.MISSED],
        note=counts.note,
    )


SKILLS = Spec(
    learner=LEARNER,
    product=MemoryKind.SKILL,
    raises_if_all_fail=True,
    due=_due,
    reason_to_skip=_reason_to_skip,
    nearness=_nearness,
    plan=make_plan,
    conversations=_conversations,
    write=_write,
    rests_on=_rests_on,
    settle=settle,
    advance=_advance,
    put_off=_put_off,
    result=_result,
)
