"""Turn interactions into memories until nothing in a user's log is due."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cursor import LEARN, Lease
from sagacity.learning.distil.agent_playbooks.trigger import note_playbooks
from sagacity.learning.prompt_runner import ModelSession
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope
from sagacity.learning.tasks.failure import readable
from sagacity.learning.tasks.parts import TaskParts
from sagacity.learning.windows.bookkeeping import record
from sagacity.learning.windows.learners import LearnerGroup
from sagacity.learning.windows.processor import (
    Processed,
    Target,
    TargetStretches,
    WindowProcessor,
    read_stretches,
)
from sagacity.learning.windows.result import taught_playbooks
from sagacity.learning.windows.window import Due, LogState, due_now, next_check, read_log_state
from sagacity.learning.writing.apply import Applied
from sagacity.storage.transaction import Transaction


@dataclass(frozen=True, slots=True)
class _Work:
    """One kind of memory to learn from one user's log."""

    target: Target
    config: TenantConfig
    report: TaskReport
    force: bool
    by_rules: bool = False
    """Whether rules learn although a model is configured."""

    @property
    def group(self) -> LearnerGroup:
        return self.target.group


class Learn:
    """Runs a tenant's learners over a user's log. A step that runs twice changes nothing the second time."""

    name = LEARN
    scope = TaskScope.USER

    def __init__(self, parts: TaskParts) -> None:
        self._storage = parts.storage
        self._models = parts.models
        self._groups = parts.groups
        self._quiet_seconds = parts.policy.quiet_seconds
        self._retrying = parts.retrying
        self._clock = parts.clock
        self._processor = WindowProcessor(parts.storage, parts.embedder, clock=parts.clock, ids=parts.ids)

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return whether a learner has a window to read, and when the next retry, full step or quiet time is."""
        state = await read_log_state(snapshot, subject.user_id)
        learners = tuple(learner for group in subject.groups for learner in group.learners)
        is_due = any([await self._due(snapshot, one, state) for one in _work_of(subject, TaskReport())])
        return replace(next_check(learners, state, self._clock.now(), self._quiet_seconds), is_due=is_due)

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Learn what is due; failed windows store the time of their own retry.

        Raises:
            Conflict: the lease was lost.
        """
        report = TaskReport()
        await self._learn(_work_of(subject, report), lease, until)
        return report

    async def _learn(self, work: Sequence[_Work], lease: Lease, until: float | None) -> None:
        """Learn all kinds in parallel, window by window, until nothing is due or the time is up."""
        started = time.perf_counter()
        while await self._step(work, lease):
            await self._storage.yield_to_calls(time.perf_counter() - started)
            started = time.perf_counter()
            if until is not None and time.monotonic() > until:
                return
            work = [await self._affordable(one) for one in work]

    async def _affordable(self, work: _Work) -> _Work:
        """Return *work* unchanged, or by rules if the tenant has reached its spending cap meanwhile."""
        target = work.target
        note = "" if work.by_rules else await self._models.note(target.tenant, work.config)
        if not note:
            return work
        work.report.note = note
        groups = self._groups(work.config, ModelSession(note=note))
        [group] = [one for one in groups if one.kind is work.group.kind]
        return replace(work, target=replace(target, group=group), by_rules=True)

    async def _step(self, work: Sequence[_Work], lease: Lease) -> bool:
        """Read one window for each learner that has one due; returns whether there was any."""
        reading = await self._storage.visit(
            work[0].target.tenant, lambda snapshot: self._windows(snapshot, work)
        )
        if not reading:
            return False
        processed = await self._processor.process([stretches for _, stretches in reading])
        errors: list[Exception] = []
        # One after the other: each locks the lease first, and a waiting one would hold a connection.
        for (one, _), done in zip(reading, processed, strict=True):
            try:
                await self._write(one, done, lease)
            except Exception as error:  # noqa: BLE001  the other kinds' results are still written
                errors.append(error)
        for error in errors:
            raise error
        return True

    async def _windows(
        self, snapshot: Transaction, work: Sequence[_Work]
    ) -> list[tuple[_Work, TargetStretches]]:
        """Return the windows of those learners that have one to read now."""
        found: list[tuple[_Work, TargetStretches]] = []
        state = await read_log_state(snapshot, work[0].target.user_id)
        for one in work:
            due = await self._due(snapshot, one, state)
            stretches = await read_stretches(snapshot, one.target.user_id, due)
            if stretches:
                found.append((one, TargetStretches(one.target, stretches)))
        return found

    async def _write(self, work: _Work, processed: Processed, lease: Lease) -> None:
        """Write the results of one kind's windows; if that fails, the other kinds' results are still written."""
        applied, processed = await self._processor.commit(
            processed, lambda done: self._commit(work, done, lease)
        )
        work.report.count(work.group.kind, added=applied.added_count, updated=applied.updated_count)
        work.report.note = work.report.note or applied.note_of_quota
        work.report.failed |= {
            reading.due.learner.name: readable(reading.error)
            for reading in processed.readings
            if reading.error is not None
        }

    async def _commit(self, work: _Work, processed: Processed, lease: Lease) -> Applied:
        """Write what was learned, the learners' cursors, and what aggregation must read, in one transaction."""

        async def written(transaction: Transaction) -> Applied:
            await transaction.leases.check(lease)
            applied = await self._processor.write(transaction, processed)
            for reading in processed.readings:
                await record(transaction, reading, self._retrying)
            taught = taught_playbooks(processed.readings, applied)
            await note_playbooks(transaction, work.config, taught)
            return applied

        return await self._storage.visit_to_write(work.target.tenant, written)

    async def _due(self, snapshot: Transaction, work: _Work, state: LogState) -> list[Due]:
        now = self._clock.now()
        flush = work.force or state.is_quiet(now, self._quiet_seconds)
        found: list[Due] = []
        for learner in work.group.learners:
            behind = state.cursor(learner).seq
            matters = not flush or work.group.gate is not None
            forced = matters and behind < state.head.end and await state.is_forced_after(snapshot, behind)
            due = due_now(learner, state, now, flush=flush or forced)
            if due is not None:
                found.append(replace(due, is_forced=forced or work.force))
        return found


def _work_of(subject: Subject, report: TaskReport) -> list[_Work]:
    by_rules = bool(subject.calls.note)
    return [
        _Work(
            Target(subject.tenant, subject.user_id, group),
            subject.config,
            report,
            subject.force,
            by_rules=by_rules,
        )
        for group in subject.groups
    ]
