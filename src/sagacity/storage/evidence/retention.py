"""Find what can be deleted: expired memories, and the oldest turns that every learner has read."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.cursor import DeadLetterStatus, LearnerKey
from sagacity.domain.ids import InteractionId
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.operation import OperationStatus
from sagacity.domain.retention import TurnsToGo
from sagacity.storage.base import Scope
from sagacity.storage.evidence.orphans import delete_empty_requests, delete_empty_sessions
from sagacity.storage.evidence.verdicts import forget_verdicts, held_sessions
from sagacity.storage.memories.memories import MemoryRepository
from sagacity.storage.schema.tables import (
    cursors,
    dead_letters,
    interactions,
    memories,
    memory_requests,
    operations,
    requests,
    sessions,
)
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.search.filters import INTERACTION
from sagacity.storage.statements.array_params import found_by, one_of

_VERSIONS = (Status.CURRENT, Status.PENDING, Status.ARCHIVED)


class RetentionRepository:
    """A tenant's clean-up, a limited number of rows at a time."""

    def __init__(self, scope: Scope, search: SearchRepository, kept: MemoryRepository) -> None:
        self._scope = scope
        self._search = search
        self._memories = kept

    async def next_expiry(self) -> datetime | None:
        """Return the earliest time at which a memory expires or expired; None if none does."""
        column = memories.c
        statement = (
            sa.select(column.expires_at)
            .where(
                column.org_id == self._scope.org_id,
                column.expires_at.is_not(None),
                column.is_held.is_(sa.false()),
            )
            .order_by(column.expires_at)
            .limit(1)
        )
        return next((row.expires_at for row in await self._scope.all(statement)), None)

    async def purge_expired(self, before: datetime, *, limit: int) -> int:
        """Delete up to *limit* memories that expired by *before*, with all their records; returns how many."""
        column = memories.c
        rows = await self._scope.all(
            sa.select(column.memory_id, column.kind)
            .where(
                column.org_id == self._scope.org_id,
                column.expires_at <= before,
                column.is_held.is_(sa.false()),
            )
            .order_by(column.expires_at, column.memory_id)
            .limit(limit)
        )
        for kind in sorted({row.kind for row in rows}):
            ids = [row.memory_id for row in rows if row.kind == kind]
            await self._memories.delete(MemoryKind(kind), ids=ids)
        return len(rows)

    async def first_at(self) -> datetime | None:
        """Return when the oldest turn was said; None if there is none."""
        column = interactions.c
        oldest = sa.select(column.created_at).where(column.org_id == self._scope.org_id)
        rows = await self._scope.all(oldest.order_by(column.created_at).limit(1))
        return rows[0].created_at if rows else None

    async def excess(self, keep: int) -> int:
        """Return how many turns the tenant has beyond *keep*; 0 while an operation runs, which may read all turns."""
        if await self._is_run_under_way():
            return 0
        [(count,)] = await self._scope.all(
            sa.select(sa.func.count()).where(interactions.c.org_id == self._scope.org_id)
        )
        return max(0, count - keep)

    async def oldest_read(self, may_go: TurnsToGo, *, limit: int) -> list[InteractionId]:
        """
        Return up to *limit* of the oldest turns that may be deleted.

        Turns may not be deleted while a learner must still read them, also for a version that an upgrade or a downgrade
        would put in force, or while they are parked or held by a quarantine.
        """
        column = interactions.c
        statement = self._that_may_go(may_go).order_by(column.created_at, column.interaction_id)
        return [row.interaction_id for row in await self._scope.all(statement.limit(limit))]

    async def drop(self, chosen: Sequence[InteractionId], may_go: TurnsToGo) -> int:
        """
        Delete turns, the verdicts on their sessions, and requests and sessions that become empty.

        Args:
            chosen: turns from `oldest_read`; those that may no longer be deleted stay.
            may_go: the same as for `oldest_read`.

        Returns:
            How many turns were deleted.
        """
        if await self._is_run_under_way():
            return 0
        is_chosen = one_of(interactions.c.interaction_id, chosen)
        rows = await self._scope.all(self._that_may_go(may_go, is_chosen))
        if not rows:
            return 0
        ids = [row.interaction_id for row in rows]
        is_gone = one_of(interactions.c.interaction_id, ids)
        held = await held_sessions(self._scope, is_gone)
        await self._search.remove(INTERACTION, ids)
        await self._scope.run(sa.delete(interactions).where(self._scope.owns(interactions), is_gone))
        await forget_verdicts(self._scope, held)
        await self._drop_empty(rows)
        return len(rows)

    async def _is_run_under_way(self) -> bool:
        running = sa.select(operations.c.operation_id).where(
            operations.c.org_id == self._scope.org_id,
            operations.c.status == str(OperationStatus.IN_PROGRESS),
        )
        return bool(await self._scope.all(running.limit(1)))

    def _that_may_go(self, may_go: TurnsToGo, *chosen: sa.ColumnElement[bool]) -> sa.Select[*tuple[Any, ...]]:
        """Select the turns that may be deleted, of *chosen* or of all."""
        turn, letter = interactions.c, dead_letters.c
        parked = sa.exists().where(
            letter.org_id == turn.org_id,
            letter.user_id == turn.user_id,
            letter.status != str(DeadLetterStatus.REPLAYED),
            sa.between(turn.seq, letter.first_seq, letter.last_seq),
        )
        columns = (turn.interaction_id, turn.request_id, turn.session_id, turn.created_at)
        mine = self._scope.owns(interactions) if chosen else turn.org_id == self._scope.org_id
        statement = sa.select(*columns).where(mine, *chosen, ~parked, turn.is_held.is_(sa.false()))
        if may_go.before is not None:
            statement = statement.where(turn.created_at < may_go.before)
        if may_go.retain_evidence:
            statement = statement.where(~self._is_evidence())
        if may_go.learners:
            ends = self._read_ends(may_go.learners, *chosen)
            is_read = sa.and_(ends.c.user_id == turn.user_id, turn.seq <= ends.c.seq)
            statement = statement.join(ends, is_read)
        return statement.where(self._is_judged()) if may_go.judged else statement

    def _read_ends(self, learners: Collection[LearnerKey], *chosen: sa.ColumnElement[bool]) -> sa.Subquery:
        """Select the number up to which every learner, in every version, has read each user's log."""
        column = cursors.c
        in_force = sa.case((column.version == str(Status.CURRENT), 1), else_=0)
        ends = (
            sa.select(column.user_id, sa.func.min(column.seq).label("seq"))
            .where(
                column.org_id == self._scope.org_id,
                _is_one_of(learners),
                one_of(column.version, _VERSIONS),
            )
            .group_by(column.user_id)
            .having(sa.func.sum(in_force) == len(set(learners)))
        )
        if chosen:
            of_chosen = sa.select(interactions.c.user_id).where(self._scope.owns(interactions), *chosen)
            ends = ends.where(found_by(column.user_id, of_chosen.distinct().scalar_subquery()))
        return ends.subquery()

    def _is_evidence(self) -> sa.ColumnElement[bool]:
        """Return the condition that a current or pending memory rests on a turn's request."""
        turn, link, memory = interactions.c, memory_requests.c, memories.c
        return sa.exists().where(
            link.org_id == turn.org_id,
            link.request_id == turn.request_id,
            memory.memory_id == link.memory_id,
            memory.status.in_([str(Status.CURRENT), str(Status.PENDING)]),
        )

    def _is_judged(self) -> sa.ColumnElement[bool]:
        turn, session = interactions.c, sessions.c
        return ~sa.exists().where(
            session.org_id == turn.org_id,
            session.user_id == turn.user_id,
            session.session_id == turn.session_id,
            session.evaluate_after.is_not(None),
        )

    async def _drop_empty(self, gone: Sequence[Any]) -> None:
        """Delete those of the turns' requests that have no turns left, and of their sessions that have no requests."""
        request, session = requests.c, sessions.c
        until = max(row.created_at for row in gone)  # requests and sessions with later turns stay
        theirs = one_of(request.request_id, {row.request_id for row in gone})
        await delete_empty_requests(self._scope, theirs, request.created_at <= until)
        theirs = one_of(session.session_id, {row.session_id for row in gone if row.session_id is not None})
        await delete_empty_sessions(self._scope, theirs, session.updated_at <= until)


def _is_one_of(learners: Collection[LearnerKey]) -> sa.ColumnElement[bool]:
    """Return the condition that a cursor belongs to one of these learners."""
    names: dict[MemoryKind, set[str]] = {}
    for kind, name in learners:
        names.setdefault(kind, set()).add(name)
    column = cursors.c
    return sa.or_(
        *(sa.and_(column.kind == str(kind), one_of(column.extractor_name, of)) for kind, of in names.items())
    )
