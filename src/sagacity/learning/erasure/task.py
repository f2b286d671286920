"""The background task that erases users: rows in batches, then files, then a search for leftovers."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

import structlog

from sagacity.auth.erasure_key import ErasureKey
from sagacity.domain.audit import SYSTEM
from sagacity.domain.cursor import ERASE, Lease
from sagacity.domain.erasure import Erasure, Scan
from sagacity.domain.erasure import Subject as Erased
from sagacity.domain.errors import ConfigError, Conflict, StorageUnavailable
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.kinds import USER_KINDS
from sagacity.domain.memory import MemoryKind
from sagacity.domain.operation import ItemStatus, Operation, OperationItem, OperationName
from sagacity.learning.erasure.derived import forget_playbooks, withdraw_by_requests
from sagacity.learning.erasure.news import ERASED
from sagacity.learning.erasure.report import Searched, look_into, make_report, signed
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope, look_at
from sagacity.learning.tasks.parts import TaskParts
from sagacity.storage.accounts.leaving import leave, leave_everywhere
from sagacity.storage.erasure.rows import Counts
from sagacity.storage.erasure.scan import TABLES, Found, scan_files, scan_tables
from sagacity.storage.replica.forget import forget_scopes
from sagacity.storage.transaction import Transaction

_log = structlog.get_logger(__name__)
_ROUNDS = 3
"""How often leftovers are searched for and deleted in one attempt, because a write may still arrive late."""
_LONGEST_WAIT = timedelta(minutes=10)
"""The time between two attempts; an erasure is never given up."""
_STEPS = 6
Work = Callable[[Transaction], Awaitable[Counts]]


@dataclass(slots=True)
class _Run:
    """One running erasure; what is known of the user grows as more is found."""

    subject: Subject
    lease: Lease
    item: OperationItem
    erasure: Erasure
    erased: Erased
    key: ErasureKey
    until: float | None

    @property
    def is_late(self) -> bool:
        """Whether it has used up its time, because others wait."""
        return self.until is not None and time.monotonic() > self.until


class Erase:
    """
    Erases users of one organisation, one after the other.

    Each step deletes batches until nothing is left, so a step that was cut short is repeated. Nothing is appended to
    the user's log meanwhile. The last transaction deletes rows that arrived in other ways, and all leases on the log.
    """

    name = ERASE
    scope = TaskScope.ORGANISATION

    def __init__(self, parts: TaskParts) -> None:
        self._parts = parts
        self._storage = parts.storage
        self._clock = parts.clock
        self._batch = parts.policy.cleanup_batch

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return when the next user is to be erased."""
        now, waiting = self._clock.now(), await _waiting(snapshot)
        return look_at(min((item.next_try_at or now for _, item in waiting), default=None), now=now)

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Erase the users who are to be erased, as far as the time allows.

        Raises:
            Conflict: the lease was lost.
        """
        async with self._storage.read(subject.tenant) as snapshot:
            waiting = await _waiting(snapshot)
        for operation, item in waiting:
            if item.next_try_at is not None and item.next_try_at > self._clock.now():
                continue
            try:
                is_done = await self._erase(await self._open(subject, lease, operation, item, until))
            except Conflict:
                raise
            except Exception as error:  # noqa: BLE001  recorded with the item; others are not affected
                await self._postpone(subject, operation, item, error)
                continue
            if not is_done:
                break
        return TaskReport()

    async def _open(
        self, subject: Subject, lease: Lease, operation: Operation, item: OperationItem, until: float | None
    ) -> _Run:
        key = self._parts.erasure_key()
        async with self._storage.read(subject.tenant) as snapshot:
            erasure = await snapshot.erasures.get(operation.operation_id)
        if erasure.key_id != key.key_id:
            raise ConfigError(
                "this erasure was asked for with another key: set SAGACITY_ERASURE_KEY to the same for all processes"
            )
        erased = Erased.model_validate_json(key.open(erasure.sealed or ""))
        return _Run(subject, lease, item, erasure, erased, key, until)

    async def _postpone(
        self, subject: Subject, operation: Operation, item: OperationItem, error: Exception
    ) -> None:
        failure = self._parts.retrying.failed(f"operation:{operation.name}", error, attempts=item.attempts)
        latest = self._clock.now() + _LONGEST_WAIT
        next_try = min(failure.next_try_at or latest, latest)
        async with self._storage.begin(subject.tenant) as transaction:
            await transaction.operations.postpone(
                item, attempts=failure.attempts, next_try_at=next_try, error=failure.error
            )

    async def _erase(self, run: _Run) -> bool:
        """Do the remaining steps of one erasure; returns whether it has ended."""
        gone_at = run.erasure.gone_at
        if gone_at is None:
            for number, step in enumerate((self._turns, self._taught, self._memories, self._rows)):
                if not await step(run):
                    return False
                await self._report(run, number + 1)
            await self._parts.forget_tokens(run.subject.tenant, run.erased.user_id)
            await self._last(run)
        await self._elsewhere(run)
        await self._parts.announce(ERASED)
        self._storage.forget()
        await self._report(run, _STEPS - 1)
        await self._finish(run, await self._search(run))
        return True

    async def _turns(self, run: _Run) -> bool:
        """Delete the log. From then on there is nothing to learn, and running learners must not write."""
        user_id = run.erased.user_id
        is_done = await self._repeat(run, lambda tx: tx.erased_rows.turns(user_id, limit=self._batch))
        if is_done:
            await self._do(run, lambda tx: tx.erased_rows.leases(user_id))
        return is_done

    async def _taught(self, run: _Run) -> bool:
        """Delete the user's playbooks, and withdraw what rests on them."""
        config, number, user_id = run.subject.config, run.erasure.erasure_id, run.erased.user_id
        limit = self._batch
        if not await self._repeat(run, lambda tx: forget_playbooks(tx, config, number, user_id, limit=limit)):
            return False
        after: int | None = 0
        while after is not None:
            ends: list[int | None] = []

            async def page(transaction: Transaction, after: int = after) -> Counts:
                counts, last = await withdraw_by_requests(
                    transaction, config, number, user_id, after=after, limit=limit
                )
                ends.append(last)  # noqa: B023  called before the next round
                return counts

            await self._do(run, page)
            after = ends[-1]
        return True

    async def _memories(self, run: _Run) -> bool:
        for kind in sorted(USER_KINDS):
            if not await self._repeat(run, lambda tx, kind=kind: self._some(tx, run, kind)):
                return False
        return True

    async def _some(self, transaction: Transaction, run: _Run, kind: MemoryKind) -> Counts:
        ids = await transaction.erased_rows.numbers(run.erased.user_id, kind, limit=self._batch)
        return await transaction.erased_rows.memories(kind, ids)

    async def _rows(self, run: _Run) -> bool:
        user_id, limit = run.erased.user_id, self._batch
        await self._do(run, lambda tx: leave(tx, user_id, run.erased.person, by=SYSTEM))
        await self._do(run, lambda tx: tx.erased_rows.operations(user_id))
        return await self._repeat(
            run, lambda tx: tx.erased_rows.unnamed(user_id, limit=limit)
        ) and await self._repeat(run, lambda tx: tx.erased_rows.named(user_id, limit=limit))

    async def _last(self, run: _Run) -> None:
        """Delete the rest, including the user's row; anything stored under the id later belongs to a new user."""

        async def last(transaction: Transaction) -> Counts:
            await transaction.erased_rows.lock(run.erased.user_id)
            counts = await self._everything(transaction, run)
            await transaction.erasures.note_gone(run.erasure.erasure_id)
            return counts

        await self._do(run, last)

    async def _elsewhere(self, run: _Run) -> None:
        """In the organisation of the account, remove it from all organisations, now that nobody can use it."""
        person = run.erased.person
        if person is not None and run.erased.is_account_of(run.subject.tenant.org_id):
            await leave_everywhere(self._storage, run.erased.user_id, person, by=SYSTEM)

    async def _everything(self, transaction: Transaction, run: _Run) -> Counts:
        user_id, number = run.erased.user_id, run.erasure.erasure_id
        await self._note_scopes(transaction, run)
        total: Counts = await leave(transaction, user_id, run.erased.person, by=SYSTEM)
        while counts := await forget_playbooks(
            transaction, run.subject.config, number, user_id, limit=self._batch
        ):
            total["memories"] = total.get("memories", 0) + counts["memories"]
        for name, count in (await transaction.erased_rows.all(user_id)).items():
            total[name] = total.get(name, 0) + count
        return total

    async def _note_scopes(self, transaction: Transaction, run: _Run) -> None:
        """Record the numbers of the deleted scopes, because a vector store may have copies of new ones too."""
        scope_ids = await transaction.erasures.scope_ids(run.erased.user_id)
        if scope_ids:
            known = tuple(sorted({*run.erased.scope_ids, *scope_ids}))
            run.erased = run.erased.model_copy(update={"scope_ids": known})
            sealed = run.key.seal(run.erased.model_dump_json())
            await transaction.erasures.seal_again(run.erasure.erasure_id, sealed)

    async def _search(self, run: _Run) -> Searched:
        """
        Remove deleted data from the database's files, then search for leftovers until none are found.

        Raises:
            StorageUnavailable: leftovers are still found.
        """
        backend, tenant = self._storage.backend, run.subject.tenant
        needles = run.erased.needles
        for _ in range(_ROUNDS):
            files = await backend.scrub()
            copied = await forget_scopes(self._storage, tenant, run.erased.scope_ids)
            found = await scan_tables(
                backend, tenant.org_id, needles, user_id=run.erased.user_id, scope_ids=run.erased.scope_ids
            )
            is_back = await self._is_back(run, found)
            names: list[str] = []
            dirty: list[str] = []
            if backend.file is not None:
                left = [one for one in needles if one not in found.explained]
                names, dirty = await asyncio.to_thread(scan_files, backend.file, left)
            if (is_back or not found.rows) and not dirty:
                mentions = tuple(name for name in found.mentions if not (is_back and name in found.rows))
                scan = Scan(
                    tables=len(TABLES),
                    needles=len(needles),
                    mentions=mentions,
                    files=tuple(names),
                    vector_copy=copied,
                    is_user_back=is_back,
                )
                return Searched(
                    database=f"{backend.name}: {backend.label}",
                    is_file=backend.file is not None,
                    files=files,
                    scan=scan,
                )
        raise StorageUnavailable(
            "something of the user was still found in the database; it is searched again later"
        )

    async def _is_back(self, run: _Run, found: Found) -> bool:
        """Return whether what was found belongs to a new user with the same id; otherwise delete it."""
        if not found.rows:
            return False
        is_back = False

        async def delete(transaction: Transaction) -> Counts:
            nonlocal is_back
            is_back = not await transaction.erasures.take_empty(run.erased.user_id)
            if is_back:
                return {}
            counts = await self._everything(transaction, run)
            return {**counts, "users": counts["users"] - 1}  # without the row that was just inserted

        await self._do(run, delete)
        return is_back

    async def _finish(self, run: _Run, searched: Searched) -> None:
        tenant = run.subject.tenant
        async with self._storage.read(tenant) as snapshot:
            erasure = await snapshot.erasures.get(run.erasure.erasure_id)
        gone_at = erasure.gone_at or self._clock.now()
        known = self._parts.known_backups()
        backups = await asyncio.to_thread(
            look_into, known, tenant.org_id, run.erased.user_id, gone_at=gone_at
        )
        at = self._clock.now()
        report = make_report(erasure, tenant.org_id, searched, backups, gone_at=gone_at, at=at)
        sealed = signed(report, run.key)

        async def finish(transaction: Transaction) -> Counts:
            await transaction.erasures.finish(erasure.erasure_id, sealed)
            result = {"user_hash": erasure.user_hash, "deleted": sum(report.deleted.values())}
            await transaction.operations.report(run.item, _STEPS, _STEPS)
            await transaction.operations.settle(run.item, ItemStatus.DONE, result=result)
            return {}

        await self._do(run, finish)
        _log.info("user.erased", org_id=tenant.org_id, operation_id=erasure.erasure_id)

    async def _repeat(self, run: _Run, work: Work) -> bool:
        """Repeat *work* until it finds nothing; returns whether it finished in time."""
        while await self._do(run, work):
            if run.is_late:
                return False
        return True

    async def _do(self, run: _Run, work: Work) -> int:
        """Run *work* in a transaction of its own, and count what it deleted."""

        async def once() -> int:
            async with self._storage.begin(run.subject.tenant) as transaction:
                await transaction.leases.check(run.lease)
                counts = await work(transaction)
                await transaction.erasures.count(run.erasure.erasure_id, counts)
                return sum(counts.values())

        started = time.perf_counter()
        count = await self._storage.retry(once)
        await self._storage.yield_to_calls(time.perf_counter() - started)
        return count

    async def _report(self, run: _Run, done: int) -> None:
        async with self._storage.begin(run.subject.tenant) as transaction:
            await transaction.leases.check(run.lease)
            await transaction.operations.report(run.item, done, _STEPS)


async def _waiting(snapshot: Transaction) -> list[tuple[Operation, OperationItem]]:
    """Return the erasures that have not ended, oldest first."""
    waiting = await snapshot.operations.waiting_for(ORGANISATION)
    return [one for one in waiting if one[0].name is OperationName.USER_ERASURE]
