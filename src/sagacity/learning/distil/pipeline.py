"""Distil user playbooks by a spec: read → cluster → lineage → plan → write → commit."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

import structlog

from sagacity.config.base import ConfigStore
from sagacity.config.model_choice import Role
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import Lease
from sagacity.domain.errors import ProviderError
from sagacity.domain.ids import IdSource, MemoryUid, RunId
from sagacity.domain.memory import Memory
from sagacity.domain.quota import OVER_QUOTA
from sagacity.domain.tenant import Tenant
from sagacity.learning.distil.cluster import clusters
from sagacity.learning.distil.commit import commit
from sagacity.learning.distil.lineage import Lineage, moved, trace
from sagacity.learning.distil.read import former_means, memories_of, read_state
from sagacity.learning.distil.repeats import without_repeats
from sagacity.learning.distil.spec import (
    Counts,
    Effect,
    Material,
    Plan,
    Result,
    Run,
    Spec,
    State,
    Task,
    Written,
)
from sagacity.learning.progress import UNWATCHED, ProgressReporter
from sagacity.learning.prompt_runner import ModelGateway, PromptRunner
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Storage, Transaction

_log = structlog.get_logger(__name__)
_CALLS_AT_ONCE = 4
"""How many clusters are written up in parallel."""
_IN_FORCE_SHOWN = 10


class Distiller:
    """Distils a tenant's user playbooks by one spec; one run at a time, under the tenant's lease."""

    def __init__(
        self,
        spec: Spec,
        storage: Storage,
        embedder: Embedder,
        configs: ConfigStore,
        models: ModelGateway,
        *,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._spec = spec
        self._storage = storage
        self._embedder = embedder
        self._configs = configs
        self._models = models
        self._clock = clock
        self._ids = ids

    async def due(self, tenant: Tenant) -> list[tuple[str, str]]:
        """Return name and agent version of the playbooks that are due to be distilled, in order."""
        config = await self._configs.get(tenant)
        async with self._storage.read(tenant) as snapshot:
            return await self._spec.due(snapshot, config)

    async def put_off(self, transaction: Transaction, name: str, agent_version: str) -> None:
        """After a cancelled run, keep the next one from starting automatically at once."""
        await self._spec.put_off(transaction, name, agent_version)

    async def run(
        self,
        tenant: Tenant,
        name: str,
        agent_version: str,
        *,
        requested: bool,
        lease: Lease,
        watch: ProgressReporter = UNWATCHED,
    ) -> Result:
        """
        Distil the current user playbooks of one name and agent version, of all users.

        Args:
            tenant: the organisation.
            name: the playbooks' name, which is that of their extractor.
            agent_version: the version of the agent.
            requested: whether someone requested the run; the spec decides what that changes.
            lease: the tenant's lease; without it nothing is written.
            watch: gets the progress, and can stop the run.

        Raises:
            Conflict: the lease was lost; nothing was written.
            OperationCancelled: the run was stopped; nothing was written.
            ProviderError: missing vectors could not be made; or the model failed for every cluster, and the spec counts
                that as a failure. Nothing was written.
        """
        run = await self._run(tenant, name, agent_version, requested=requested)
        async with self._storage.read(tenant) as snapshot:
            reason = await self._spec.reason_to_skip(snapshot, run)
        if reason:
            return self._spec.result(run, Counts(skipped_reason=reason))
        near = self._spec.nearness(run)
        state = await read_state(self._storage, self._embedder, run, self._spec.product)
        gathered = await asyncio.to_thread(
            clusters,
            state.vectors,
            similarity=near.similarity,
            min_size=near.min_size,
            former=_former_rows(state),
        )
        found = [group for group in gathered if _user_count(state, group) >= near.min_users]
        lineage = await self._lineage(run, state, found, near.similarity)
        plan = await asyncio.to_thread(self._spec.plan, run, state, lineage)
        written = await self._write_all(run, state, plan, watch)
        written = await self._embedded(run, written)
        written = await asyncio.to_thread(without_repeats, written, plan.in_force, state.product_vectors)
        effects = await self._commit(run, state, plan, written, lease=lease, watch=watch)
        return self._spec.result(
            run,
            Counts(
                playbooks=len(state.ids),
                clusters=len(found),
                effects=effects,
                left=sum(one.is_left for one in written),
                errors=tuple(str(one.error) for one in written if one.error is not None),
                note=await self._models.note(tenant, run.config)
                or (OVER_QUOTA if effects[Effect.OVER_QUOTA] else ""),
            ),
        )

    async def _run(self, tenant: Tenant, name: str, agent_version: str, *, requested: bool) -> Run:
        run = Run(
            tenant=tenant,
            config=await self._configs.get(tenant),
            learner=self._spec.learner,
            name=name,
            agent_version=agent_version,
            requested=requested,
            has_model=False,
            run_id=RunId(self._ids.new()),
            at=self._clock.now(),
        )
        return replace(run, has_model=await self._prompt_runner(run) is not None)

    async def _prompt_runner(self, run: Run) -> PromptRunner | None:
        """Return the model if it may be called now; the spending cap may be reached during the run."""
        calls = await self._models.of(run.tenant, run.config)
        return calls.prompt_runner(Role.GENERATION, run.actor)

    async def _lineage(
        self, run: Run, state: State, found: Sequence[Sequence[int]], similarity: float
    ) -> Lineage:
        """Match clusters with former ones, by common members or else by topic."""
        members = [[state.ids[row] for row in group] for group in found]
        known = {cluster_id: set(cluster.member_ids) for cluster_id, cluster in state.known.items()}
        lineage = await asyncio.to_thread(trace, members, known)
        gone = [state.known[cluster_id] for cluster_id in lineage.vanished]
        if not gone or all(one.cluster_id is not None for one in lineage.traced):
            return lineage
        former = await former_means(self._storage, run.tenant, gone, state.product_vectors)
        means = [state.vectors[list(group)].mean(axis=0) for group in found]
        return await asyncio.to_thread(moved, lineage, means, former, similarity)

    async def _write_all(self, run: Run, state: State, plan: Plan, watch: ProgressReporter) -> list[Written]:
        """Write the text for each cluster, a few at a time; a failure does not affect the others."""
        rows = {memory_id: row for row, memory_id in enumerate(state.ids)}
        slots = asyncio.Semaphore(_CALLS_AT_ONCE)
        done = count(1)

        async def write(task: Task) -> Written:
            async with slots:
                vectors = state.vectors[[rows[member] for member in task.members]]
                shown = _shown(task, plan.in_force, vectors, state.product_vectors)
                written = await self._write(run, task, vectors, shown, watch)
                await watch.report(next(done), len(plan.tasks))
                return written

        ended = await asyncio.gather(*map(write, plan.tasks), return_exceptions=True)
        written = [one for one in ended if isinstance(one, Written)]
        for error in (one for one in ended if not isinstance(one, Written)):
            raise error  # after all calls have ended
        failures = [one.error for one in written if one.error is not None]
        if failures:
            _log.warning(
                "distil.clusters_failed", org_id=run.tenant.org_id, learner=run.actor, count=len(failures)
            )
            if self._spec.raises_if_all_fail and not any(one.is_settled for one in written):
                raise failures[0]
        return written

    async def _write(
        self, run: Run, task: Task, vectors: Vectors, in_force: tuple[Memory, ...], watch: ProgressReporter
    ) -> Written:
        """Write the text for one cluster."""
        cluster_id = self._ids.new() if task.cluster is None else task.cluster.cluster_id
        nothing = Written(task, MemoryUid(self._ids.new()), cluster_id)
        async with self._storage.read(run.tenant) as snapshot:
            await watch.check(snapshot)
            members = tuple(await memories_of(snapshot, task.members))
            still_current = tuple(await memories_of(snapshot, task.still_current))
            withdrawn = tuple(await memories_of(snapshot, task.withdrawn))
            conversations = await self._spec.conversations(snapshot, run, members)
        if len(members) < len(task.members):  # some were deleted since; the next run handles that
            return replace(nothing, is_left=True)
        prompt_runner = await self._prompt_runner(run)
        if prompt_runner is None and task.needs_model:
            return replace(nothing, is_left=True)
        material = Material(
            members=members,
            vectors=vectors,
            former=task.former,
            still_current=still_current,
            withdrawn=withdrawn,
            deleted_count=len(task.withdrawn) - len(withdrawn),
            in_force=in_force,
            conversations=conversations,
        )
        try:
            draft = await self._spec.write(prompt_runner, run, material)
        except ProviderError as error:
            return replace(nothing, error=error)
        return replace(nothing, draft=draft, members=members)

    async def _embedded(self, run: Run, written: Sequence[Written]) -> list[Written]:
        """Embed drafts; if the embedder fails, they are stored without vectors and queued."""
        texts = [one.draft.search_text for one in written if one.draft is not None]
        if not texts:
            return list(written)
        try:
            vectors = iter(await self._embedder.embed(texts, background=True))
        except ProviderError as error:
            _log.warning("distil.not_embedded", learner=run.actor, kind=type(error).__name__)
            return list(written)
        return [one if one.draft is None else replace(one, vector=next(vectors)) for one in written]

    async def _commit(
        self,
        run: Run,
        state: State,
        plan: Plan,
        written: Sequence[Written],
        *,
        lease: Lease,
        watch: ProgressReporter,
    ) -> Counter[Effect]:
        run = replace(run, at=self._clock.now())

        async def write() -> Counter[Effect]:
            async with self._storage.begin(run.tenant) as transaction:
                await watch.check(transaction)
                return await commit(
                    transaction, lease, self._spec, run, state=state, plan=plan, written=written
                )

        return await self._storage.retry(write)


def _former_rows(state: State) -> list[list[int]]:
    """Return the rows of the previous run's clusters whose members are still current."""
    rows = {memory_id: row for row, memory_id in enumerate(state.ids)}
    return [[rows[one] for one in cluster.member_ids if one in rows] for cluster in state.known.values()]


def _user_count(state: State, group: Sequence[int]) -> int:
    """Return the number of users of a cluster's rows."""
    return len({state.users[state.ids[row]] for row in group})


def _shown(
    task: Task, in_force: Sequence[Memory], rows: Vectors, vectors: Mapping[int, Vectors]
) -> tuple[Memory, ...]:
    """Return the memories in force that a cluster is compared with: its own first, then the most similar."""
    mean = rows.mean(axis=0)

    def order(one: Memory) -> tuple[bool, float]:
        is_other = task.replaces is None or one.memory_id != task.replaces.memory_id
        near = vectors.get(one.memory_id)
        return is_other, 1.0 if near is None else -float(near @ mean)

    return tuple(sorted(in_force, key=order)[:_IN_FORCE_SHOWN])
