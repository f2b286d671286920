"""How far operations are: counted over their items, for all that are asked for at once."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.operation import ItemStatus, Operation, OperationItem
from sagacity.storage.base import Scope
from sagacity.storage.tables import operation_items, operations

SETTLED = frozenset(ItemStatus) - {ItemStatus.WAITING}
_op, _item = operations.c, operation_items.c


async def progress_of(
    scope: Scope, wanted: Sequence[sa.ColumnElement[bool]], *, limit: int
) -> list[Operation]:
    """Return up to *limit* operations of which *wanted* is true, the one started last first, with their counts."""
    newest = (_op.created_at.desc(), _op.operation_id.desc())
    chosen = (
        sa.select(_op.org_id, _op.operation_id)
        .where(*wanted)
        .order_by(*newest)
        .limit(limit)
        .subquery("chosen")
    )
    ended = _item.status.in_([str(status) for status in sorted(SETTLED)])
    counts = {
        "processed_count": sa.func.sum(sa.case((ended, 1), else_=0)),
        "failed_count": sa.func.sum(sa.case((_item.status == str(ItemStatus.FAILED), 1), else_=0)),
        "turn_count": sa.func.sum(_item.turn_count),
        "generated_count": sa.func.sum(_item.generated_count),
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


def same_operation(one: sa.FromClause, other: sa.FromClause) -> sa.ColumnElement[bool]:
    """Return that rows of two tables belong to one operation."""
    return sa.and_(one.c.org_id == other.c.org_id, one.c.operation_id == other.c.operation_id)


def operation_of(row: Any) -> Operation:
    """Turn a row into the value; counts that it has not got are zero."""
    values = {name: value for name, value in row._mapping.items() if value is not None}
    return Operation.model_validate(values, extra="ignore")


def item_of(row: Any, prefix: str = "") -> OperationItem:
    """Turn a row into the value, by those of its columns whose names begin with *prefix*."""
    values = {
        name.removeprefix(prefix): value for name, value in row._mapping.items() if name.startswith(prefix)
    }
    return OperationItem.model_validate(values, extra="ignore")
