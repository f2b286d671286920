"""The lengths of users' logs, for drawing samples from them."""

import sqlalchemy as sa

from sagacity.domain.ids import UserId
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import users


class LogRepository:
    """A tenant's logs, one for each user."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def exists(self, user_id: UserId) -> bool:
        """Return whether a user has a log; it cannot be erased before a writing transaction ends."""
        mine = sa.and_(users.c.org_id == self._scope.org_id, users.c.user_id == user_id)
        return bool(await self._scope.all(self._scope.locked(sa.select(users.c.user_id).where(mine))))

    async def lengths(self, *, limit: int, user_id: UserId | None = None) -> dict[UserId, int]:
        """Return the last number in each of up to *limit* non-empty logs, or in one user's log, by user id."""
        column = users.c
        statement = (
            sa.select(column.user_id, column.last_seq)
            .where(column.org_id == self._scope.org_id, column.last_seq > 0, column.is_erasing.is_(False))
            .order_by(column.user_id)
            .limit(limit)
        )
        if user_id is not None:
            statement = statement.where(column.user_id == user_id)
        return {UserId(row.user_id): row.last_seq for row in await self._scope.all(statement)}
