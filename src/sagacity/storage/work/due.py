"""Whose logs have to be looked at, over all tenants."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.tenant import DueScope, Tenant
from sagacity.storage.schema.views import due_users
from sagacity.storage.statements.user_key import user_of


async def read_due(
    connection: AsyncConnection, now: datetime, *, limit: int, each: int | None = None
) -> list[DueScope]:
    """Return users and organisations that are due by *now*; see `Storage.due_scopes`."""
    due, turn = due_users.c, sa.literal(0)
    if each is not None:
        turn = sa.func.row_number().over(partition_by=due.org_id, order_by=due.due_at)
    ranked = sa.select(due_users, turn.label("turn")).where(due.due_at <= now).subquery().c
    statement = sa.select(ranked.org_id, ranked.user_id).order_by(ranked.turn, ranked.due_at).limit(limit)
    if each is not None:
        statement = statement.where(ranked.turn <= each)
    rows = (await connection.execute(statement)).all()
    return [DueScope(tenant=Tenant(org_id=row.org_id), user_id=user_of(row.user_id)) for row in rows]
