"""The spec of agent playbooks: what many users taught, as one playbook for all."""

from collections import Counter
from collections.abc import Sequence

from sagacity.config.extractor_config import PlaybookAggregatorConfig
from sagacity.domain.cluster import Aggregated
from sagacity.domain.ids import MemoryId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind
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
    Spec,
    State,
    Written,
)
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.storage.transaction import Transaction

_ERRORS_SHOWN = 5


async def _reason_to_skip(_snapshot: Transaction, run: Run) -> str:
    """Return a reason if aggregation is off, even for a requested run."""
    if aggregation_of(run.config, run.name) is None:
        return f"aggregation is off for {run.name!r}, or there is no such extractor"
    return ""


def _options(run: Run) -> PlaybookAggregatorConfig:
    return aggregation_of(run.config, run.name) or PlaybookAggregatorConfig()


def _nearness(run: Run) -> Nearness:
    options = _options(run)
    return Nearness(options.clustering_similarity, options.min_cluster_size, options.min_cluster_size)


def _plan(run: Run, state: State, lineage: Lineage) -> Plan:
    return make_plan(lineage, state.wordings, state.known, state.products, full=run.requested)


async def _no_conversations(
    _snapshot: Transaction, _run: Run, _members: Sequence[Memory]
) -> tuple[tuple[Interaction, ...], ...]:
    """Return none, because agent playbooks must not be written from users' own words."""
    return ()


async def _write(prompt_runner: PromptRunner | None, run: Run, material: Material) -> Draft | None:
    return await write_playbook(
        prompt_runner,
        material,
        agent_context=run.config.agent_context_prompt or "",
        overlap=_options(run).direction_overlap_threshold,
        learner=run.actor,
    )


def _rests_on(written: Written) -> set[MemoryId]:
    """Return the playbook to rewrite; members that change meanwhile are found by their numbers when the run ends."""
    return set() if written.task.former is None else {written.task.former.memory_id}


async def _advance(
    transaction: Transaction, run: Run, state: State, written: Sequence[Written], _effects: Counter[Effect]
) -> None:
    """Record how far the run got, without what was added, changed or deleted during the run."""
    before = await transaction.distillations.lock(LEARNER, run.name, run.agent_version)
    now = await transaction.clusters.candidates(
        run.learner, run.name, run.agent_version, after=before.last_read
    )
    missed = min(
        (number for number, one in now.items() if state.wordings.get(number) != one.wording), default=None
    )
    newest = max((number for number in state.ids if missed is None or number < missed), default=None)
    is_stale = any(number > before.last_read and number not in now for number in state.ids)
    error = next((str(one.error) for one in written if one.error is not None), "")
    await transaction.distillations.save(advanced(before, newest, is_stale=is_stale, error=error))


def _result(_run: Run, counts: Counts) -> Aggregated:
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


AGENT_PLAYBOOKS = Spec(
    learner=LEARNER,
    product=MemoryKind.AGENT_PLAYBOOK,
    raises_if_all_fail=False,
    due=due_names,
    reason_to_skip=_reason_to_skip,
    nearness=_nearness,
    plan=_plan,
    conversations=_no_conversations,
    write=_write,
    rests_on=_rests_on,
    settle=settle,
    advance=_advance,
    put_off=put_off,
    result=_result,
)
