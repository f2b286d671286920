"""Sessions: which are due for evaluation, and their turns."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.evaluation import WaitingSession
from sagacity.domain.ids import InteractionId, SessionId, UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import MemoryKind, Status
from sagacity.storage.base import Scope
from sagacity.storage.evidence.turn_windows import is_there
from sagacity.storage.schema.tables import interactions, memories, memory_requests, requests, sessions
from sagacity.storage.statements.array_params import one_of

_UNREAD = {"image_url", "image_base64", "citations"}


class SessionRepository:
    """A tenant's sessions. Each publish marks its session to be judged once it is quiet."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def waiting(self, user_id: UserId, *, limit: int) -> list[WaitingSession]:
        """Return up to *limit* of the user's sessions that wait to be judged, longest waiting first."""
        column = sessions.c
        rows = await self._scope.all(
            sa.select(sessions)
            .where(
                column.org_id == self._scope.org_id,
                column.user_id == user_id,
                column.evaluate_after.is_not(None),
            )
            .order_by(column.evaluate_after, column.session_id)
            .limit(limit)
        )
        return [WaitingSession.model_validate(row._mapping, extra="ignore") for row in rows]

    async def find(self, user_id: UserId, session_id: SessionId) -> WaitingSession | None:
        """Return one session, whether it waits or not."""
        rows = await self._scope.all(
            sa.select(sessions).where(
                sessions.c.org_id == self._scope.org_id,
                sessions.c.user_id == user_id,
                sessions.c.session_id == session_id,
            )
        )
        return WaitingSession.model_validate(rows[0]._mapping, extra="ignore") if rows else None

    async def lock(self, session: WaitingSession, turns: Sequence[InteractionId]) -> bool:
        """Return whether a session has all of *turns*, none of them held, and lock them until the transaction ends."""
        column, turn = sessions.c, interactions.c
        found = await self._scope.all(
            self._scope.locked(
                sa.select(column.session_id).where(
                    column.org_id == self._scope.org_id,
                    column.user_id == session.user_id,
                    column.session_id == session.session_id,
                )
            )
        )
        kept = sa.select(sa.func.count()).where(
            turn.org_id == self._scope.org_id,
            turn.user_id == session.user_id,
            turn.session_id == session.session_id,
            one_of(turn.interaction_id, turns),
            turn.is_held.is_(sa.false()),
        )
        return bool(found) and (await self._scope.all(kept))[0][0] == len(turns)

    async def settle(
        self, session: WaitingSession, *, evaluate_after: datetime | None, attempts: int = 0
    ) -> bool:
        """
        Set when a session is to be judged next; None: after its next publish.

        Args:
            session: the session as it was read.
            evaluate_after: the time.
            attempts: failures so far.

        Returns:
            Whether it was changed; not if turns were published to it since it was read.
        """
        column = sessions.c
        changed = await self._scope.run(
            sa.update(sessions)
            .where(
                column.org_id == self._scope.org_id,
                column.user_id == session.user_id,
                column.session_id == session.session_id,
                column.message_count == session.message_count,
            )
            .values(evaluate_after=evaluate_after, evaluation_attempts=attempts)
        )
        return bool(changed)

    async def turns(self, user_id: UserId, session_id: SessionId, *, limit: int) -> list[Interaction]:
        """Return up to *limit* of the newest turns of a session of one user, oldest first, without their images."""
        columns = [column for column in interactions.c if column.name not in _UNREAD]
        images = map(is_there, (interactions.c.image_url, interactions.c.image_base64))
        statement = (
            sa.select(*columns, *images, requests.c.source, requests.c.agent_version)
            .join_from(
                requests,
                interactions,
                sa.and_(
                    interactions.c.org_id == requests.c.org_id,
                    interactions.c.request_id == requests.c.request_id,
                ),
            )
            .where(
                requests.c.org_id == self._scope.org_id,
                requests.c.session_id == session_id,
                requests.c.user_id == user_id,
            )
            .order_by(interactions.c.seq.desc())
            .limit(limit)
        )
        rows: Sequence[Any] = await self._scope.all(statement)
        return [Interaction.model_validate(row._mapping, extra="ignore") for row in reversed(rows)]

    async def session_of(self, user_id: UserId, seq: int) -> SessionId | None:
        """Return the session of a turn of the user's log; None if it has none or does not exist."""
        rows = await self._scope.all(
            sa.select(interactions.c.session_id).where(
                interactions.c.org_id == self._scope.org_id,
                interactions.c.user_id == user_id,
                interactions.c.seq == seq,
            )
        )
        return rows[0].session_id if rows else None

    async def correction_count(self, user_id: UserId, session_id: SessionId) -> int:
        """Return how many of the user's current playbooks were learned from a session."""
        learned = (
            sa.select(memory_requests.c.memory_id)
            .join_from(
                requests,
                memory_requests,
                sa.and_(
                    memory_requests.c.org_id == requests.c.org_id,
                    memory_requests.c.request_id == requests.c.request_id,
                ),
            )
            .where(
                requests.c.org_id == self._scope.org_id,
                requests.c.session_id == session_id,
                requests.c.user_id == user_id,
            )
        )
        rows = await self._scope.all(
            sa.select(sa.func.count()).where(
                memories.c.org_id == self._scope.org_id,
                memories.c.memory_id.in_(learned),
                memories.c.kind == str(MemoryKind.USER_PLAYBOOK),
                memories.c.user_id == user_id,
                memories.c.status == str(Status.CURRENT),
            )
        )
        return rows[0][0]
