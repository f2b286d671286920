"""Agent playbooks: what many users taught, as one playbook for all."""

from collections.abc import Mapping, Sequence

from sagacity.config.extractor_config import PlaybookAggregatorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cluster import Aggregated
from sagacity.domain.ids import MemoryId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.operation import TENANT_SCOPE
from sagacity.learning.ask import Asker
from sagacity.learning.distil.agent_playbooks.plan import make_plan
from sagacity.learning.distil.agent_playbooks.settle import settle
from sagacity.learning.distil.agent_playbooks.trigger import (
    LEARNER,
    advanced,
    aggregation_of,
    due_names,
    put_off,
)
from sagacity.learning.distil.agent_playbooks.writer import write_playbook
from sagacity.learning.distil.lineage import Lineage
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

_ERRORS_SHOWN = 5


class AgentPlaybooks:
    """The spec of aggregation."""

    learner = LEARNER
    product = MemoryKind.AGENT_PLAYBOOK
    raises_if_all_fail = False

    async def due(self, snapshot: Transaction, config: TenantConfig) -> list[tuple[str, str]]:
        """Return the playbooks of which enough are new, and those whose clusters may rest on what is gone."""
        return await due_names(snapshot, config)

    async def reason_to_skip(self, snapshot: Transaction, run: Run) -> str:
        """Say so where aggregation is off, whoever asks."""
        if aggregation_of(run.config, run.name) is None:
            return f"aggregation is off for {run.name!r}, or there is no such extractor"
        return ""

    def nearness(self, run: Run) -> Nearness:
        """Return what the tenant chose."""
        options = _options(run)
        return Nearness(options.clustering_similarity, options.min_cluster_size)

    def plan(self, run: Run, state: State, lineage: Lineage) -> Plan:
        """Work on new and changed clusters, where someone asked for it on all but what a person stands behind."""
        return make_plan(lineage, state.wordings, state.known, state.products, full=run.requested)

    async def conversations(
        self, snapshot: Transaction, run: Run, members: Sequence[Memory]
    ) -> tuple[tuple[Interaction, ...], ...]:
        """Read none: what users said is theirs."""
        return ()

    async def write(self, asker: Asker | None, run: Run, material: Material) -> Draft | None:
        """Write the one playbook that a cluster amounts to; None where what is in force says it all."""
        return await write_playbook(
            asker,
            material,
            agent_context=run.config.agent_context_prompt or "",
            overlap=_options(run).direction_overlap_threshold,
            learner=run.actor,
        )

    def rests_on(self, written: Written) -> set[MemoryId]:
        """Return the playbook that is written anew: words that were read are those of a run that noticed."""
        return set() if written.task.former is None else {written.task.former.memory_id}

    def settle(self, run: Run, written: Written, now: Mapping[MemoryId, Memory]) -> Settlement:
        """Leave what somebody changed or decided on meanwhile."""
        return settle(run, written, now)

    async def advance(
        self, transaction: Transaction, run: Run, state: State, written: Sequence[Written], *, is_left: bool
    ) -> None:
        """Move the cursor: not beyond what came, changed or went while the run was under way."""
        cursor = cursor_of(LEARNER, run.name, run.agent_version)
        before = await transaction.cursors.hold(TENANT_SCOPE, cursor)
        now = await transaction.clusters.candidates(run.name, run.agent_version, after=before.seq)
        missed = [number for number, wording in now.items() if state.wordings.get(number) != wording]
        first_missed = min(missed, default=None)
        newest = max((one for one in state.ids if first_missed is None or one < first_missed), default=None)
        is_stale = any(number > before.seq and number not in now for number in state.ids)
        error = next((str(one.error) for one in written if one.error is not None), "")
        await transaction.cursors.save(advanced(before, newest, is_stale=is_stale, error=error), read=before)

    async def put_off(self, transaction: Transaction, name: str, agent_version: str) -> None:
        """Count what there is now as seen."""
        await put_off(transaction, name, agent_version)

    def result(self, run: Run, counts: Counts) -> Aggregated:
        """Return what is told of an aggregation."""
        return Aggregated(
            processed=counts.playbooks,
            clusters=counts.clusters,
            generated=counts.effects[Effect.CREATED],
            updated=counts.effects[Effect.UPDATED],
            archived=counts.effects[Effect.ARCHIVED],
            failed=len(counts.errors),
            left=counts.left,
            errors=tuple(dict.fromkeys(counts.errors))[:_ERRORS_SHOWN],
            note=counts.note,
            skipped_reason=counts.skipped_reason,
        )


def _options(run: Run) -> PlaybookAggregatorConfig:
    return aggregation_of(run.config, run.name) or PlaybookAggregatorConfig()
