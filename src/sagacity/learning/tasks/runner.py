"""Run the due tasks of a scope, each under its lease, and set when the scope is due next."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta

import structlog

from sagacity.dispatch.lease import acquire_lease
from sagacity.domain.cursor import LogHead
from sagacity.domain.errors import ConfigError, Conflict, ProviderError, StorageUnavailable
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import DueScope, Tenant
from sagacity.learning.tasks.base import Look, Subject, Task, TaskReport, TaskScope, first_of
from sagacity.learning.tasks.failure import readable
from sagacity.learning.tasks.parts import TaskParts
from sagacity.observability.tracing import span
from sagacity.storage.transaction import Storage, Transaction

_log = structlog.get_logger(__name__)
_BUSY_RETRY_SECONDS = 5.0
_FAILED_RETRY_SECONDS = 60.0
_POLL_SECONDS, _LONGEST_POLL_SECONDS = 0.05, 1.0


class TaskRunner:
    """Runs tasks. Two runs of the same task and scope exclude each other, in any process."""

    def __init__(self, parts: TaskParts, tasks: Sequence[Task]) -> None:
        self._storage: Storage = parts.storage
        self._configs = parts.configs
        self._models = parts.models
        self._policy = parts.policy
        self._groups = parts.groups
        self._clock = parts.clock
        self._ids = parts.ids
        self._tasks = tasks
        self._owner = parts.ids.new()
        self._waiting = asyncio.Semaphore(parts.policy.waiting_count)

    async def run(self, scope: DueScope) -> TaskReport:
        """Do the due work of a scope."""
        return await self._run(scope, self._of(scope), force=False, wait=False)

    async def work(self, scope: DueScope) -> int | None:
        """Do the due work of a scope; returns how many more turns it needs until there is work, None if not known."""
        return (await self.run(scope)).turns_left

    async def run_now(self, tenant: Tenant, user_id: UserId, name: str, *, force: bool = False) -> TaskReport:
        """
        Run one task to its end for somebody who waits; if another worker is running it, after that.

        Args:
            tenant: the organisation.
            user_id: the user.
            name: the name of the task.
            force: also process turns short of a full step.
        """
        scope = DueScope(tenant=tenant, user_id=user_id)
        tasks = [task for task in self._of(scope) if task.name == name]
        return await self._run(scope, tasks, force=force, wait=True)

    def _of(self, scope: DueScope) -> list[Task]:
        wanted = TaskScope.ORGANISATION if scope.user_id is None else TaskScope.USER
        return [task for task in self._tasks if task.scope is wanted]

    async def _run(self, scope: DueScope, tasks: Sequence[Task], *, force: bool, wait: bool) -> TaskReport:
        report = TaskReport()
        async with self._waiting if wait else nullcontext():
            try:
                subject = await self._subject(scope, force=force)
            except (ConfigError, ProviderError) as error:
                await self._postpone(scope, error, report)
                return report
            report.note = subject.calls.note
            look = await self._look(subject)
            for task in tasks if look.first.is_due else ():
                try:
                    await self._run_one(task, subject, report, wait=wait)
                except StorageUnavailable:
                    raise
                except Exception as error:  # noqa: BLE001  one task's failure stops no other
                    await self._failed(task, subject, error, report)
            await self._settle(subject, report, look)
        return report

    async def _subject(self, scope: DueScope, *, force: bool) -> Subject:
        """
        Return the subject of a run, with one configuration for all of it.

        Raises:
            ConfigError: the configuration cannot be used.
            ProviderError: a model that it names cannot be called.
        """
        config = await self._configs.get(scope.tenant)
        calls = await self._models.of(scope.tenant, config, scope.user_id)
        return Subject(scope, config, calls, self._groups(config, calls), force=force)

    async def _run_one(self, task: Task, subject: Subject, report: TaskReport, *, wait: bool) -> None:
        """Run a task if it is due and no other worker is running it; with *wait*, after the other one."""
        pause_seconds = _POLL_SECONDS
        while await self._is_due(task, subject):
            # One owner per run, so that two runs of this process exclude each other too.
            owner = f"{self._owner}:{self._ids.new()}"
            try:
                async with acquire_lease(
                    self._storage,
                    subject.tenant,
                    task.name,
                    owner,
                    seconds=self._policy.lease_seconds,
                    user_id=subject.scope.user_id,
                ) as lease:
                    if lease is not None:
                        until = None if wait else time.monotonic() + self._policy.slice_seconds
                        with span(f"task {task.name}") as recorded:
                            did = await task.run(subject, lease, until=until)
                            recorded.note(_numbers(did))
                        report.include(did)
                        return
            except Conflict:
                # Another worker holds the lease now, as if it had been first.
                _log.warning("task.lease_lost", task=task.name, org_id=subject.tenant.org_id)
            if not wait:
                report.busy = True
                return
            await asyncio.sleep(pause_seconds)
            pause_seconds = min(2 * pause_seconds, _LONGEST_POLL_SECONDS)

    async def _failed(self, task: Task, subject: Subject, error: Exception, report: TaskReport) -> None:
        """Log an unforeseen failure; the task is retried a minute later."""
        _log.error(
            "task.broken",
            task=task.name,
            org_id=subject.tenant.org_id,
            exc_info=error,
        )
        retry_at = self._clock.now() + timedelta(seconds=_FAILED_RETRY_SECONDS)
        report.include(TaskReport(failed={task.name: readable(error)}, retry_at=retry_at))

    async def _postpone(
        self, scope: DueScope, error: ConfigError | ProviderError, report: TaskReport
    ) -> None:
        """Postpone a scope whose configuration is unusable, so that others get their turn."""
        report.failed["configuration"] = reason = readable(error)
        _log.warning("task.misconfigured", org_id=scope.tenant.org_id, kind=type(error).__name__)
        later = self._clock.now() + timedelta(seconds=_FAILED_RETRY_SECONDS)
        async with self._storage.begin(scope.tenant) as transaction:
            await transaction.operations.delay_user(scope.user_id, until=later, error=reason)
            await transaction.cursors.set_due(scope.user_id, later)

    async def _is_due(self, task: Task, subject: Subject) -> bool:
        async def ask(snapshot: Transaction) -> bool:
            return (await task.look(snapshot, subject)).is_due

        return await self._storage.visit(subject.tenant, ask)

    async def _look(self, subject: Subject) -> "_Look":
        """Return the state of the scope; in most cases nothing is due, which one visit to the database shows."""

        async def look(snapshot: Transaction) -> _Look:
            head = await snapshot.cursors.log_head(subject.scope.user_id)
            try:
                return _Look(head, await self._first(snapshot, subject))
            except StorageUnavailable:
                raise
            except Exception:  # noqa: BLE001  each task is then asked separately, which records whose failure it is
                return _Look(head, Look(is_due=True))

        return await self._storage.visit(subject.tenant, look)

    async def _first(self, snapshot: Transaction, subject: Subject) -> Look:
        return first_of([await task.look(snapshot, subject) for task in self._of(subject.scope)])

    async def _look_again(self, subject: Subject, before: LogHead) -> "_Look":
        """
        Return the state of the scope after its tasks ran.

        For a user's log, the tasks say what they have not read. For an organisation, only a comparison with *before*
        says whether it was woken since.
        """

        async def look(snapshot: Transaction) -> _Look:
            user_id = subject.scope.user_id
            head = before if user_id is None else await snapshot.cursors.log_head(user_id)
            return _Look(head, await self._first(snapshot, subject))

        return await self._storage.visit(subject.tenant, look)

    async def _settle(self, subject: Subject, report: TaskReport, look: "_Look") -> None:
        """Set when the scope is due next; if it was woken meanwhile, it stays due."""
        now = self._clock.now()
        if look.first.is_due:
            look = await self._look_again(subject, look.head)
        report.turns_left = look.first.turns
        look_at = first_of([look.first, Look(report.retry_at)]).at
        if report.busy:
            busy_until = now + timedelta(seconds=_BUSY_RETRY_SECONDS)
            look_at = busy_until if look_at is None else max(look_at, busy_until)
        if look_at != look.head.due_at:

            async def settle(transaction: Transaction) -> None:
                await transaction.cursors.set_due(subject.scope.user_id, look_at, head=look.head)

            await self._storage.visit_to_write(subject.tenant, settle)


@dataclass(frozen=True, slots=True)
class _Look:
    """The state of a scope."""

    head: LogHead
    first: Look
    """Whether one of the scope's tasks is due, and when the next one may be."""


def _numbers(report: TaskReport) -> dict[str, int]:
    """Return a run's attributes for the trace."""
    return {
        "sagacity.added": sum(report.added.values()),
        "sagacity.updated": sum(report.updated.values()),
        "sagacity.failed": len(report.failed),
    }
