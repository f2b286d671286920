"""Interactions become memories: window → gate → extract → deduplicate → apply, until nothing is due."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from sagacity.config.base import ConfigStore
from sagacity.dispatch.lease import hold
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.change import Candidate
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import Cursor, DeadLetterStatus, Lease, Outcome, Window
from sagacity.domain.errors import (
    ConfigError,
    Conflict,
    ProviderError,
    SagacityError,
    StorageError,
)
from sagacity.domain.ids import IdSource, InteractionId, RunId, UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.tenant import Tenant
from sagacity.learning.apply import Applied, Proposal, apply, search_text
from sagacity.learning.deduplicate import Embedded, deduplicate
from sagacity.learning.gate import worth_reading
from sagacity.learning.learners import Groups, LearnerGroup, Models, learner_groups
from sagacity.learning.neighbours import find_neighbours
from sagacity.learning.reading import Reading, failed, provenance_of, version_of
from sagacity.learning.window import Due, due_now, next_look, read_log_state, read_window
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Storage, Transaction

_log = structlog.get_logger(__name__)
_KNOWN_MEMORIES = 30
_BUSY_RETRY_SECONDS = 5.0
_MISCONFIGURED_RETRY_SECONDS = 60.0
_POLL_SECONDS, _LONGEST_POLL_SECONDS = 0.05, 1.0


@dataclass(frozen=True, slots=True)
class LearningPolicy:
    """How patiently the log is learned."""

    retry: RetryPolicy
    quiet_seconds: float
    lease_seconds: float
    waiting_count: int = 4
    """Runs of this process that somebody waits for, side by side; more of them wait for their turn."""


@dataclass(slots=True)
class LearnReport:
    """What one run did for one user."""

    added: dict[MemoryKind, int] = field(default_factory=dict[MemoryKind, int])
    updated: dict[MemoryKind, int] = field(default_factory=dict[MemoryKind, int])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """Learners whose last try failed, with the error."""
    busy: bool = False
    """Whether another worker held some of the work."""

    def count(self, kind: MemoryKind, applied: Applied) -> None:
        """Add what one step changed."""
        self.added[kind] = self.added.get(kind, 0) + applied.added_count
        self.updated[kind] = self.updated.get(kind, 0) + applied.updated_count


@dataclass(frozen=True, slots=True)
class _Work:
    """One kind of memory to be learned of one user's log."""

    tenant: Tenant
    user_id: UserId
    group: LearnerGroup
    report: LearnReport
    force: bool


class Learning:
    """Runs a tenant's learners over its users' logs. A step that runs twice changes nothing the second time."""

    def __init__(
        self,
        storage: Storage,
        embedder: Embedder,
        configs: ConfigStore,
        models: Models,
        policy: LearningPolicy,
        *,
        clock: Clock,
        ids: IdSource,
        groups: Groups = learner_groups,
    ) -> None:
        self._storage = storage
        self._embedder = embedder
        self._configs = configs
        self._models = models
        self._groups = groups
        self._policy = policy
        self._clock = clock
        self._ids = ids
        self._owner = ids.new()
        self._waiting = asyncio.Semaphore(policy.waiting_count)

    async def learners(self, tenant: Tenant) -> list[str]:
        """Return the names of the tenant's learners."""
        groups = self._groups(await self._configs.get(tenant), self._models)
        return [learner.name for group in groups for learner in group.learners]

    async def run(
        self, tenant: Tenant, user_id: UserId, *, force: bool = False, wait: bool = False
    ) -> LearnReport:
        """
        Learn all that is due of one user's log, and say when it has to be looked at next.

        Args:
            tenant: whose log.
            user_id: whose log.
            force: read also what is short of a full step.
            wait: where another worker holds the log, wait for it rather than leave the work to it.
        """
        async with self._waiting if wait else nullcontext():
            return await self._run(tenant, user_id, force=force, wait=wait)

    async def _run(self, tenant: Tenant, user_id: UserId, *, force: bool, wait: bool) -> LearnReport:
        report = LearnReport()
        try:
            groups = self._groups(await self._configs.get(tenant), self._models)
        except (ConfigError, ProviderError) as error:
            await self._postpone(tenant, user_id, error, report)
            return report
        work = [_Work(tenant, user_id, group, report, force) for group in groups]
        pause_seconds = _POLL_SECONDS
        while await self._is_due(work):
            # One owner a run, so that two runs of this process exclude each other too.
            owner, seconds = f"{self._owner}:{self._ids.new()}", self._policy.lease_seconds
            try:
                async with hold(self._storage, tenant, f"learn:{user_id}", owner, seconds=seconds) as lease:
                    if lease is not None:
                        await self._learn_all(work, lease)
                        break
            except Conflict:
                _log.warning("learn.lease_lost")  # another worker has it now, as if it had come first
            if not wait:
                report.busy = True
                break
            await asyncio.sleep(pause_seconds)
            pause_seconds = min(2 * pause_seconds, _LONGEST_POLL_SECONDS)
        await self._settle(tenant, user_id, groups, report)
        return report

    async def _is_due(self, work: Sequence[_Work]) -> bool:
        if not work:
            return False
        async with self._storage.read(work[0].tenant) as snapshot:
            return any([await self._due(snapshot, one) for one in work])

    async def _learn_all(self, work: Sequence[_Work], lease: Lease) -> None:
        """Learn all kinds side by side; the failure of one leaves the others their time."""
        ended = await asyncio.gather(*(self._learn(one, lease) for one in work), return_exceptions=True)
        for error in filter(None, ended):
            raise error

    async def _learn(self, work: _Work, lease: Lease) -> None:
        """Learn one kind, window by window, until nothing is due."""
        started = time.perf_counter()
        while await self._step(work, lease):
            await self._storage.give_way(time.perf_counter() - started)
            started = time.perf_counter()

    async def _step(self, work: _Work, lease: Lease) -> bool:
        """Read one window for each learner that has one due; returns whether there was any."""
        async with self._storage.read(work.tenant) as snapshot:
            due = await self._due(snapshot, work)
            if not due:
                return False
            windows = [await read_window(snapshot, work.user_id, one) for one in due]
            known = await self._known(snapshot, work)
        reads = await asyncio.gather(
            *(self._read(work.group, one, window, known) for one, window in zip(due, windows, strict=True))
        )
        turns = {turn.interaction_id: turn for window in windows for turn in window.interactions}
        try:
            proposals = await self._decide(work, reads)
            # A commit that came through although nobody heard of it is a Conflict the next time.
            await self._storage.again(lambda: self._commit(work, lease, reads, proposals, turns))
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001  recorded as the window's failure: none may block the queue
            await self._commit(work, lease, [failed(read, error) for read in reads], [], turns)
        return True

    async def _known(self, snapshot: Transaction, work: _Work) -> list[str]:
        memories = await snapshot.memories.list_newest(
            work.group.kind,
            user_id=work.user_id,
            statuses=[Status.CURRENT],
            valid_at=self._clock.now(),
            limit=_KNOWN_MEMORIES,
        )
        return [memory.content for memory in memories]

    async def _due(self, snapshot: Transaction, work: _Work) -> list[Due]:
        now = self._clock.now()
        state = await read_log_state(snapshot, work.user_id)
        flush = work.force or state.is_quiet(now, self._policy.quiet_seconds)
        found: list[Due] = []
        for learner in work.group.learners:
            behind = state.cursor(learner.name).seq
            asked = flush or (
                behind < state.head.end and await snapshot.cursors.forced_after(state.user_id, behind)
            )
            due = due_now(learner, state, now, flush=asked)
            if due is not None:
                found.append(due)
        return found

    async def _read(self, group: LearnerGroup, due: Due, window: Window, known: Sequence[str]) -> Reading:
        if not window.unread or not worth_reading(window):
            return Reading(due, window, Outcome.NOTHING)
        try:
            if group.gate is not None and not await group.gate.worth_reading(window):
                return Reading(due, window, Outcome.GATED)
            extraction = await due.learner.extractor.extract(window, known)
        except Exception as error:  # noqa: BLE001  one learner's failure is recorded and stops no other
            return Reading(due, window, Outcome.FAILED, error=error)
        outcome = Outcome.LEARNED if extraction.candidates else Outcome.NOTHING
        return Reading(due, window, outcome, extraction=extraction)

    async def _decide(self, work: _Work, reads: Sequence[Reading]) -> list[Proposal]:
        """Embed the candidates, look for what resembles them, and decide."""
        proposed = [
            (read, candidate)
            for read in reads
            if read.extraction is not None
            for candidate in read.extraction.candidates
        ]
        if not proposed:
            return []
        vectors = await self._vectors([candidate for _, candidate in proposed])
        embedded = [
            Embedded(candidate, vector, agent_version=version_of(read, candidate))
            for (read, candidate), vector in zip(proposed, vectors, strict=True)
        ]
        group = work.group
        async with self._storage.read(work.tenant) as snapshot:
            neighbours = await find_neighbours(
                snapshot, work.user_id, group.kind, embedded, limit=group.neighbour_count
            )
        decisions = await deduplicate(embedded, neighbours, judge=group.judge)
        run_id = RunId(self._ids.new())
        return [
            Proposal(
                decision=decision,
                extractor_name=read.due.learner.extractor_name,
                provenance=provenance_of(read, run_id),
                vector=one.vector if search_text(decision.candidate) == search_text(one.candidate) else None,
            )
            for (read, _), decision, one in zip(proposed, decisions, embedded, strict=True)
        ]

    async def _vectors(self, candidates: Sequence[Candidate]) -> Sequence[Vectors | None]:
        """Embed what will be stored; where the embedder fails it is stored all the same, and queued."""
        texts = [search_text(candidate) for candidate in candidates]
        try:
            return list(await self._embedder.embed(texts, background=True))
        except ProviderError as error:
            _log.warning("learn.embedder_failed", kind=type(error).__name__)
            return [None] * len(texts)

    async def _commit(
        self,
        work: _Work,
        lease: Lease,
        reads: Sequence[Reading],
        proposals: Sequence[Proposal],
        turns: dict[InteractionId, Interaction],
    ) -> None:
        """Write what was decided and move the cursors, together or not at all."""
        run_id = proposals[0].provenance.run_id if proposals else None
        applied = Applied()
        async with self._storage.begin(work.tenant) as transaction:
            await transaction.leases.check(lease)
            if proposals:
                applied = await apply(
                    transaction,
                    work.user_id,
                    proposals,
                    turns,
                    run_id=run_id or RunId(self._ids.new()),
                    clock=self._clock,
                    ids=self._ids,
                )
            for read in reads:
                await self._advance(transaction, read, work.report)
        work.report.count(work.group.kind, applied)

    async def _advance(self, transaction: Transaction, read: Reading, report: LearnReport) -> None:
        due, learner = read.due, read.due.learner.name
        attempts = due.attempts + 1
        parked = False
        next_try = None
        if read.error is not None:
            report.failed[learner] = _told(read.error)
            _log.warning("learn.failed", learner=learner, kind=type(read.error).__name__, attempts=attempts)
            next_try = self._policy.retry.next_try(attempts, self._clock.now())
            parked = next_try is None or due.dead_letter_id is not None
        if parked and read.error is not None:
            await transaction.dead_letters.add(
                learner,
                read.window,
                attempts=attempts,
                error_kind=type(read.error).__name__,
                error=_told(read.error),
            )
        elif due.dead_letter_id is not None:
            await transaction.dead_letters.mark(
                due.dead_letter_id, DeadLetterStatus.REPLAYED, was=DeadLetterStatus.QUEUED
            )
        if due.dead_letter_id is not None:
            return
        waiting = read.error is not None and not parked
        await transaction.cursors.save(
            Cursor(
                learner=learner,
                user_id=read.window.user_id,
                seq=due.first_seq - 1 if waiting else due.last_seq,
                outcome=Outcome.PARKED if parked else read.outcome,
                attempts=attempts if waiting else 0,
                error=report.failed.get(learner, "") if read.error is not None else "",
                next_try_at=next_try if waiting else None,
            ),
            read=Cursor(
                learner=learner, user_id=read.window.user_id, seq=due.first_seq - 1, attempts=due.attempts
            ),
        )

    async def _postpone(
        self, tenant: Tenant, user_id: UserId, error: ConfigError | ProviderError, report: LearnReport
    ) -> None:
        """Leave a log whose tenant's configuration gives no learners, so that others have their turn."""
        report.failed["configuration"] = _told(error)
        _log.warning("learn.misconfigured", org_id=tenant.org_id, kind=type(error).__name__)
        later = self._clock.now() + timedelta(seconds=_MISCONFIGURED_RETRY_SECONDS)
        async with self._storage.begin(tenant) as transaction:
            await transaction.cursors.set_due(user_id, later)

    async def _settle(
        self, tenant: Tenant, user_id: UserId, groups: Sequence[LearnerGroup], report: LearnReport
    ) -> None:
        """Say when the log has to be looked at next; news that came meanwhile keep it due."""
        now = self._clock.now()
        async with self._storage.read(tenant) as snapshot:
            state = await read_log_state(snapshot, user_id)
        learners = tuple(learner for group in groups for learner in group.learners)
        look_at = next_look(learners, state, now, self._policy.quiet_seconds)
        if report.busy:
            busy_until = now + timedelta(seconds=_BUSY_RETRY_SECONDS)
            look_at = busy_until if look_at is None else max(look_at, busy_until)
        if look_at != state.head.due_at:
            async with self._storage.begin(tenant) as transaction:
                await transaction.cursors.set_due(user_id, look_at, head=state.head)


def _told(error: BaseException) -> str:
    """Return what a person may read of an error: our own words, or only the kind of one that was not foreseen."""
    if isinstance(error, SagacityError) and not isinstance(error, StorageError):
        return str(error)
    return f"internal error ({type(error).__name__}); see the server's log"
