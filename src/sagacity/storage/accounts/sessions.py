"""Sessions of accounts that are signed in."""

from datetime import datetime

import sqlalchemy as sa

from sagacity.domain.account import AccountSession
from sagacity.domain.ids import UserId
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import account_sessions


class AccountSessionRepository:
    """A tenant's sessions of accounts. The row of an ended session is kept until it would have expired."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, session: AccountSession) -> None:
        """Store a new session."""
        await self._scope.run(
            account_sessions.insert(), session.model_dump() | {"org_id": self._scope.org_id}
        )

    async def find_live(self, session_id: str, user_id: UserId) -> AccountSession | None:
        """Return a user's session that has neither ended nor expired."""
        rows = await self._scope.all(
            sa.select(account_sessions).where(
                *self._one(session_id),
                account_sessions.c.user_id == user_id,
                account_sessions.c.ended_at.is_(None),
                account_sessions.c.expires_at > self._scope.clock.now(),
            )
        )
        return AccountSession.model_validate(rows[0]._mapping, extra="ignore") if rows else None

    async def rotate(self, session_id: str, *, used: str, new: str, expires_at: datetime) -> bool:
        """Replace the hash of the refresh token *used* by that of the next; False if *used* is not the newest."""
        changed = await self._scope.run(
            sa.update(account_sessions)
            .where(
                *self._one(session_id),
                account_sessions.c.refresh_hash == used,
                account_sessions.c.ended_at.is_(None),
                account_sessions.c.expires_at > self._scope.clock.now(),
            )
            .values(refresh_hash=new, expires_at=expires_at)
        )
        return bool(changed)

    async def end(self, session_id: str) -> None:
        """End a session, which makes all its tokens invalid."""
        await self._end(*self._one(session_id))

    async def end_all(self, user_id: UserId, *, but: str | None = None) -> None:
        """End every session of a user, except the session *but*."""
        others = () if but is None else (account_sessions.c.session_id != but,)
        await self._end(
            account_sessions.c.org_id == self._scope.org_id, account_sessions.c.user_id == user_id, *others
        )

    async def remove_expired(self, *, limit: int) -> int:
        """Delete up to *limit* sessions that have expired; returns how many."""
        oldest = (
            sa.select(account_sessions.c.session_id)
            .where(
                account_sessions.c.org_id == self._scope.org_id,
                account_sessions.c.expires_at <= self._scope.clock.now(),
            )
            .limit(limit)
        )
        return await self._scope.run(
            sa.delete(account_sessions).where(
                account_sessions.c.org_id == self._scope.org_id, account_sessions.c.session_id.in_(oldest)
            )
        )

    async def _end(self, *conditions: sa.ColumnElement[bool]) -> None:
        await self._scope.run(
            sa.update(account_sessions)
            .where(*conditions, account_sessions.c.ended_at.is_(None))
            .values(ended_at=self._scope.clock.now())
        )

    def _one(self, session_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        return account_sessions.c.org_id == self._scope.org_id, account_sessions.c.session_id == session_id
