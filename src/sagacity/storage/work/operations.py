"""Operations: one row each, and one item for every user that they work on."""

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

    To change an operation's state, lock its row first, then the rows of its items, then those of users' logs. Of
    several operations, lock the one with the smallest id first. So no two transactions wait for each other.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def start(self, name: OperationName, parameters: OperationParameters) -> Operation:
        """
        Start an operation: add its rows and make the first users due, in one transaction.

        Args:
            name: the type, which decides whether it works on users with a log or on the organisation itself.
            parameters: the caller's parameters; if they name a user, only that user is worked on.

        Returns:
            The operation, already completed if there is no user to work on.

        Raises:
            Conflict: an operation of that type is running.
        """
        now, operation_id = self._scope.clock.now(), self._scope.ids.new()
        insert = self._scope.insert(operations)
        made = await self._scope.run(
            insert.on_conflict_do_nothing(),
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
            NotFound: the tenant has no operation with that id.
        """
        found = await progress_of(self._scope, [self._is(operation_id)], limit=1)
        if not found:
            raise NotFound(f"no operation {operation_id!r}")
        return found[0]

    async def latest(self, name: OperationName) -> Operation | None:
        """Return the last started operation of that type; None if there was never one."""
        found = await self.list_newest(name=name, limit=1)
        return found[0] if found else None

    async def list_newest(
        self,
        *,
        name: OperationName | None = None,
        statuses: Sequence[OperationStatus] = (),
        limit: int,
    ) -> list[Operation]:
        """Return operations with their progress, last started first."""
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
            operation_id: the operation; one that does not exist has no items.
            statuses: the items' statuses; empty for all.
            after_user: the last user of the previous page; None for the first page.
            limit: the most items.
        """
        statement = self._items(operation_id)
        if statuses:
            statement = statement.where(_item.status.in_([str(status) for status in statuses]))
        if after_user is not None:
            statement = statement.where(_item.user_id > after_user)
        return [item_of(row) for row in await self._scope.all(statement.order_by(_item.user_id).limit(limit))]

    async def current_user(self, operation_id: str) -> UserId | None:
        """Return the user whose unfinished item was worked on last; None if there is none, or it is no user's."""
        statement = self._items(operation_id).where(
            _WAITING, sa.or_(_item.attempts > 0, _item.turn_count > 0)
        )
        rows = await self._scope.all(statement.order_by(_item.updated_at.desc(), _item.user_id).limit(1))
        return user_of(rows[0].user_id) if rows else None

    async def waiting_for(self, user_id: UserId | None) -> list[tuple[Operation, OperationItem]]:
        """
        Return the items of running operations for a user, or for the organisation itself, oldest operation first.

        The operations come without their progress, which would mean reading all their items. Cancelled items that were
        begun are included, so that the worker settles them.
        """
        given = {"org_id": self._scope.org_id, "user_id": user_key(user_id)}
        rows = await self._scope.all(_waiting_for(), given)
        return [(operation_of(row), item_of(row, "item_")) for row in rows]

    async def is_cancelled(self, operation_id: str) -> bool:
        """
        Return whether the workers of an operation must stop, because it was cancelled or deleted.

        In a writing transaction, nobody can cancel it before the commit.
        """
        asked = sa.select(_op.cancel_requested).where(self._is(operation_id))
        rows = await self._scope.all(self._scope.locked(asked))
        return not rows or rows[0].cancel_requested

    async def advance(self, item: OperationItem, *, turns: int, generated: int, failed: bool = False) -> None:
        """
        Count the work done for an item, in the transaction that did it.

        Args:
            item: the item.
            turns: the number of turns read.
            generated: the number of memories written.
            failed: whether some of the work failed; if not, former failures no longer count.

        Raises:
            Conflict: the item was cancelled meanwhile. The transaction must not commit.
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
        """Record how many of an item's steps are done."""
        await self._scope.run(
            sa.update(operation_items)
            .where(self._is_item(item), _WAITING)
            .values(step_count=done, step_total=total, updated_at=self._scope.clock.now())
        )

    async def postpone(
        self, item: OperationItem, *, attempts: int, next_try_at: datetime, error: str
    ) -> None:
        """Record that an item failed, and when it is tried again; an item that no longer waits is not changed."""
        await self._move(item, attempts=attempts, next_try_at=next_try_at, error=error)

    async def pass_turn(self, item: OperationItem) -> None:
        """Give the turn of a long item to others; it gets its next turn after all of them."""
        await self._move(item, next_try_at=None)

    async def delay_user(self, user_id: UserId | None, *, until: datetime, error: str) -> None:
        """
        Record what delays the user's part of operations, and until when at least.

        This is not a failure of the user's items, so it counts as no attempt, and the user keeps the turn.
        """
        mine = (_item.org_id == self._scope.org_id, _item.user_id == user_key(user_id), _WAITING)
        await self._scope.run(
            sa.update(operation_items)
            .where(*mine, _item.next_try_at.is_not(None))
            .values(next_try_at=until, error=error, updated_at=self._scope.clock.now())
        )

    async def trouble(self, operation_id: str) -> str:
        """Return the error of the item that failed last and waits for its next try; empty if none does."""
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
        Record how an item ended; with its last item, the operation ends too. A settled item is not changed.

        Args:
            item: the item.
            status: DONE, FAILED or CANCELLED.
            error: why it failed.
            generated: the number of memories written that `advance` did not count.
            result: added to the operation's result.

        Raises:
            ValueError: *status* is not final.
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

        Items that nobody has begun are cancelled at once. For the others, their users are made due, and the worker
        notices by `is_cancelled` and settles the item.

        Returns:
            Those that were running, in their new state.

        Raises:
            NotFound: there is no operation with that id.
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
        # A locked row is one that somebody is working on.
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
        """Change an item that waits, and give a turn that this frees to another."""
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
