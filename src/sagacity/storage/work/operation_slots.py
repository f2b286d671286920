"""Operation slots: only a few users of an operation are due at a time, which leaves room for all others."""

from datetime import datetime

import sqlalchemy as sa

from sagacity.domain.ids import ORGANISATION
from sagacity.domain.operation import (
    ItemStatus,
    OperationName,
    OperationParameters,
    OperationStatus,
)
from sagacity.storage.base import Scope
from sagacity.storage.evidence.users import make_due
from sagacity.storage.schema.tables import operation_items, operations, users
from sagacity.storage.statements.user_key import user_key

TURNS = 6
"""The most users whose turn it is at a time."""
_OF_USERS = sorted(str(name) for name in OperationName if name.is_of_users)
_op, _item = operations.c, operation_items.c


def slots_within(places: int) -> int:
    """Return the number of operation slots, which leaves one of *places* for users who publish."""
    return min(TURNS, max(1, places - 1))


async def add_items(
    scope: Scope,
    operation_id: str,
    name: OperationName,
    parameters: OperationParameters,
    now: datetime,
) -> int:
    """Add an item for each user to work on, without a turn yet; returns how many."""
    is_organisation = users.c.user_id == user_key(ORGANISATION)
    where = [users.c.org_id == scope.org_id, ~is_organisation if name.is_of_users else is_organisation]
    if parameters.user_id is not None:
        where.append(users.c.user_id == parameters.user_id)
    selected = sa.select(
        users.c.org_id,
        sa.literal(operation_id),
        users.c.user_id,
        sa.literal(str(ItemStatus.WAITING)),
        sa.literal(now, _item.updated_at.type),
    ).where(*where)
    names = ["org_id", "operation_id", "user_id", "status", "updated_at"]
    insert = operation_items.insert().from_select(names, selected, include_defaults=False)
    return await scope.run(insert)


async def give_turns(scope: Scope, operation_id: str) -> None:
    """
    Give free turns to the users whose items were worked on longest ago, and make those users due.

    A user whose item failed and waits for the next try has no turn meanwhile. The caller holds the operation's lock.
    """
    now = scope.clock.now()
    waiting = (
        _item.org_id == scope.org_id,
        _item.operation_id == operation_id,
        _item.status == str(ItemStatus.WAITING),
    )
    free = await _share(scope)
    having = sa.select(_item.user_id).where(*waiting, _item.next_try_at <= now).limit(free)
    free -= len(await scope.all(having))
    if free <= 0:
        return
    # Also by the column that is empty in all of them, so that this is the order of the index.
    next_ones = (
        sa.select(_item.user_id)
        .where(*waiting, _item.next_try_at.is_(None))
        .order_by(_item.next_try_at, _item.updated_at, _item.user_id)
        .limit(free)
        .with_for_update(skip_locked=True)
    )
    chosen = [row.user_id for row in await scope.all(next_ones)]
    if chosen:
        theirs = (*waiting, _item.user_id.in_(chosen))
        await scope.run(sa.update(operation_items).where(*theirs).values(next_try_at=now))
        await make_due(scope, sa.select(_item.user_id).where(*theirs), now)


async def _share(scope: Scope) -> int:
    """Return how many slots each running operation that works on users' logs has."""
    running = sa.select(sa.func.count()).where(
        _op.org_id == scope.org_id,
        _op.status == str(OperationStatus.IN_PROGRESS),
        _op.name.in_(_OF_USERS),
    )
    return max(1, scope.operation_slots // max(1, (await scope.all(running))[0][0]))
