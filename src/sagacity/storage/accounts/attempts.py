"""Attempts to get into accounts, counted per account and per network address."""

from collections.abc import Callable
from datetime import datetime

import sqlalchemy as sa

from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import access_attempts


class AttemptRepository:
    """A tenant's counts of attempts. A subject is a hash; an address may have an account or not."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def count(
        self, subject: str, *, since: datetime, wait_until: Callable[[int], datetime | None]
    ) -> datetime | None:
        """
        Count one more attempt, unless the subject must wait.

        Args:
            subject: whose attempts are counted.
            since: a count last changed before this time starts again at 1.
            wait_until: given the number of attempts, returns until when the subject must wait, if at all.

        Returns:
            Until when the subject must wait; None if the attempt was counted.
        """
        now = self._scope.clock.now()
        first = {
            "org_id": self._scope.org_id,
            "subject": subject,
            "attempt_count": 0,
            "updated_at": now,
        }
        insert, column = self._scope.insert(access_attempts), access_attempts.c
        kept = insert.on_conflict_do_update(  # in one statement: old counts may be deleted at any time
            index_elements=[column.org_id, column.subject], set_={"subject": insert.excluded.subject}
        )
        [row] = await self._scope.all(kept.returning(access_attempts), first)
        if row.blocked_until is not None and row.blocked_until > now:
            return row.blocked_until
        count = 1 if row.updated_at < since else row.attempt_count + 1
        await self._scope.run(
            sa.update(access_attempts)
            .where(*self._one(subject))
            .values(attempt_count=count, blocked_until=wait_until(count), updated_at=now)
        )
        return None

    async def touch(self, subject: str) -> None:
        """Rewrite a count unchanged, so that a call with nothing to write takes as long as one that writes."""
        count = access_attempts.c.attempt_count
        await self._scope.run(
            sa.update(access_attempts).where(*self._one(subject)).values(attempt_count=count)
        )

    async def forgive(self, subject: str, *, tries: int | None = None) -> None:
        """Subtract the last *tries* attempts of a subject, or all of them."""
        count = access_attempts.c.attempt_count
        left = sa.literal(0) if tries is None else sa.case((count > tries, count - tries), else_=0)
        await self._scope.run(
            sa.update(access_attempts)
            .where(*self._one(subject))
            .values(attempt_count=left, blocked_until=None)
        )

    async def remove_older(self, before: datetime, *, limit: int) -> int:
        """Delete up to *limit* counts that have not changed since *before*; returns how many."""
        own = access_attempts.c.org_id == self._scope.org_id
        oldest = (
            sa.select(access_attempts.c.subject)
            .where(own, access_attempts.c.updated_at < before)
            .limit(limit)
        )
        return await self._scope.run(
            sa.delete(access_attempts).where(own, access_attempts.c.subject.in_(oldest))
        )

    def _one(self, subject: str) -> tuple[sa.ColumnElement[bool], ...]:
        return access_attempts.c.org_id == self._scope.org_id, access_attempts.c.subject == subject
