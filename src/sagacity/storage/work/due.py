"""Which logs are due, over all tenants."""

from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.storage.schema.views import due_users


@cache
def due_by(*, in_turn: bool) -> sa.Select[*tuple[Any, ...]]:
    """
    Return the statement for up to `limit` users and organisations that are due by `now`; see `Storage.due_scopes`.

    Args:
        in_turn: whether tenants take turns, with up to `each` scopes per tenant.
    """
    due, turn = due_users.c, sa.literal(0)
    if in_turn:
        turn = sa.func.row_number().over(partition_by=due.org_id, order_by=due.due_at)
    ranked = sa.select(due_users, turn.label("turn")).where(due.due_at <= sa.bindparam("now")).subquery().c
    statement = sa.select(ranked.org_id, ranked.user_id).order_by(ranked.turn, ranked.due_at)
    if in_turn:
        statement = statement.where(ranked.turn <= sa.bindparam("each"))
    return statement.limit(sa.bindparam("limit"))
