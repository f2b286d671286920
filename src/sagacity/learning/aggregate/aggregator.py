"""Playbooks of many users become playbooks for all: read → cluster → plan → write up → commit, in one transaction."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import structlog

from sagacity.config.base import ConfigStore
from sagacity.config.extractor_config import PlaybookAggregatorConfig
from sagacity.config.model_choice import Role
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.clock import Clock
from sagacity.domain.cluster import Aggregated, AggregationMode, PlaybookCluster
from sagacity.domain.cursor import Lease
from sagacity.domain.errors import ProviderError
from sagacity.domain.ids import IdSource, MemoryId, MemoryUid
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.tenant import Tenant
from sagacity.learning.aggregate.cluster import clusters
from sagacity.learning.aggregate.commit import Done, Run, Written, commit
from sagacity.learning.aggregate.draft import Material, material_of
from sagacity.learning.aggregate.lineage import Lineage, moved, trace
from sagacity.learning.aggregate.plan import Plan, Task, make_plan
from sagacity.learning.aggregate.trigger import LEARNER, aggregation_of, due_names, learner_of
from sagacity.learning.aggregate.writer import BY_MODEL, write_playbook
from sagacity.learning.ask import ModelAccess
from sagacity.learning.watch import UNWATCHED, Watch
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Storage, Transaction

_log = structlog.get_logger(__name__)
_CALLS_AT_ONCE = 4
_IN_FORCE_SHOWN = 10
_IN_FORCE_READ = 10_000
"""Of those that no cluster stands behind; a cluster's own is read in any case."""
_IDS_A_READ = 1_000
_ERRORS_TOLD = 5


@dataclass(frozen=True, slots=True)
class _Work:
    """Whose playbooks are aggregated, how, and who looks on."""

    tenant: Tenant
    config: TenantConfig
    options: PlaybookAggregatorConfig
    watch: Watch


@dataclass(frozen=True, slots=True)
class _State:
    """What a run starts from."""

    ids: Sequence[MemoryId]
    wordings: Mapping[MemoryId, str]
    vectors: Vectors
    """float32 [n, d], in the order of `ids`."""
    known: Mapping[str, PlaybookCluster]
    playbooks: Mapping[MemoryId, Memory]
    playbook_vectors: Mapping[int, Vectors]


class Aggregator:
    """Aggregates a tenant's user playbooks; one run at a time, under the tenant's lease."""

    def __init__(
        self,
        storage: Storage,
        embedder: Embedder,
        configs: ConfigStore,
        models: ModelAccess,
        *,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._storage = storage
        self._embedder = embedder
        self._configs = configs
        self._models = models
        self._clock = clock
        self._ids = ids

    async def due(self, tenant: Tenant) -> list[tuple[str, str]]:
        """Return name and agent version of the playbooks that are to be aggregated by now."""
        config = await self._configs.get(tenant)
        async with self._storage.read(tenant) as snapshot:
            return await due_names(snapshot, config)

    async def run(
        self,
        tenant: Tenant,
        name: str,
        agent_version: str,
        *,
        full: bool,
        lease: Lease,
        watch: Watch = UNWATCHED,
    ) -> Aggregated:
        """
        Aggregate the current user playbooks of one name and agent version, of all users.

        Args:
            tenant: whose.
            name: the playbooks' name, which is that of their extractor.
            agent_version: for which version of the agent.
            full: write all clusters anew, also those that did not change.
            lease: the tenant's; without it nothing is written.
            watch: who looks on.

        Raises:
            Conflict: the lease was lost; nothing was written.
            StoppedError: it was stopped; nothing was written.
            ProviderError: vectors that are needed could not be made; nothing was written.
        """
        config = await self._configs.get(tenant)
        options = aggregation_of(config, name)
        if options is None:
            return Aggregated(
                skipped_reason=f"aggregation is off for {name!r}, or there is no such extractor"
            )
        state = await self._read(tenant, name, agent_version)
        found = await asyncio.to_thread(
            clusters,
            state.vectors,
            similarity=options.clustering_similarity,
            min_size=options.min_cluster_size,
        )
        lineage = await asyncio.to_thread(_traced, state, found)
        lineage = await self._moved(tenant, state, lineage, found, options.clustering_similarity)
        plan = make_plan(lineage, state.wordings, state.known, state.playbooks, full=full)
        written = await self._write_all(_Work(tenant, config, options, watch), state, plan)
        run = Run(
            name=name,
            agent_version=agent_version,
            learner=LEARNER,
            mode=AggregationMode.FULL if full else AggregationMode.INCREMENTAL,
            seen=state.wordings,
            at=self._clock.now(),
            run_id=self._ids.new(),
        )
        vectors = await self._embed(run, written)

        async def write() -> Done:
            async with self._storage.begin(tenant) as transaction:
                await watch.check(transaction)
                return await commit(transaction, lease, run, plan, written=written, vectors=vectors)

        done = await self._storage.again(write)
        errors = [one.error for one in written if one.error]
        if errors:
            _log.warning("aggregate.clusters_failed", org_id=tenant.org_id, count=len(errors))
        return Aggregated(
            processed=len(state.ids),
            clusters=len(found),
            generated=done.generated,
            updated=done.updated,
            archived=done.archived,
            failed=len(errors),
            left=sum(one.is_left for one in written),
            errors=tuple(dict.fromkeys(errors))[:_ERRORS_TOLD],
            note=await self._models.note(tenant, config),
        )

    async def _read(self, tenant: Tenant, name: str, agent_version: str) -> _State:
        async with self._storage.read(tenant) as snapshot:
            wordings = await snapshot.clusters.candidates(name, agent_version)
            ids = list(wordings)
            stored = await _vectors_of(snapshot, MemoryKind.USER_PLAYBOOK, ids)
            missing = await _memories_of(snapshot, [one for one in ids if one not in stored])
            known = await snapshot.clusters.of(LEARNER, name, agent_version)
            playbooks = await _playbooks(snapshot, name, agent_version, known)
            playbook_vectors = await _vectors_of(snapshot, MemoryKind.AGENT_PLAYBOOK, list(playbooks))
        if missing:
            made = await self._embedder.embed([one.search_text for one in missing], background=True)
            stored |= {one.memory_id: vector for one, vector in zip(missing, made, strict=True)}
        ids = [one for one in ids if one in stored]
        rows = np.zeros((0, self._embedder.dimension), np.float32)
        return _State(
            ids=ids,
            wordings={one: wordings[one] for one in ids},
            vectors=np.stack([stored[one] for one in ids]) if ids else rows,
            known={cluster.cluster_id: cluster for cluster in known},
            playbooks=playbooks,
            playbook_vectors=playbook_vectors,
        )

    async def _moved(
        self,
        tenant: Tenant,
        state: _State,
        lineage: Lineage,
        found: Sequence[Sequence[int]],
        similarity: float,
    ) -> Lineage:
        """Match clusters whose members all came under other numbers, by what the former ones were about."""
        gone = [state.known[cluster_id] for cluster_id in lineage.vanished]
        if not gone or all(one.cluster_id is not None for one in lineage.traced):
            return lineage
        members = sorted({member for cluster in gone for member in cluster.member_ids})
        async with self._storage.read(tenant) as snapshot:
            stored = await _vectors_of(snapshot, MemoryKind.USER_PLAYBOOK, members)
        former: dict[str, Vectors] = {}
        for cluster in gone:
            rows = [stored[member] for member in cluster.member_ids if member in stored]
            made = state.playbook_vectors.get(cluster.memory_id or 0)
            if rows:
                former[cluster.cluster_id] = np.stack(rows).mean(axis=0)
            elif made is not None:  # deleted ones left no vectors
                former[cluster.cluster_id] = made
        means = [state.vectors[list(group)].mean(axis=0) for group in found]
        return await asyncio.to_thread(moved, lineage, means, former, similarity)

    async def _write_all(self, work: _Work, state: _State, plan: Plan) -> list[Written]:
        """Find words for each cluster, a few at a time; one that fails leaves the others theirs."""
        places = {memory_id: place for place, memory_id in enumerate(state.ids)}
        turn = asyncio.Semaphore(_CALLS_AT_ONCE)
        done = count(1)

        async def write(task: Task) -> Written:
            async with turn:
                written = await look(task)
                await work.watch.tell(next(done), len(plan.tasks))
                return written

        async def look(task: Task) -> Written:
            rows = state.vectors[[places[member] for member in task.members]]
            async with self._storage.read(work.tenant) as snapshot:
                await work.watch.check(snapshot)
                members = await _memories_of(snapshot, task.members)
            if len(members) < len(task.members):  # some were deleted since: the next run sees them gone
                return Written(task, is_left=True)
            material = await asyncio.to_thread(
                material_of,
                members,
                rows,
                _shown(task, plan.in_force, rows, state.playbook_vectors),
                overlap=work.options.direction_overlap_threshold,
            )
            return await self._write(work, task, material)

        ended = await asyncio.gather(*map(write, plan.tasks), return_exceptions=True)
        written = [one for one in ended if isinstance(one, Written)]
        for error in (one for one in ended if not isinstance(one, Written)):
            raise error  # once no call is under way any more
        return written

    async def _write(self, work: _Work, task: Task, material: Material) -> Written:
        """Find the words for one cluster."""
        members = material.members
        learner = learner_of(members[0].name)
        # Asked for each cluster: the spending cap may be reached on the way.
        asker = (await self._models.of(work.tenant, work.config)).asker(Role.GENERATION, learner)
        former = task.rewrites or task.in_force
        if asker is None and former is not None and former.provenance.method == BY_MODEL:
            return Written(task, is_left=True)
        context = work.config.agent_context_prompt or ""
        try:
            draft = await write_playbook(asker, material, agent_context=context, learner=learner)
        except ProviderError as error:
            return Written(task, error=str(error))
        return Written(
            task,
            draft=draft,
            members=members,
            uid=MemoryUid(self._ids.new()),
            cluster_id=self._ids.new(),
        )

    async def _embed(self, run: Run, written: Sequence[Written]) -> dict[MemoryUid, Vectors]:
        """Embed what will be stored; where the embedder fails it is stored all the same, and queued."""
        playbooks = [one.playbook(run) for one in written if one.draft is not None]
        if not playbooks:
            return {}
        try:
            vectors = await self._embedder.embed([one.search_text for one in playbooks], background=True)
        except ProviderError as error:
            _log.warning("aggregate.embedder_failed", kind=type(error).__name__)
            return {}
        return {one.uid: vector for one, vector in zip(playbooks, vectors, strict=True)}


def _traced(state: _State, found: Sequence[Sequence[int]]) -> Lineage:
    return trace(
        [[state.ids[place] for place in group] for group in found],
        {cluster_id: set(cluster.member_ids) for cluster_id, cluster in state.known.items()},
    )


def _shown(
    task: Task, in_force: Sequence[Memory], rows: Vectors, vectors: Mapping[int, Vectors]
) -> list[Memory]:
    """Return the playbooks in force that a cluster is compared with: its own, then those most like it."""
    mean = rows.mean(axis=0)

    def order(one: Memory) -> tuple[bool, float]:
        is_other = task.in_force is None or one.memory_id != task.in_force.memory_id
        near = vectors.get(one.memory_id)
        return is_other, 1.0 if near is None else -float(near @ mean)

    return sorted(in_force, key=order)[:_IN_FORCE_SHOWN]


async def _playbooks(
    snapshot: Transaction, name: str, agent_version: str, known: Sequence[PlaybookCluster]
) -> dict[MemoryId, Memory]:
    """Return current playbooks for all: those of the clusters, under whatever name, and others that are in force."""
    kind, current = MemoryKind.AGENT_PLAYBOOK, Status.CURRENT
    in_force = await snapshot.memories.list_newest(
        kind, statuses=[current], name=name, agent_version=agent_version, limit=_IN_FORCE_READ
    )
    ids = {one.memory_id for one in known if one.memory_id is not None}
    ids |= set(await snapshot.clusters.written_from([one.cluster_id for one in known]))
    own = await _memories_of(snapshot, sorted(ids - {one.memory_id for one in in_force}))
    return {one.memory_id: one for one in (*in_force, *own) if (one.kind, one.status) == (kind, current)}


async def _vectors_of(snapshot: Transaction, kind: MemoryKind, ids: Sequence[int]) -> dict[int, Vectors]:
    found: dict[int, Vectors] = {}
    for start in range(0, len(ids), _IDS_A_READ):
        found |= await snapshot.search.vector_of(kind, ids[start : start + _IDS_A_READ])
    return found


async def _memories_of(snapshot: Transaction, ids: Sequence[int]) -> list[Memory]:
    found: list[Memory] = []
    for start in range(0, len(ids), _IDS_A_READ):
        found += await snapshot.memories.get_many(ids[start : start + _IDS_A_READ])
    return found
