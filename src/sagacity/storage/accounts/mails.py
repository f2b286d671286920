"""E-mails to accounts: which are due, and the hash of the last code for each purpose."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from sagacity.domain.account import Mail, WaitingMail
from sagacity.domain.ids import UserId
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import account_mails, accounts


class AccountMailRepository:
    """A tenant's e-mails to accounts, one for each account and purpose; a newer one replaces an older one."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def ask(self, user_id: UserId, purpose: Mail) -> None:
        """Make an e-mail due; a code sent before stays valid until the new one is made."""
        now = self._scope.clock.now()
        insert = self._scope.insert(account_mails)
        await self._scope.run(
            insert.on_conflict_do_update(
                index_elements=[account_mails.c.org_id, account_mails.c.user_id, account_mails.c.purpose],
                set_={
                    "due_at": insert.excluded.due_at,
                    "attempts": 0,
                    "created_at": insert.excluded.created_at,
                },
            ),
            {
                "org_id": self._scope.org_id,
                "user_id": user_id,
                "purpose": str(purpose),
                "due_at": now,
                "attempts": 0,
                "created_at": now,
            },
        )

    async def claim(self, *, until: datetime) -> WaitingMail | None:
        """Claim the e-mail that has been due longest, for this caller alone *until* then; None if none is due."""
        mail = account_mails.c
        due = (
            sa.select(mail.user_id, mail.purpose, mail.attempts, accounts.c.email)
            .join(accounts, sa.and_(accounts.c.org_id == mail.org_id, accounts.c.user_id == mail.user_id))
            .where(mail.org_id == self._scope.org_id, mail.due_at <= self._scope.clock.now())
            .order_by(mail.due_at)
            .limit(1)
        )
        rows = await self._scope.all(self._scope.locked(due, account_mails))
        if not rows:
            return None
        found = WaitingMail.model_validate(rows[0]._mapping)
        await self._set(found.user_id, found.purpose, due_at=until, attempts=found.attempts + 1)
        return found

    async def put_code(self, user_id: UserId, purpose: Mail, code_hash: str, *, expires_at: datetime) -> None:
        """Store the hash of the code that is about to be sent, which makes the code before it invalid."""
        await self._set(user_id, purpose, code_hash=code_hash, expires_at=expires_at)

    async def sent(self, user_id: UserId, purpose: Mail, code_hash: str | None) -> None:
        """Note that an e-mail was sent; another one that was requested meanwhile stays due."""
        same = (
            account_mails.c.code_hash.is_(None)
            if code_hash is None
            else account_mails.c.code_hash == code_hash
        )
        await self._set(user_id, purpose, same, account_mails.c.attempts > 0, due_at=None)

    async def postpone(self, user_id: UserId, purpose: Mail, due_at: datetime | None) -> None:
        """Set when a failed e-mail is due again; None gives it up."""
        await self._set(user_id, purpose, account_mails.c.attempts > 0, due_at=due_at)

    async def redeem(self, purpose: Mail, code_hash: str) -> UserId | None:
        """Use up a code; returns its user, or None if the code is unknown, expired or used."""
        rows = await self._scope.all(
            sa.delete(account_mails)
            .where(
                account_mails.c.org_id == self._scope.org_id,
                account_mails.c.code_hash == code_hash,
                account_mails.c.purpose == str(purpose),
                account_mails.c.expires_at > self._scope.clock.now(),
            )
            .returning(account_mails.c.user_id)
        )
        return rows[0].user_id if rows else None

    async def drop(self, user_id: UserId, purpose: Mail) -> None:
        """Delete an e-mail and its code."""
        await self._scope.run(sa.delete(account_mails).where(*self._one(user_id, purpose)))

    async def seconds_to_next(self, *, most: float) -> float:
        """Return the seconds until the next e-mail is due, at most *most*."""
        statement = sa.select(sa.func.min(account_mails.c.due_at)).where(
            account_mails.c.org_id == self._scope.org_id
        )
        due_at = (await self._scope.all(statement))[0][0]
        if due_at is None:
            return most
        return min(most, max(timedelta(), due_at - self._scope.clock.now()).total_seconds())

    async def _set(
        self, user_id: UserId, purpose: Mail, *conditions: sa.ColumnElement[bool], **values: object
    ) -> None:
        await self._scope.run(
            sa.update(account_mails).where(*self._one(user_id, purpose), *conditions).values(values)
        )

    def _one(self, user_id: UserId, purpose: Mail) -> tuple[sa.ColumnElement[bool], ...]:
        column = account_mails.c
        return column.org_id == self._scope.org_id, column.user_id == user_id, column.purpose == str(purpose)
