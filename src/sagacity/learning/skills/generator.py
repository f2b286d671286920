"""Skills from user playbooks: skip? → cluster → which changed → write → commit."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import structlog

from sagacity.config.base import ConfigStore
from sagacity.config.model_choice import Role
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.clock import Clock
from sagacity.domain.cluster import SkillsMade
from sagacity.domain.cursor import Lease
from sagacity.domain.errors import ProviderError
from sagacity.domain.ids import IdSource, MemoryUid, RunId
from sagacity.domain.tenant import Tenant
from sagacity.learning.ask import Asker, ModelAccess
from sagacity.learning.skills import plan
from sagacity.learning.skills.commit import Run, Written, commit
from sagacity.learning.skills.cooldown import last_run, note_run
from sagacity.learning.skills.draft import Draft, Material
from sagacity.learning.skills.material import conversations_of
from sagacity.learning.skills.survey import LEARNER, Job, Looking, embedded, read_rows, survey
from sagacity.learning.skills.trigger import bookmark, due_names
from sagacity.learning.skills.writer import write_skill
from sagacity.learning.watch import UNWATCHED, Watch
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Storage

_log = structlog.get_logger(__name__)
_AT_ONCE = 4
"""Clusters that are written up side by side."""


@dataclass(frozen=True, slots=True)
class _Scribe:
    """For whom skills are written, and by whom."""

    tenant: Tenant
    config: TenantConfig
    name: str
    learner: str
    has_model: bool
    watch: Watch


class SkillGenerator:
    """Writes what users taught about one kind of task as a skill. A run that is done twice changes nothing."""

    def __init__(
        self,
        storage: Storage,
        embedder: Embedder,
        configs: ConfigStore,
        access: ModelAccess,
        *,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._storage = storage
        self._embedder = embedder
        self._configs = configs
        self._access = access
        self._clock = clock
        self._ids = ids

    async def due(self, tenant: Tenant) -> list[tuple[str, str]]:
        """Return name and agent version of the playbooks that were aggregated, and of which skills are wanted since."""
        config = await self._configs.get(tenant)
        async with self._storage.read(tenant) as snapshot:
            return await due_names(snapshot, config)

    async def after_aggregation(
        self, tenant: Tenant, name: str, agent_version: str, *, lease: Lease
    ) -> SkillsMade:
        """
        Generate by itself, where the tenant wants that after an aggregation and the cooldown is over; see `run`.

        A model that fails does not undo the aggregation: the result says so, and the next one tries again.

        Raises:
            Conflict: the lease was lost; nothing was written.
        """
        options = plan.options_of(await self._configs.get(tenant), name)
        if not options.auto_generate_on_aggregation:
            return SkillsMade(skipped_reason="auto_generate_on_aggregation is off for these playbooks")
        try:
            return await self.run(tenant, name, agent_version, rerun=False, lease=lease)
        except ProviderError as error:
            return SkillsMade(skipped_reason=f"nothing could be written ({type(error).__name__})")

    async def run(
        self,
        tenant: Tenant,
        name: str,
        agent_version: str,
        *,
        rerun: bool,
        lease: Lease,
        watch: Watch = UNWATCHED,
    ) -> SkillsMade:
        """
        Write the skills that the user playbooks of one name and agent version give, and those that changed anew.

        Args:
            tenant: whose playbooks.
            name: of the playbooks.
            agent_version: for which they hold.
            rerun: someone asked for it: neither the switch nor the cooldown counts then.
            lease: checked by the transaction that writes.
            watch: who looks on.

        Raises:
            Conflict: the lease was lost; nothing was written.
            StoppedError: it was stopped; nothing was written.
            ProviderError: the model failed for every cluster, or the embedder; nothing was written.
        """
        config = await self._configs.get(tenant)
        options, now = plan.options_of(config, name), self._clock.now()
        async with self._storage.read(tenant) as snapshot:
            last = await last_run(snapshot, name, agent_version)
            done = await bookmark(snapshot, name, agent_version)
        if reason := plan.reason_to_skip(options, last, rerun=rerun, now=now):
            return SkillsMade(skipped_reason=reason)
        calls = await self._access.of(tenant, config)
        learner = f"{LEARNER}:{name}"
        has_model = calls.asker(Role.GENERATION, learner) is not None
        looking = Looking(name, agent_version, rerun=rerun, has_model=has_model, now=now)
        async with self._storage.read(tenant) as snapshot:
            rows = await read_rows(snapshot, looking)
        rows = await embedded(rows, self._embedder)
        found = await survey(rows, config, looking, self._ids.new)
        scribe = _Scribe(tenant, config, name, learner, has_model=has_model, watch=watch)
        drafts, failures = await self._write_all(scribe, found.jobs, options.max_interactions_per_skill)
        unwritten = len(found.jobs) - len(drafts)
        written = await self._embedded(drafts)
        run = Run(RunId(self._ids.new()), learner, now)

        async def write() -> SkillsMade:
            async with self._storage.begin(tenant) as transaction:
                await watch.check(transaction)
                await transaction.leases.check(lease)
                await transaction.cursors.save(done)
                made = await commit(transaction, run, written, found.unchanged)
                is_left = bool(unwritten or made.left)
                await note_run(transaction, name, agent_version, rerun=rerun, is_left=is_left)
                return made

        made = await self._storage.again(write)
        said = {"note": calls.note, "least_count": options.min_feedback_per_cluster}
        left = {"failed": len(failures), "left": made.left + unwritten - len(failures)}
        counts = {
            "playbook_count": found.playbook_count,
            "cluster_count": len(found.jobs) + len(found.unchanged),
        }
        return made.model_copy(update=said | left | counts)

    async def _write_all(
        self, scribe: _Scribe, jobs: Sequence[Job], limit: int
    ) -> tuple[list[tuple[Job, Draft | None]], list[ProviderError]]:
        """
        Write up clusters, a few side by side; one that fails is left for the next time.

        Raises:
            ProviderError: all of them failed.
            StoppedError: it was stopped.
        """
        gate = asyncio.Semaphore(_AT_ONCE)
        drafts: list[tuple[Job, Draft | None]] = []
        failures: list[ProviderError] = []
        done = count(1)

        async def write(job: Job) -> None:
            async with gate:
                try:
                    asker = await self._asker(scribe)
                    if asker is not None or not scribe.has_model:  # else the money is gone: the next time
                        drafts.append((job, await self._draft(scribe, job, asker, limit)))
                except ProviderError as error:
                    _log.warning("skills.not_written", learner=scribe.learner, kind=type(error).__name__)
                    failures.append(error)
                await scribe.watch.tell(next(done), len(jobs))

        ended = await asyncio.gather(*(write(job) for job in jobs), return_exceptions=True)
        for error in filter(None, ended):
            raise error  # once no call is under way any more
        if failures and not drafts:
            raise failures[0]
        drafts.sort(key=lambda one: one[0].cluster.member_ids)  # in the same order each time
        return drafts, failures

    async def _asker(self, scribe: _Scribe) -> Asker | None:
        """Return the model as far as it may be asked now: others spend at the same time."""
        if not scribe.has_model:
            return None
        calls = await self._access.of(scribe.tenant, scribe.config)
        return calls.asker(Role.GENERATION, scribe.learner)

    async def _draft(self, scribe: _Scribe, job: Job, asker: Asker | None, limit: int) -> Draft | None:
        async with self._storage.read(scribe.tenant) as snapshot:
            await scribe.watch.check(snapshot)
            turns = await conversations_of(snapshot, job.members, limit=limit)
        material = Material(playbooks=job.members, conversations=turns, former=job.former)
        return await write_skill(
            asker, material, config=scribe.config, playbook_name=scribe.name, learner=scribe.learner
        )

    async def _embedded(self, drafts: Sequence[tuple[Job, Draft | None]]) -> list[Written]:
        """Give drafts their vectors; where the embedder fails they are stored all the same, and queued."""
        texts = ["" if draft is None else plan.search_text(draft) for _, draft in drafts]
        try:
            vectors: Sequence[Vectors | None] = list(await self._embedder.embed(texts, background=True))
        except ProviderError as error:
            _log.warning("skills.not_embedded", kind=type(error).__name__)
            vectors = [None] * len(texts)
        return [
            Written(job, draft, MemoryUid(self._ids.new()), vector)
            for (job, draft), vector in zip(drafts, vectors, strict=True)
        ]
