"""Review actions, including undone ones."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.errors import NotFound
from sagacity.domain.ids import MemoryId, UserId
from sagacity.domain.review_queue import NewReviewAction, ReviewAction
from sagacity.storage.base import Scope
from sagacity.storage.schema.ownership import own_memories
from sagacity.storage.schema.tables import review_actions


class ReviewActionRepository:
    """A tenant's review actions, numbered in order. A row is deleted with its memory."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, new: NewReviewAction) -> ReviewAction:
        """
        Store an action, and return it with its number.

        Raises:
            NotFound: its memory is not the tenant's.
        """
        if not await own_memories(self._scope, [new.memory_id]):
            raise NotFound(f"no memory with id {new.memory_id}")
        values = new.model_dump() | {
            "org_id": self._scope.org_id,
            "kind": str(new.kind),
            "step": str(new.step),
        }
        [row] = await self._scope.all(review_actions.insert().returning(review_actions.c.action_id), [values])
        return ReviewAction(**dict(new), action_id=row.action_id)

    async def get(self, action_id: int) -> ReviewAction:
        """
        Return one action; in a writing transaction its row is locked.

        Raises:
            NotFound: the tenant has none with that number.
        """
        statement = self._mine().where(review_actions.c.action_id == action_id)
        rows = await self._scope.all(self._scope.locked(statement))
        if not rows:
            raise NotFound(f"no review action with id {action_id}")
        return _action_of(rows[0])

    async def last_of(self, memory_id: MemoryId) -> ReviewAction | None:
        """Return the last action on a memory that was not undone; None if there is none."""
        column = review_actions.c
        statement = self._mine().where(column.memory_id == memory_id, column.undone_at.is_(None))
        rows = await self._scope.all(self._scope.locked(statement.order_by(column.action_id.desc()).limit(1)))
        return _action_of(rows[0]) if rows else None

    async def list_newest(
        self, *, user_id: UserId | None = None, before: int | None = None, limit: int
    ) -> list[ReviewAction]:
        """
        Return actions, newest first.

        Args:
            user_id: only on this user's memories; None for all users' and the organisation's.
            before: only actions with smaller numbers.
            limit: the most actions.
        """
        column, statement = review_actions.c, self._mine()
        if user_id is not None:
            statement = statement.where(column.user_id == user_id)
        if before is not None:
            statement = statement.where(column.action_id < before)
        rows = await self._scope.all(statement.order_by(column.action_id.desc()).limit(limit))
        return [_action_of(row) for row in rows]

    async def mark_undone(self, action_id: int, *, by: str, at: datetime) -> None:
        """Record who undid an action, and when."""
        column = review_actions.c
        is_it = sa.and_(column.org_id == self._scope.org_id, column.action_id == action_id)
        await self._scope.run(sa.update(review_actions).where(is_it).values(undone_at=at, undone_by=by))

    def _mine(self) -> sa.Select[Any]:
        return sa.select(review_actions).where(review_actions.c.org_id == self._scope.org_id)


def _action_of(row: Any) -> ReviewAction:
    return ReviewAction.model_validate(row._mapping, extra="ignore")
