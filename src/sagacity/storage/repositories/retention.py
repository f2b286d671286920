"""What need not be kept: memories that expired, and the oldest turns that everybody has read."""

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa

from sagacity.domain.cursor import DeadLetterStatus, cursor_name
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.operation import OperationStatus
from sagacity.storage.base import Scope
from sagacity.storage.filters import INTERACTION
from sagacity.storage.repositories.memories import MemoryRepository
from sagacity.storage.repositories.search import SearchRepository
from sagacity.storage.tables import (
    cursors,
    dead_letters,
    interactions,
    memories,
    operations,
    requests,
    sessions,
)


class RetentionRepository:
    """A tenant's clean-up, a limited number of rows at a time."""

    def __init__(self, scope: Scope, search: SearchRepository, kept: MemoryRepository) -> None:
        self._scope = scope
        self._search = search
        self._memories = kept

    async def next_expiry(self) -> datetime | None:
        """Return when the first memory expires, or expired; None if none ever does."""
        column = memories.c
        statement = (
            sa.select(column.expires_at)
            .where(column.org_id == self._scope.org_id, column.expires_at.is_not(None))
            .order_by(column.expires_at)
            .limit(1)
        )
        return next((row.expires_at for row in await self._scope.all(statement)), None)

    async def purge_expired(self, before: datetime, *, limit: int) -> int:
        """Delete up to *limit* memories that expired by *before*, with all recorded of them; returns how many."""
        column = memories.c
        rows = await self._scope.all(
            sa.select(column.memory_id, column.kind)
            .where(column.org_id == self._scope.org_id, column.expires_at <= before)
            .order_by(column.expires_at, column.memory_id)
            .limit(limit)
        )
        for kind in sorted({row.kind for row in rows}):
            ids = [row.memory_id for row in rows if row.kind == kind]
            await self._memories.delete(MemoryKind(kind), ids=ids)
        return len(rows)

    async def drop_oldest(self, keep: int, learners: Collection[str], *, judged: bool, limit: int) -> int:
        """
        Delete the oldest turns beyond *keep*, with requests and sessions that are empty by that.

        What a learner still has to read, also of a version that a downgrade would bring back, stays. So does what was
        parked, and everything while a long run is under way.

        Args:
            keep: how many turns the tenant may have.
            learners: who has to have read a turn.
            judged: whether sessions are judged; then those that wait for it stay.
            limit: the most turns to delete; some hundred, as each is a parameter of a statement.

        Returns:
            How many turns were deleted.
        """
        column, mine = interactions.c, interactions.c.org_id == self._scope.org_id
        [(count,)] = await self._scope.all(sa.select(sa.func.count()).where(mine))
        if count <= keep or await self._is_run_under_way():
            return 0
        done = sa.and_(mine, self._is_read(learners), *((self._is_judged(),) if judged else ()))
        oldest = await self._scope.all(
            sa.select(column.interaction_id, column.created_at)
            .where(done)
            .order_by(column.created_at, column.interaction_id)
            .limit(min(count - keep, limit))
        )
        if not oldest:
            return 0
        ids = [row.interaction_id for row in oldest]
        await self._search.remove(INTERACTION, ids)
        await self._scope.run(sa.delete(interactions).where(mine, column.interaction_id.in_(ids)))
        await self._drop_empty(oldest[-1].created_at)
        return len(oldest)

    async def _is_run_under_way(self) -> bool:
        running = sa.select(operations.c.operation_id).where(
            operations.c.org_id == self._scope.org_id,
            operations.c.status == str(OperationStatus.IN_PROGRESS),
        )
        return bool(await self._scope.all(running.limit(1)))

    def _is_read(self, learners: Collection[str]) -> sa.ColumnElement[bool]:
        """Whether every learner has read a turn, and none has parked it."""
        turn, letter = interactions.c, dead_letters.c
        parked = sa.exists().where(
            letter.org_id == turn.org_id,
            letter.user_id == turn.user_id,
            letter.status != str(DeadLetterStatus.REPLAYED),
            sa.between(turn.seq, letter.first_seq, letter.last_seq),
        )
        return sa.and_(~parked, *(self._has_read(one) for one in learners))

    def _has_read(self, learner: str) -> sa.ColumnElement[bool]:
        turn, cursor = interactions.c, cursors.c
        of_user = sa.and_(cursor.org_id == turn.org_id, cursor.user_id == turn.user_id)
        read = sa.exists().where(of_user, cursor.learner == learner, cursor.seq >= turn.seq)
        former = cursor_name(learner, Status.ARCHIVED)
        behind = sa.exists().where(of_user, cursor.learner == former, cursor.seq < turn.seq)
        return sa.and_(read, ~behind)

    def _is_judged(self) -> sa.ColumnElement[bool]:
        turn, session = interactions.c, sessions.c
        return ~sa.exists().where(
            session.org_id == turn.org_id,
            session.user_id == turn.user_id,
            session.session_id == turn.session_id,
            session.evaluate_after.is_not(None),
        )

    async def _drop_empty(self, until: datetime) -> None:
        """Delete requests of that time without turns, and sessions without requests."""
        request, session = requests.c, sessions.c
        has_turns = sa.exists().where(
            interactions.c.org_id == request.org_id, interactions.c.request_id == request.request_id
        )
        mine = sa.and_(request.org_id == self._scope.org_id, request.created_at <= until)
        await self._scope.run(sa.delete(requests).where(mine, ~has_turns))
        goes_on = sa.exists().where(
            request.org_id == session.org_id,
            request.session_id == session.session_id,
            request.user_id == session.user_id,
        )
        mine = sa.and_(session.org_id == self._scope.org_id, session.updated_at <= until)
        await self._scope.run(sa.delete(sessions).where(mine, ~goes_on))
