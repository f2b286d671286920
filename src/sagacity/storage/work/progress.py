"""Count the progress of operations over their items, and end an operation when no item waits."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.operation import ItemStatus, Operation, OperationItem, OperationStatus
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import operation_items, operations
from sagacity.storage.statements.user_key import user_of

SETTLED = frozenset(ItemStatus) - {ItemStatus.WAITING}
_op, _item = operations.c, operation_items.c


async def progress_of(
    scope: Scope, wanted: Sequence[sa.ColumnElement[bool]], *, limit: int
) -> list[Operation]:
    """Return up to *limit* operations that meet *wanted*, last started first, with the counts of their items."""
    newest = (_op.created_at.desc(), _op.operation_id.desc())
    chosen = (
        sa.select(_op.org_id, _op.operation_id)
        .where(*wanted)
        .order_by(*newest)
        .limit(limit)
        .subquery("chosen")
    )
    counts = {
        "processed_count": _count_of(ItemStatus.DONE),
        "failed_count": _count_of(ItemStatus.FAILED),
        **{
            name: sa.func.sum(_item[name])
            for name in ("turn_count", "generated_count", "step_count", "step_total")
        },
    }
    counted = (
        sa.select(_item.operation_id, *(count.label(name) for name, count in counts.items()))
        .join(chosen, same_operation(chosen, operation_items))
        .group_by(_item.operation_id)
        .subquery("counted")
    )
    statement = (
        sa.select(operations, *(counted.c[name] for name in counts))
        .join(chosen, same_operation(operations, chosen))
        .outerjoin(counted, counted.c.operation_id == _op.operation_id)
        .order_by(*newest)
    )
    return [operation_of(row) for row in await scope.all(statement)]


async def close_if_done(scope: Scope, operation_id: str, error: str) -> bool:
    """
    End an operation, whose row the caller has locked, if none of its items waits.

    Args:
        scope: the scope of the transaction.
        operation_id: the operation.
        error: why it failed, if it did.

    Returns:
        Whether it ended.
    """
    if await _has_any(scope, operation_id, ItemStatus.WAITING):
        return False
    is_it = sa.and_(_op.org_id == scope.org_id, _op.operation_id == operation_id)
    [one] = await progress_of(scope, [is_it], limit=1)
    status = OperationStatus.COMPLETED
    if one.cancel_requested and await _has_any(scope, operation_id, ItemStatus.CANCELLED):
        status = OperationStatus.CANCELLED
    elif one.failed_count and not one.processed_count:
        status = OperationStatus.FAILED
    told = error if status is OperationStatus.FAILED else ""
    ended = {"status": str(status), "error": told, "finished_at": scope.clock.now()}
    await scope.run(sa.update(operations).where(is_it).values(ended))
    return True


async def _has_any(scope: Scope, operation_id: str, status: ItemStatus) -> bool:
    found = sa.select(_item.user_id).where(
        _item.org_id == scope.org_id, _item.operation_id == operation_id, _item.status == str(status)
    )
    return bool(await scope.all(found.limit(1)))


def _count_of(status: ItemStatus) -> sa.ColumnElement[int]:
    return sa.func.sum(sa.case((_item.status == str(status), 1), else_=0))


def same_operation(one: sa.FromClause, other: sa.FromClause) -> sa.ColumnElement[bool]:
    """Return the condition that rows of two tables belong to one operation."""
    return sa.and_(one.c.org_id == other.c.org_id, one.c.operation_id == other.c.operation_id)


def operation_of(row: Any) -> Operation:
    """Turn a row into the value; missing counts are zero."""
    values = {name: value for name, value in row._mapping.items() if value is not None}
    return Operation.model_validate(values, extra="ignore")


def item_of(row: Any, prefix: str = "") -> OperationItem:
    """Turn the columns whose names begin with *prefix* into the value."""
    values = {
        name.removeprefix(prefix): value for name, value in row._mapping.items() if name.startswith(prefix)
    }
    return OperationItem.model_validate({**values, "user_id": user_of(values["user_id"])}, extra="ignore")
