"""The users of an organisation: all who published turns, and all with memories."""

import sqlalchemy as sa

from sagacity.domain.ids import UserId
from sagacity.domain.known_user import KnownUser
from sagacity.domain.memory import Status
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import memories, users
from sagacity.storage.statements.array_params import one_of


class KnownUserRepository:
    """A tenant's users, in the order of their ids."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def page(self, *, after: UserId | None = None, limit: int) -> list[KnownUser]:
        """Return up to *limit* users, in the order of their ids; with *after*, only those after that id."""
        names = await self._names(after, limit)
        published = {
            row.user_id: row
            for row in await self._scope.all(
                sa.select(users.c.user_id, users.c.last_seq, users.c.updated_at).where(
                    users.c.org_id == self._scope.org_id,
                    users.c.last_seq > 0,
                    one_of(users.c.user_id, names),
                )
            )
        }
        remembered = await self._memories(names)
        return [
            KnownUser(
                user_id=UserId(name),
                turns=published[name].last_seq if name in published else 0,
                last_publish_at=published[name].updated_at if name in published else None,
                memories=remembered.get(name, 0),
            )
            for name in names
        ]

    async def _names(self, after: UserId | None, limit: int) -> list[str]:
        # Each part ends with the page, so that its index is read no further; the empty id is the organisation's.
        parts = [
            sa.select(table.c.user_id)
            .where(table.c.org_id == self._scope.org_id, table.c.user_id > (after or ""))
            .distinct()
            .order_by(table.c.user_id)
            .limit(limit)
            .subquery()
            for table in (users, memories)
        ]
        both = sa.union(*(sa.select(part.c.user_id) for part in parts)).subquery()
        rows = await self._scope.all(sa.select(both.c.user_id).order_by(both.c.user_id).limit(limit))
        return [row.user_id for row in rows]

    async def _memories(self, names: list[str]) -> dict[str, int]:
        column = memories.c
        rows = await self._scope.all(
            sa.select(column.user_id, sa.func.count(column.memory_id).label("number"))
            .where(
                column.org_id == self._scope.org_id,
                one_of(column.user_id, names),
                column.status == str(Status.CURRENT),
            )
            .group_by(column.user_id)
        )
        return {row.user_id: row.number for row in rows}
