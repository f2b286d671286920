"""Operations, one row each, with one row for every user that they work on."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from pydantic import JsonValue

from sagacity.domain.errors import Conflict, NotFound, StorageUnavailable
from sagacity.domain.ids import ORGANISATION, UserId
from sagacity.domain.operation import (
    ItemStatus,
    Operation,
    OperationItem,
    OperationName,
    OperationParameters,
    OperationStatus,
)
from sagacity.storage.base import Scope
from sagacity.storage.evidence.users import make_due, make_log
from sagacity.storage.schema.tables import operation_items, operations
from sagacity.storage.statements.user_key import user_key, user_of
from sagacity.storage.work.operation_slots import add_items, give_turns
from sagacity.storage.work.progress import (
    SETTLED,
    close_if_done,
    item_of,
    operation_of,
    progress_of,
    same_operation,
)

_op, _item = operations.c, operation_items.c
_RUNNING = _op.status == str(OperationStatus.IN_PROGRESS)
_WAITING = _item.status == str(ItemStatus.WAITING)


class OperationRepository:
    """
    A tenant's operations.

    Whoever changes how one stands holds its row first, then rows of its items, then those of users' logs; of several
    the one with the smallest id first. So no two wait for each other.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def start(self, name: OperationName, parameters: OperationParameters) -> Operation:
        """
        Start an operation: its rows, and those it works on first made due, together or not at all.

        Args:
            name: what runs, and so on whom it works: on users with a log, or on the organisation itself.
            parameters: what was asked for; with a user in it only that one is worked on.

        Returns:
            The operation; completed already if there is nobody to work on.

        Raises:
            Conflict: one of that name is running.
        """
        now, operation_id = self._scope.clock.now(), self._scope.ids.new()
        insert = self._scope.insert(operations)
        made = await self._scope.run(
            insert.on_conflict_do_nothing().execution_options(preserve_rowcount=True),
            {
                "org_id": self._scope.org_id,
                "operation_id": operation_id,
                "name": str(name),
                "status": str(OperationStatus.IN_PROGRESS),
                "parameters": parameters.model_dump(mode="json"),
                "result": {},
                "created_at": now,
            },
        )
        if not made:
            raise await self._already_running(name)
        if not name.is_of_users:
            await make_log(self._scope, ORGANISATION)
        total = await add_items(self._scope, operation_id, name, parameters, now)
        done = {} if total else {"status": str(OperationStatus.COMPLETED), "finished_at": now}
        await self._scope.run(
            sa.update(operations).where(self._is(operation_id)).values(total_count=total, **done)
        )
        if total:
            await give_turns(self._scope, operation_id)
        return await self.get(operation_id)

    async def get(self, operation_id: str) -> Operation:
        """
        Return one operation with its progress.

        Raises:
            NotFound: the tenant has no token of that id.
        """
        found = await progress_of(self._scope, [self._is(operation_id)], limit=1)
        if not found:
            raise NotFound(f"no operation {operation_id!r}")
        return found[0]

    async def latest(self, name: OperationName) -> Operation | None:
        """Return the operation of that name that was started last; None if there was never one."""
        found = await self.list_newest(name=name, limit=1)
        return found[0] if found else None

    async def list_newest(
        self,
        *,
        name: OperationName | None = None,
        statuses: Sequence[OperationStatus] = (),
        limit: int,
    ) -> list[Operation]:
        """Return operations with their progress, the one started last first."""
        wanted = [_op.org_id == self._scope.org_id]
        if name is not None:
            wanted.append(_op.name == str(name))
        if statuses:
            wanted.append(_op.status.in_([str(status) for status in statuses]))
        return await progress_of(self._scope, wanted, limit=limit)

    async def items(
        self,
        operation_id: str,
        *,
        statuses: Sequence[ItemStatus] = (),
        after_user: UserId | None = None,
        limit: int,
    ) -> list[OperationItem]:
        """
        Return a page of an operation's items by user.

        Args:
            operation_id: whose; none of an operation that is not there.
            statuses: how they stand; empty for all.
            after_user: the last user of the page before; None for the first page.
            limit: how many.
        """
        statement = self._items(operation_id)
        if statuses:
            statement = statement.where(_item.status.in_([str(status) for status in statuses]))
        if after_user is not None:
            statement = statement.where(_item.user_id > after_user)
        return [item_of(row) for row in await self._scope.all(statement.order_by(_item.user_id).limit(limit))]

    async def current_user(self, operation_id: str) -> UserId | None:
        """Return whose item was worked on last and is not done; None if nobody has begun one, or it is no user's."""
        statement = self._items(operation_id).where(
            _WAITING, sa.or_(_item.attempts > 0, _item.turn_count > 0)
        )
        rows = await self._scope.all(statement.order_by(_item.updated_at.desc(), _item.user_id).limit(1))
        return user_of(rows[0].user_id) if rows else None

    async def waiting_for(self, user_id: UserId | None) -> list[tuple[Operation, OperationItem]]:
        """
        Return what running operations want done for a user, or for the organisation itself, oldest operation first.

        How far the operations are is not counted here: it takes a look at all their items. Those that were cancelled
        come too, to be settled by whoever had begun with them.
        """
        given = {"org_id": self._scope.org_id, "user_id": user_key(user_id)}
        rows = await self._scope.all(_waiting_for(), given)
        return [(operation_of(row), item_of(row, "item_")) for row in rows]

    async def is_cancelled(self, operation_id: str) -> bool:
        """
        Return whether whoever works on an operation has to stop: it was cancelled, or is gone.

        In a transaction that writes nobody cancels it any more before the commit.
        """
        asked = sa.select(_op.cancel_requested).where(self._is(operation_id))
        rows = await self._scope.all(self._scope.locked(asked))
        return not rows or rows[0].cancel_requested

    async def advance(self, item: OperationItem, *, turns: int, generated: int, failed: bool = False) -> None:
        """
        Count what was done for an item, in the transaction in which it was done.

        Args:
            item: which.
            turns: that were read.
            generated: memories that were written.
            failed: some of it failed; otherwise former failures count no more.

        Raises:
            Conflict: it waits no more, as it was cancelled meanwhile. The transaction must not commit.
        """
        now = self._scope.clock.now()
        forgiven = {} if failed else {"attempts": 0, "next_try_at": now, "error": ""}
        advanced = await self._scope.run(
            sa.update(operation_items)
            .where(self._is_item(item), _WAITING)
            .values(updated_at=now, step_count=_item.step_count + 1, **forgiven)
            .values(turn_count=_item.turn_count + turns, generated_count=_item.generated_count + generated)
        )
        if not advanced:
            raise Conflict(f"operation {item.operation_id!r} has ended for {item.user_id!r}")

    async def report(self, item: OperationItem, done: int, total: int) -> None:
        """Note how many of an item's steps are done."""
        await self._scope.run(
            sa.update(operation_items)
            .where(self._is_item(item), _WAITING)
            .values(step_count=done, step_total=total, updated_at=self._scope.clock.now())
        )

    async def postpone(
        self, item: OperationItem, *, attempts: int, next_try_at: datetime, error: str
    ) -> None:
        """Note that an item failed and when it is tried again; one that does not wait any more is left alone."""
        await self._move(item, attempts=attempts, next_try_at=next_try_at, error=error)

    async def pass_turn(self, item: OperationItem) -> None:
        """Let others have their turn, as an item took its time; it comes again after all of them."""
        await self._move(item, next_try_at=None)

    async def delay_user(self, user_id: UserId | None, *, until: datetime, error: str) -> None:
        """
        Say what keeps the user's part of operations from being worked on, and for how long at the least.

        It is no failure of this user's, so it counts as no try, and nobody else has the turn meanwhile.
        """
        mine = (_item.org_id == self._scope.org_id, _item.user_id == user_key(user_id), _WAITING)
        await self._scope.run(
            sa.update(operation_items)
            .where(*mine, _item.next_try_at.is_not(None))
            .values(next_try_at=until, error=error, updated_at=self._scope.clock.now())
        )

    async def trouble(self, operation_id: str) -> str:
        """Return why the item that failed last waits to be tried again; empty if none does."""
        troubled = self._items(operation_id).where(_WAITING, _item.error != "")
        rows = await self._scope.all(troubled.order_by(_item.updated_at.desc(), _item.user_id).limit(1))
        return rows[0].error if rows else ""

    async def settle(
        self,
        item: OperationItem,
        status: ItemStatus,
        *,
        error: str = "",
        generated: int = 0,
        result: Mapping[str, JsonValue] | None = None,
    ) -> None:
        """
        Say how an item ended; with the last one the operation ends too. One that was settled before stays as it is.

        Args:
            item: which.
            status: DONE, FAILED or CANCELLED.
            error: why it failed.
            generated: memories that were written and not counted by `advance`.
            result: added to what the operation gives as its result.

        Raises:
            ValueError: *status* is no end.
        """
        if status not in SETTLED:
            raise ValueError(f"{status} is not how an item ends")
        now, held = self._scope.clock.now(), await self._lock(self._is(item.operation_id))
        settled = await self._scope.run(
            sa.update(operation_items)
            .where(self._is_item(item), _WAITING)
            .values(status=str(status), error=error, next_try_at=None, updated_at=now)
            .values(generated_count=_item.generated_count + generated)
        )
        if not held or not settled:
            return
        if result:
            merged = {**held[0].result, **result}
            await self._scope.run(
                sa.update(operations).where(self._is(item.operation_id)).values(result=merged)
            )
        if not await close_if_done(self._scope, item.operation_id, error) and not held[0].cancel_requested:
            await give_turns(self._scope, item.operation_id)

    async def cancel(
        self, *, operation_id: str | None = None, name: OperationName | None = None
    ) -> list[Operation]:
        """
        Cancel running operations: one, those of a name, or all.

        Items that nobody has begun are cancelled at once. The others' users are made due, and whoever works on one
        finds out by `is_cancelled` and settles it.

        Returns:
            Those that were running, as they stand now.

        Raises:
            NotFound: there is no operation of that id.
        """
        if operation_id is not None:
            await self.get(operation_id)
        wanted = [_op.org_id == self._scope.org_id, _RUNNING, _op.name != str(OperationName.USER_ERASURE)]
        if operation_id is not None:
            wanted.append(_op.operation_id == operation_id)
        if name is not None:
            wanted.append(_op.name == str(name))
        cancelled = [row.operation_id for row in await self._lock(*wanted)]
        for one in cancelled:
            await self._cancel(one)
        return [await self.get(one) for one in cancelled]

    async def _cancel(self, operation_id: str) -> None:
        now = self._scope.clock.now()
        await self._scope.run(
            sa.update(operations).where(self._is(operation_id)).values(cancel_requested=True)
        )
        # A row that is locked is one that somebody works on at this moment.
        unbegun = (
            sa.select(_item.user_id)
            .where(
                _item.org_id == self._scope.org_id,
                _item.operation_id == operation_id,
                *(_WAITING, _item.attempts == 0, _item.turn_count == 0, _item.step_count == 0),
            )
            .with_for_update(skip_locked=True)
        )
        await self._scope.run(
            sa.update(operation_items)
            .where(
                _item.org_id == self._scope.org_id,
                _item.operation_id == operation_id,
                _item.user_id.in_(unbegun),
            )
            .values(status=str(ItemStatus.CANCELLED), updated_at=now)
        )
        if not await close_if_done(self._scope, operation_id, ""):
            await make_due(self._scope, self._users_of(operation_id, _WAITING), now)

    async def _move(self, item: OperationItem, **values: object) -> None:
        """Change an item that waits, and give the turn that may be free to another."""
        held = await self._lock(self._is(item.operation_id), _RUNNING)
        moved = await self._scope.run(
            sa.update(operation_items)
            .where(self._is_item(item), _WAITING)
            .values(updated_at=self._scope.clock.now(), **values)
        )
        if held and moved and not held[0].cancel_requested:
            await give_turns(self._scope, item.operation_id)

    async def _already_running(self, name: OperationName) -> Conflict | StorageUnavailable:
        rows = await self._scope.all(
            sa.select(_op.operation_id).where(
                _op.org_id == self._scope.org_id, _op.name == str(name), _RUNNING
            )
        )
        if not rows:
            return StorageUnavailable(f"another {name} ended at this moment; start it again")
        running = rows[0].operation_id
        return Conflict(
            f"{name} is running already, as operation {running!r}; wait for its end, or cancel it "
            f"(POST /api/cancel_operation, or `sagacity operations cancel {running}`)"
        )

    async def _lock(self, *wanted: sa.ColumnElement[bool]) -> Sequence[Any]:
        statement = sa.select(operations).where(*wanted).order_by(_op.operation_id)
        return await self._scope.all(self._scope.locked(statement))

    def _items(self, operation_id: str) -> sa.Select[Any]:
        return sa.select(operation_items).where(
            _item.org_id == self._scope.org_id, _item.operation_id == operation_id
        )

    def _users_of(self, operation_id: str, *wanted: sa.ColumnElement[bool]) -> sa.Select[tuple[str]]:
        return sa.select(_item.user_id).where(
            _item.org_id == self._scope.org_id, _item.operation_id == operation_id, *wanted
        )

    def _is(self, operation_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(_op.org_id == self._scope.org_id, _op.operation_id == operation_id)

    def _is_item(self, item: OperationItem) -> sa.ColumnElement[bool]:
        return sa.and_(
            _item.org_id == self._scope.org_id,
            _item.operation_id == item.operation_id,
            _item.user_id == user_key(item.user_id),
        )


@cache
def _waiting_for() -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(operations, *(one.label(f"item_{one.name}") for one in _item))
        .join_from(operation_items, operations, same_operation(operations, operation_items))
        .where(
            _item.org_id == sa.bindparam("org_id"),
            _item.user_id == sa.bindparam("user_id"),
            _WAITING,
            _RUNNING,
        )
        .order_by(_op.created_at, _op.operation_id)
    )
