"""Interactions become memories: whatever is due of a user's log is done, until nothing is."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import structlog

from sagacity.config.base import ConfigStore
from sagacity.config.tenant_config import TenantConfig
from sagacity.dispatch.lease import hold
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import LEARNING, REGENERATING, Lease
from sagacity.domain.errors import ConfigError, Conflict, ProviderError
from sagacity.domain.ids import IdSource, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.tenant import Tenant
from sagacity.learning.apply import Applied
from sagacity.learning.ask import Calls, ModelAccess
from sagacity.learning.bookkeeping import record
from sagacity.learning.distil.agent_playbooks.trigger import note_playbooks
from sagacity.learning.evaluate.pipeline import Evaluator
from sagacity.learning.learners import Groups, LearnerGroup, learner_groups
from sagacity.learning.reading import Reading, taught_playbooks
from sagacity.learning.regenerate import Regeneration, RegenerationPolicy
from sagacity.learning.steps import Steps, Target, read_tasks, told
from sagacity.learning.window import Due, due_now, next_look, read_log_state
from sagacity.providers.base import Embedder
from sagacity.storage.transaction import Storage, Transaction

_log = structlog.get_logger(__name__)
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
    slice_seconds: float = 20.0
    """How long one user is learned at a time while others may wait; what is left stays due, behind theirs."""


@dataclass(slots=True)
class LearnReport:
    """What one run did for one user."""

    added: dict[MemoryKind, int] = field(default_factory=dict[MemoryKind, int])
    updated: dict[MemoryKind, int] = field(default_factory=dict[MemoryKind, int])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """Learners whose last try failed, with the error."""
    busy: bool = False
    """Whether another worker held some of the work."""
    note: str = ""
    """Why rules learned although a model is configured."""

    def count(self, kind: MemoryKind, applied: Applied) -> None:
        """Add what one step changed."""
        self.added[kind] = self.added.get(kind, 0) + applied.added_count
        self.updated[kind] = self.updated.get(kind, 0) + applied.updated_count


@dataclass(frozen=True, slots=True)
class _Work:
    """One kind of memory to be learned of one user's log."""

    target: Target
    config: TenantConfig
    report: LearnReport
    force: bool
    by_rules: bool = False
    """Whether no model is called although one is configured."""

    @property
    def group(self) -> LearnerGroup:
        return self.target.group


@dataclass(frozen=True, slots=True)
class _Plan:
    """The tenant's configuration as it was when a run began, and the learners that it asks for."""

    config: TenantConfig
    groups: Sequence[LearnerGroup]


class Learning:
    """Runs a tenant's learners over its users' logs. A step that runs twice changes nothing the second time."""

    def __init__(
        self,
        storage: Storage,
        embedder: Embedder,
        configs: ConfigStore,
        access: ModelAccess,
        policy: LearningPolicy,
        *,
        evaluator: Evaluator,
        clock: Clock,
        ids: IdSource,
        groups: Groups = learner_groups,
    ) -> None:
        self._storage = storage
        self._configs = configs
        self._access = access
        self._groups = groups
        self._policy = policy
        self._evaluator = evaluator
        self._clock = clock
        self._ids = ids
        self._steps = Steps(storage, embedder, clock=clock, ids=ids)
        self._regeneration = Regeneration(
            storage,
            self._steps,
            configs,
            access,
            RegenerationPolicy(retry=policy.retry, lease_seconds=policy.lease_seconds),
            groups=groups,
            clock=clock,
            ids=ids,
        )
        self._owner = ids.new()
        self._waiting = asyncio.Semaphore(policy.waiting_count)

    async def learners(self, tenant: Tenant) -> list[str]:
        """Return the names of the tenant's learners."""
        groups = self._groups(await self._configs.get(tenant), Calls())
        return [learner.name for group in groups for learner in group.learners]

    async def run(
        self, tenant: Tenant, user_id: UserId, *, force: bool = False, wait: bool = False
    ) -> LearnReport:
        """
        Do whatever is due of one user's log, and say when it has to be looked at next.

        That is: what no learner has read yet, the user's part of operations, sessions to evaluate. A long piece of work
        is left after a while, so that the next user has a turn, and goes on from there.

        Args:
            tenant: whose log.
            user_id: whose log.
            force: read also what is short of a full step.
            wait: somebody waits: learn to the end, where another worker holds the log after it, and leave the rest.
        """
        report = LearnReport()
        async with self._waiting if wait else nullcontext():
            plan = await self._learn_due(tenant, user_id, report, force=force, wait=wait)
            if plan is None:
                return report
            if not wait:
                await self._do_the_rest(tenant, user_id, plan, report)
            await self._settle(tenant, user_id, plan, report)
        return report

    async def _do_the_rest(self, tenant: Tenant, user_id: UserId, plan: _Plan, report: LearnReport) -> None:
        """Do the user's part of operations and evaluate sessions, as far as that is due."""
        until = time.monotonic() + self._policy.slice_seconds
        await self._under_lease(
            tenant,
            f"{REGENERATING}{user_id}",
            lambda: self._regeneration.is_due(tenant, user_id),
            lambda lease: self._regeneration.run(tenant, user_id, lease, until=until),
            report,
        )
        await self._under_lease(
            tenant,
            f"evaluate:{user_id}",
            lambda: self._is_evaluation_due(tenant, user_id, plan),
            lambda lease: self._evaluator.run(tenant, user_id, lease),
            report,
        )

    async def _learn_due(
        self, tenant: Tenant, user_id: UserId, report: LearnReport, *, force: bool, wait: bool
    ) -> _Plan | None:
        """Learn what is due; returns by what, or None where the configuration gives none."""
        try:
            config = await self._configs.get(tenant)
            calls = await self._access.of(tenant, config, user_id)
            groups = self._groups(config, calls)
        except (ConfigError, ProviderError) as error:
            await self._postpone(tenant, user_id, error, report)
            return None
        report.note = calls.note
        work = [
            _Work(Target(tenant, user_id, group), config, report, force, by_rules=bool(calls.note))
            for group in groups
        ]
        until = None if wait else time.monotonic() + self._policy.slice_seconds
        await self._under_lease(
            tenant,
            f"{LEARNING}{user_id}",
            lambda: self._is_due(work),
            lambda lease: self._learn_all(work, lease, until),
            report,
            wait=wait,
        )
        return _Plan(config, groups)

    async def _under_lease(
        self,
        tenant: Tenant,
        name: str,
        is_due: Callable[[], Awaitable[bool]],
        work: Callable[[Lease], Awaitable[object]],
        report: LearnReport,
        *,
        wait: bool = False,
    ) -> None:
        """Do *work* if it is due and no other worker does it; with *wait*, after the other one."""
        pause_seconds = _POLL_SECONDS
        while await is_due():
            # One owner a run, so that two runs of this process exclude each other too.
            owner, seconds = f"{self._owner}:{self._ids.new()}", self._policy.lease_seconds
            try:
                async with hold(self._storage, tenant, name, owner, seconds=seconds) as lease:
                    if lease is not None:
                        await work(lease)
                        return
            except Conflict:
                _log.warning("learn.lease_lost")  # another worker has it now, as if it had come first
            if not wait:
                report.busy = True
                return
            await asyncio.sleep(pause_seconds)
            pause_seconds = min(2 * pause_seconds, _LONGEST_POLL_SECONDS)

    async def _is_due(self, work: Sequence[_Work]) -> bool:
        if not work:
            return False
        async with self._storage.read(work[0].target.tenant) as snapshot:
            return any([await self._due(snapshot, one) for one in work])

    async def _is_evaluation_due(self, tenant: Tenant, user_id: UserId, plan: _Plan) -> bool:
        async with self._storage.read(tenant) as snapshot:
            due_at = await self._evaluator.next_due(snapshot, user_id, plan.config)
        return due_at is not None and due_at <= self._clock.now()

    async def _learn_all(self, work: Sequence[_Work], lease: Lease, until: float | None) -> None:
        """Learn all kinds side by side; the failure of one leaves the others their time."""
        ended = await asyncio.gather(
            *(self._learn(one, lease, until) for one in work), return_exceptions=True
        )
        for error in filter(None, ended):
            raise error

    async def _learn(self, work: _Work, lease: Lease, until: float | None) -> None:
        """Learn one kind, window by window, until nothing is due or the time is up."""
        started = time.perf_counter()
        while await self._step(work, lease):
            await self._storage.give_way(time.perf_counter() - started)
            started = time.perf_counter()
            if until is not None and time.monotonic() > until:
                return
            work = await self._affordable(work)

    async def _affordable(self, work: _Work) -> _Work:
        """Return *work* as it is, or by rules where the tenant has spent meanwhile what it wants to spend."""
        target = work.target
        note = "" if work.by_rules else await self._access.note(target.tenant, work.config)
        if not note:
            return work
        work.report.note = note
        groups = self._groups(work.config, Calls(note=note))
        [group] = [one for one in groups if one.kind is work.group.kind]
        return replace(work, target=replace(target, group=group), by_rules=True)

    async def _step(self, work: _Work, lease: Lease) -> bool:
        """Read one window for each learner that has one due; returns whether there was any."""
        async with self._storage.read(work.target.tenant) as snapshot:
            due = await self._due(snapshot, work)
            tasks = await read_tasks(snapshot, work.target.user_id, due)
        if not tasks:
            return False

        async def finish(transaction: Transaction, readings: Sequence[Reading], applied: Applied) -> None:
            for reading in readings:
                await record(transaction, reading, self._policy.retry, self._clock)
            await note_playbooks(transaction, work.config, taught_playbooks(readings, applied))

        applied, readings = await self._steps.take(work.target, tasks, lease, finish)
        work.report.count(work.group.kind, applied)
        work.report.failed |= {
            reading.due.learner.name: told(reading.error) for reading in readings if reading.error is not None
        }
        return True

    async def _due(self, snapshot: Transaction, work: _Work) -> list[Due]:
        now = self._clock.now()
        state = await read_log_state(snapshot, work.target.user_id)
        flush = work.force or state.is_quiet(now, self._policy.quiet_seconds)
        found: list[Due] = []
        for learner in work.group.learners:
            behind = state.cursor(learner.name).seq
            matters = not flush or work.group.gate is not None
            forced = (
                matters
                and behind < state.head.end
                and await snapshot.cursors.forced_after(state.user_id, behind)
            )
            due = due_now(learner, state, now, flush=flush or forced)
            if due is not None:
                found.append(replace(due, is_forced=forced or work.force))
        return found

    async def _postpone(
        self, tenant: Tenant, user_id: UserId, error: ConfigError | ProviderError, report: LearnReport
    ) -> None:
        """Leave a log whose tenant's configuration gives no learners, so that others have their turn."""
        report.failed["configuration"] = reason = told(error)
        _log.warning("learn.misconfigured", org_id=tenant.org_id, kind=type(error).__name__)
        later = self._clock.now() + timedelta(seconds=_MISCONFIGURED_RETRY_SECONDS)
        async with self._storage.begin(tenant) as transaction:
            await transaction.operations.hold_up(user_id, until=later, error=reason)
            await transaction.cursors.set_due(user_id, later)

    async def _settle(self, tenant: Tenant, user_id: UserId, plan: _Plan, report: LearnReport) -> None:
        """Say when the log has to be looked at next; news that came meanwhile keep it due."""
        now = self._clock.now()
        async with self._storage.read(tenant) as snapshot:
            state = await read_log_state(snapshot, user_id)
            learners = tuple(learner for group in plan.groups for learner in group.learners)
            moments: list[datetime | None] = [
                next_look(learners, state, now, self._policy.quiet_seconds),
                await self._regeneration.next_try(snapshot, user_id),
                await self._evaluator.next_due(snapshot, user_id, plan.config),
            ]
        look_at = min(filter(None, moments), default=None)
        if report.busy:
            busy_until = now + timedelta(seconds=_BUSY_RETRY_SECONDS)
            look_at = busy_until if look_at is None else max(look_at, busy_until)
        if look_at != state.head.due_at:
            async with self._storage.begin(tenant) as transaction:
                await transaction.cursors.set_due(user_id, look_at, head=state.head)
