"""Skills: what users taught about one kind of task, as instructions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sagacity.config.extractor_config import PlaybookAggregatorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cluster import SkillsMade
from sagacity.domain.cursor import Cursor
from sagacity.domain.ids import MemoryId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.operation import TENANT_SCOPE
from sagacity.learning.ask import Asker
from sagacity.learning.distil.agent_playbooks.trigger import LEARNER as AGGREGATION
from sagacity.learning.distil.lineage import Lineage
from sagacity.learning.distil.skills import plan
from sagacity.learning.distil.skills.conversations import conversations_of
from sagacity.learning.distil.skills.cooldown import last_run, note_run
from sagacity.learning.distil.skills.settle import settle
from sagacity.learning.distil.skills.writer import write_skill
from sagacity.learning.distil.spec import (
    Counts,
    Draft,
    Effect,
    Material,
    Nearness,
    Plan,
    Run,
    Settlement,
    State,
    Written,
    cursor_of,
)
from sagacity.storage.transaction import Transaction


class Skills:
    """The spec of skill generation."""

    learner = plan.LEARNER
    product = MemoryKind.SKILL
    raises_if_all_fail = True

    async def due(self, snapshot: Transaction, config: TenantConfig) -> list[tuple[str, str]]:
        """Return the playbooks that were aggregated since skills were written, where that is to happen by itself."""
        names = {one.extractor_name for one in config.user_playbook_extractor_configs}
        automatic = {name for name in names if plan.options_of(config, name).is_automatic}
        if not automatic:
            return []  # most want none, and what follows reads every playbook
        cursors = await snapshot.cursors.of_user(TENANT_SCOPE)

        def reached(learner: str, name: str, version: str) -> int:
            cursor = cursors.get(cursor_of(learner, name, version))
            return 0 if cursor is None else cursor.seq

        return [
            (name, version)
            for name, version in sorted(await snapshot.clusters.newest_candidates())
            if name in automatic
            and reached(AGGREGATION, name, version) > reached(self.learner, name, version)
        ]

    async def reason_to_skip(self, snapshot: Transaction, run: Run) -> str:
        """By itself it runs only where the tenant wants that, and not within the cooldown."""
        last = await last_run(snapshot, run.name, run.agent_version)
        options = plan.options_of(run.config, run.name)
        return plan.reason_to_skip(options, last, requested=run.requested, now=run.at)

    def nearness(self, run: Run) -> Nearness:
        """Return how alike aggregation wants its clusters, and how many playbooks make a skill."""
        named = (one for one in run.config.user_playbook_extractor_configs if one.extractor_name == run.name)
        extractor = next(named, None)
        aggregation = extractor.aggregation_config if extractor is not None else None
        similarity = (aggregation or PlaybookAggregatorConfig()).clustering_similarity
        return Nearness(similarity, plan.options_of(run.config, run.name).min_feedback_per_cluster)

    def plan(self, run: Run, state: State, lineage: Lineage) -> Plan:
        """Write up new and changed clusters, and by a model what rules wrote."""
        return plan.make_plan(state, lineage, requested=run.requested, has_model=run.has_model)

    async def conversations(
        self, snapshot: Transaction, run: Run, members: Sequence[Memory]
    ) -> tuple[tuple[Interaction, ...], ...]:
        """Read a fair share of what was said when each was learned."""
        limit = plan.options_of(run.config, run.name).max_interactions_per_skill
        return await conversations_of(snapshot, plan.newest_first(members), limit=limit)

    async def write(self, asker: Asker | None, run: Run, material: Material) -> Draft | None:
        """Write a skill, or write one anew; None where a model finds no task in common."""
        newest_first = replace(material, members=tuple(plan.newest_first(material.members)))
        return await write_skill(
            asker, newest_first, config=run.config, playbook_name=run.name, learner=run.actor
        )

    def rests_on(self, written: Written) -> set[MemoryId]:
        """Return the members and the skill: who deletes a playbook does not want it in a skill."""
        former = written.task.former
        return {*written.task.members, *(() if former is None else (former.memory_id,))}

    def settle(self, run: Run, written: Written, now: Mapping[MemoryId, Memory]) -> Settlement:
        """Write nothing over on which a person decided."""
        return settle(run, written, now)

    async def advance(
        self, transaction: Transaction, run: Run, state: State, written: Sequence[Written], *, is_left: bool
    ) -> None:
        """As far as playbooks were aggregated, skills are written; a cooldown may begin."""
        await self.put_off(transaction, run.name, run.agent_version)
        await note_run(transaction, run.name, run.agent_version, requested=run.requested, is_left=is_left)

    async def put_off(self, transaction: Transaction, name: str, agent_version: str) -> None:
        """Wait for the next aggregation."""
        aggregated = await transaction.cursors.get(TENANT_SCOPE, cursor_of(AGGREGATION, name, agent_version))
        own = cursor_of(self.learner, name, agent_version)
        await transaction.cursors.save(Cursor(learner=own, user_id=TENANT_SCOPE, seq=aggregated.seq))

    def result(self, run: Run, counts: Counts) -> SkillsMade:
        """Return what is told of a run that writes skills."""
        return SkillsMade(
            created=counts.effects[Effect.CREATED],
            updated=counts.effects[Effect.UPDATED],
            skipped_reason=counts.skipped_reason,
            playbook_count=counts.playbooks,
            cluster_count=counts.clusters,
            least_count=self.nearness(run).min_size,
            failed=len(counts.errors),
            left=counts.left + counts.effects[Effect.MISSED],
            note=counts.note,
        )
