"""A user's item of an operation: read all turns again into PENDING, or the newest window into CURRENT."""

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sagacity.config.tenant_config import TenantConfig
from sagacity.dispatch.lease import acquire_lease
from sagacity.domain.cursor import LEARN, REGENERATE, Lease, Window
from sagacity.domain.errors import Conflict, InvalidInput
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Status
from sagacity.domain.operation import (
    GENERATED,
    ItemStatus,
    Operation,
    OperationItem,
    OperationMode,
    OperationParameters,
)
from sagacity.domain.tenant import Tenant
from sagacity.domain.version import VersionFilter
from sagacity.learning.distil.agent_playbooks.trigger import note_playbooks
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope, look_at
from sagacity.learning.tasks.failure import postpone_or_fail
from sagacity.learning.tasks.parts import TaskParts
from sagacity.learning.windows.learners import Learner, LearnerGroup
from sagacity.learning.windows.processor import (
    Processed,
    Stretch,
    Target,
    TargetStretches,
    WindowProcessor,
    read_stretches,
)
from sagacity.learning.windows.result import WindowResult, taught_playbooks
from sagacity.learning.windows.window import Due
from sagacity.learning.writing.apply import Applied
from sagacity.storage.transaction import Transaction

_PAGE = 200


class Regenerate:
    """Works on users' items of operations, one window at a time; after an interruption it continues."""

    name = REGENERATE
    scope = TaskScope.USER

    def __init__(self, parts: TaskParts) -> None:
        self._storage = parts.storage
        self._configs = parts.configs
        self._models = parts.models
        self._lease_seconds = parts.policy.lease_seconds
        self._retrying = parts.retrying
        self._groups = parts.groups
        self._clock = parts.clock
        self._owner = parts.ids.new()
        self._processor = WindowProcessor(parts.storage, parts.embedder, clock=parts.clock, ids=parts.ids)

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return when an item of the user is due; never for one that only waits for its turn."""
        waiting = await snapshot.operations.waiting_for(subject.user_id)
        moments = (self._due_at(operation, item) for operation, item in waiting)
        return look_at(min(filter(None, moments), default=None), now=self._clock.now())

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Work on the user's due items; a failed item stores the time of its own retry.

        Raises:
            Conflict: another worker does it.
        """
        async with self._storage.read(subject.tenant) as snapshot:
            waiting = await snapshot.operations.waiting_for(subject.user_id)
        for operation, item in waiting:
            due_at = self._due_at(operation, item)
            if due_at is None or due_at > self._clock.now():
                continue
            try:
                if operation.parameters.mode is OperationMode.MANUAL:
                    await self._read_newest(subject, operation, item)
                else:
                    await self._read_all(subject, operation, item, lease, until)
            except Conflict:
                raise
            except Exception as error:  # noqa: BLE001  recorded with the item; it stops no other user
                await self._fail(subject, operation, item, error)
            if _is_over(until):
                break
        return TaskReport()

    def _due_at(self, operation: Operation, item: OperationItem) -> datetime | None:
        """Return when an item that has its turn is worked on next; a cancelled item need not wait."""
        return self._clock.now() if operation.cancel_requested else item.next_try_at

    async def _fail(
        self, subject: Subject, operation: Operation, item: OperationItem, error: Exception
    ) -> None:
        """Retry later; after the last attempt, or if a retry is useless, end the item as failed."""
        async with self._storage.begin(subject.tenant) as transaction:
            waiting = await transaction.operations.waiting_for(subject.user_id)
            before = next((one for _, one in waiting if one.operation_id == item.operation_id), item)
            lasts = isinstance(error, InvalidInput)
            failure = self._retrying.failed(
                f"operation:{operation.name}", error, attempts=before.attempts, is_last=lasts
            )
            if failure.is_last:
                await _hold_pending_back(transaction, operation, subject.user_id)
            await postpone_or_fail(transaction, item, failure)

    async def _read_all(
        self, subject: Subject, operation: Operation, item: OperationItem, lease: Lease, until: float | None
    ) -> None:
        """Read the log from its beginning into PENDING, in the same steps as when it was first learned."""
        tenant, user_id = subject.tenant, subject.user_id
        config = await self._configs.get(tenant)
        over_quota = ""
        while True:
            group, note = await self._group(tenant, config, operation, user_id)
            async with self._storage.read(tenant) as snapshot:
                is_cancelled = await snapshot.operations.is_cancelled(operation.operation_id)
                stretches = await _unread(snapshot, group, user_id, operation.parameters)
            if is_cancelled or not stretches:
                break
            started = time.perf_counter()
            target = Target(tenant, user_id, group, Status.PENDING)
            over_quota = await self._read(target, item, stretches, lease) or over_quota
            await self._storage.yield_to_calls(time.perf_counter() - started)
            if _is_over(until):
                async with self._storage.begin(tenant) as transaction:
                    await transaction.operations.pass_turn(item)
                return
        async with self._storage.begin(tenant) as transaction:
            await transaction.leases.check(lease)
            status = ItemStatus.CANCELLED if is_cancelled else ItemStatus.DONE
            await _settle(transaction, operation, item, status, user_id=user_id, note=note or over_quota)

    async def _read(
        self, target: Target, item: OperationItem, stretches: Sequence[Stretch], lease: Lease
    ) -> str:
        """Read one stretch for each learner into PENDING, and move its cursors; returns why not all was stored."""
        [processed] = await self._processor.process([TargetStretches(target, stretches)])
        applied, processed = await self._processor.commit(
            processed, lambda done: self._commit_rerun(item, done, lease)
        )
        _raise_first(processed.readings)
        return applied.note_of_quota

    async def _commit_rerun(self, item: OperationItem, processed: Processed, lease: Lease) -> Applied:
        target, readings = processed.target, processed.readings
        async with self._storage.begin(target.tenant) as transaction:
            await transaction.leases.check(lease)
            applied = await self._processor.write(transaction, processed)
            await _advance(transaction, [one for one in readings if one.error is None])
            await _count(transaction, item, _new_turns(target.group, readings), readings, applied)
        return applied

    async def _read_newest(self, subject: Subject, operation: Operation, item: OperationItem) -> None:
        """Read the newest window of each learner into CURRENT, without moving cursors."""
        tenant, user_id = subject.tenant, subject.user_id
        if operation.cancel_requested:
            async with self._storage.begin(tenant) as transaction:
                await transaction.operations.settle(item, ItemStatus.CANCELLED)
            return
        config = await self._configs.get(tenant)
        group, note = await self._group(tenant, config, operation, user_id)
        async with acquire_lease(
            self._storage,
            tenant,
            LEARN,
            f"{self._owner}:{operation.operation_id}",
            seconds=self._lease_seconds,
            user_id=user_id,
        ) as lease:
            if lease is None:
                raise Conflict(f"{user_id!r} is being learned from")  # retry after that
            async with self._storage.read(tenant) as snapshot:
                stretches = await _newest(snapshot, group, user_id, operation.parameters)
            [processed] = await self._processor.process(
                [TargetStretches(Target(tenant, user_id, group), stretches)]
            )
            asked = _Asked(operation, item, config, note)
            _, processed = await self._processor.commit(
                processed, lambda done: self._commit_newest(asked, done, lease)
            )
            _raise_first(processed.readings)

    async def _commit_newest(self, asked: "_Asked", processed: Processed, lease: Lease) -> Applied:
        readings, item = processed.readings, asked.item
        async with self._storage.begin(processed.target.tenant) as transaction:
            await transaction.leases.check(lease)
            applied = await self._processor.write(transaction, processed)
            await _count(transaction, item, _turns(readings), readings, applied)
            if not any(one.error for one in readings):
                await _settle(
                    transaction,
                    asked.operation,
                    item,
                    ItemStatus.DONE,
                    user_id=processed.target.user_id,
                    note=asked.note or applied.note_of_quota,
                )
            # After the operation's lock, which is taken first by all that make logs due for it.
            await note_playbooks(transaction, asked.config, taught_playbooks(readings, applied))
        return applied

    async def _group(
        self, tenant: Tenant, config: TenantConfig, operation: Operation, user_id: UserId
    ) -> tuple[LearnerGroup, str]:
        """
        Return the learners that the operation asks for; if the spending cap is reached, by rules, with the reason.

        Raises:
            InvalidInput: the configuration, which may have changed since the start, has none of them.
        """
        calls = await self._models.of(tenant, config, user_id)
        groups = self._groups(config, calls, by_hand=True, names=operation.parameters.extractor_names)
        group = next((group for group in groups if group.kind is GENERATED[operation.name]), None)
        if group is None:
            raise InvalidInput("the configuration no longer has an extractor for this; start it again")
        return group, calls.note


@dataclass(frozen=True, slots=True)
class _Asked:
    """A user's item of an operation, with its learners."""

    operation: Operation
    item: OperationItem
    config: TenantConfig
    note: str


def _is_over(until: float | None) -> bool:
    return until is not None and time.monotonic() > until


async def _unread(
    snapshot: Transaction, group: LearnerGroup, user_id: UserId, parameters: OperationParameters
) -> list[Stretch]:
    """Return the next stretch of each learner that has not read the whole log for PENDING."""
    head = await snapshot.cursors.log_head(user_id)
    cursors = await snapshot.cursors.of_user(user_id, Status.PENDING)
    dues: list[Due] = []
    for learner in group.learners:
        cursor = cursors.get(learner.name)
        seq = 0 if cursor is None else cursor.seq
        if seq < head.end:
            dues.append(Due(learner, seq + 1, min(head.end, seq + learner.step)))
    return [_asked_for(stretch, parameters) for stretch in await read_stretches(snapshot, user_id, dues)]


async def _newest(
    snapshot: Transaction, group: LearnerGroup, user_id: UserId, parameters: OperationParameters
) -> list[Stretch]:
    """Return the last turns that each learner reads, as many as fit into its window."""
    stretches: list[Stretch] = []
    for learner in group.learners:
        turns = await _last_turns(snapshot, learner, user_id, parameters)
        if turns:
            first, last = turns[0].seq, turns[-1].seq
            window = Window(user_id=user_id, first_seq=first, last_seq=last, unread=turns)
            stretches.append(Stretch(Due(learner, first, last), window))
    return stretches


async def _last_turns(
    snapshot: Transaction, learner: Learner, user_id: UserId, parameters: OperationParameters
) -> tuple[Interaction, ...]:
    seq = (await snapshot.cursors.log_head(user_id)).end
    found: list[Interaction] = []
    while seq > 0 and len(found) < learner.window_size:
        page = await snapshot.interactions.log_before(user_id, seq=seq, limit=_PAGE)
        found[:0] = [turn for turn in page if _is_asked_for(turn, parameters) and learner.reads(turn)]
        seq = page[0].seq - 1 if page else 0
    return tuple(found[-learner.window_size :])


def _asked_for(stretch: Stretch, parameters: OperationParameters) -> Stretch:
    """Return the stretch without turns that the operation does not ask for."""

    def narrowed(window: Window) -> Window:
        unread, context = (
            tuple(turn for turn in turns if _is_asked_for(turn, parameters))
            for turns in (window.unread, window.context)
        )
        return window.model_copy(update={"unread": unread, "context": context})

    return replace(stretch, window=narrowed(stretch.window), ahead=tuple(map(narrowed, stretch.ahead)))


def _is_asked_for(turn: Interaction, parameters: OperationParameters) -> bool:
    return (
        (parameters.source is None or turn.source == parameters.source)
        and (parameters.agent_version is None or turn.agent_version == parameters.agent_version)
        and (parameters.start is None or turn.created_at >= parameters.start)
        and (parameters.end is None or turn.created_at <= parameters.end)
    )


async def _advance(transaction: Transaction, readings: Sequence[WindowResult]) -> None:
    """Move PENDING's cursors past what was read."""
    for reading in readings:
        start = reading.due.learner.start(reading.window.user_id, Status.PENDING)
        read = start.model_copy(update={"seq": reading.due.first_seq - 1})
        await transaction.cursors.save(
            read.model_copy(update={"seq": reading.due.last_seq, "outcome": reading.outcome}), read=read
        )


async def _settle(
    transaction: Transaction,
    operation: Operation,
    item: OperationItem,
    status: ItemStatus,
    *,
    user_id: UserId,
    note: str = "",
) -> None:
    """Record how a user's item ended, with a note if there is one."""
    await _hold_pending_back(transaction, operation, user_id)
    await transaction.operations.settle(item, status, result={"note": note} if note else None)


async def _hold_pending_back(transaction: Transaction, operation: Operation, user_id: UserId) -> None:
    """Set PENDING's cursors back to CURRENT's if a rerun left turns out."""
    asked = operation.parameters
    if asked.mode is OperationMode.RERUN and asked.leaves_turns_out:
        await transaction.versions.hold_pending_back(
            VersionFilter(kind=GENERATED[operation.name], user_ids=(user_id,), names=asked.extractor_names)
        )


async def _count(
    transaction: Transaction,
    item: OperationItem,
    turns: Collection[Interaction],
    readings: Sequence[WindowResult],
    applied: Applied,
) -> None:
    """Count the turns read and memories written for an item."""
    await transaction.operations.advance(
        item,
        turns=len(turns),
        generated=applied.added_count,
        failed=any(one.error for one in readings),
    )


def _turns(readings: Sequence[WindowResult]) -> list[Interaction]:
    """Return the distinct turns that were read; several learners may have read the same."""
    read = (turn for reading in readings if reading.error is None for turn in reading.turns)
    return list({turn.seq: turn for turn in read}.values())


def _new_turns(group: LearnerGroup, readings: Sequence[WindowResult]) -> list[Interaction]:
    """Return the turns that were read, without those that another learner had read before."""
    firsts = {reading.due.learner.name: reading.due.first_seq for reading in readings}
    begins = [(one, firsts.get(one.name, math.inf)) for one in group.learners]  # the rest have read all
    return [
        turn
        for turn in _turns(readings)
        if not any(turn.seq < first and learner.reads(turn) for learner, first in begins)
    ]


def _raise_first(readings: Sequence[WindowResult]) -> None:
    """Raise the first reading's error, so that the item is retried from there."""
    for reading in readings:
        if reading.error is not None:
            raise reading.error
