"""Accounts of an organisation's users."""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from sagacity.domain.account import Account
from sagacity.domain.ids import OrgId, UserId
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import accounts


class AccountRepository:
    """A tenant's accounts, at most one for each address."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, account: Account) -> bool:
        """Store a new account; returns False, and changes nothing, if its address has one already."""
        values = account.model_dump() | {"org_id": self._scope.org_id, "updated_at": account.created_at}
        return bool(await self._scope.run(self._scope.insert(accounts).on_conflict_do_nothing(), values))

    async def find(self, user_id: UserId) -> Account | None:
        """Return a user's account, or None; in a writing transaction its row is locked."""
        return await self._first(accounts.c.user_id == user_id)

    async def find_by_email(self, email: str) -> Account | None:
        """Return the account of an address, given in lower case, or None."""
        return await self._first(accounts.c.email == email)

    async def find_by_identity(self, issuer: str, subject: str) -> Account | None:
        """Return the account that is linked to a provider's subject, or None."""
        return await self._first(sa.and_(accounts.c.issuer == issuer, accounts.c.subject == subject))

    async def link(self, user_id: UserId, issuer: str, subject: str) -> None:
        """Link an account to a provider's subject, replacing any earlier link."""
        await self._change(user_id, issuer=issuer, subject=subject)

    async def list_named(self, user_ids: Collection[UserId]) -> dict[UserId, Account]:
        """Return the accounts of users by user id; users without one are left out."""
        mine = self._own(accounts.c.user_id.in_(user_ids))
        found = [_account_of(row) for row in await self._scope.all(sa.select(accounts).where(*mine))]
        return {one.user_id: one for one in found}

    async def choose(self, user_id: UserId, org_id: OrgId) -> None:
        """Store the organisation in which the account's next session acts."""
        await self._change(user_id, chosen_org=org_id)

    async def set_password(self, user_id: UserId, password_hash: str, *, former: str | None = None) -> bool:
        """
        Replace the hash of an account's password.

        Args:
            user_id: whose account.
            password_hash: the new hash.
            former: the hash that it replaces; None for any.

        Returns:
            Whether it was replaced: False if the account has another hash than *former* by now, or is gone.
        """
        same = () if former is None else (accounts.c.password_hash == former,)
        return await self._change(user_id, *same, password_hash=password_hash)

    async def verify(self, user_id: UserId) -> None:
        """Mark an account's address as verified now, unless it was verified before."""
        now = self._scope.clock.now()
        await self._change(
            user_id,
            verified_at=sa.func.coalesce(
                accounts.c.verified_at, sa.literal(now, accounts.c.verified_at.type)
            ),
        )

    async def remove(self, user_id: UserId) -> bool:
        """Delete an account with its sessions and e-mails; returns whether there was one."""
        return bool(
            await self._scope.run(sa.delete(accounts).where(*self._own(accounts.c.user_id == user_id)))
        )

    async def _first(self, condition: sa.ColumnElement[bool]) -> Account | None:
        statement = self._scope.locked(sa.select(accounts).where(*self._own(condition)))
        rows = await self._scope.all(statement)
        return _account_of(rows[0]) if rows else None

    async def _change(self, user_id: UserId, *conditions: sa.ColumnElement[bool], **values: Any) -> bool:
        changed = await self._scope.run(
            sa.update(accounts)
            .where(*self._own(accounts.c.user_id == user_id), *conditions)
            .values(updated_at=self._scope.clock.now(), **values)
        )
        return bool(changed)

    def _own(self, condition: sa.ColumnElement[bool]) -> tuple[sa.ColumnElement[bool], ...]:
        return accounts.c.org_id == self._scope.org_id, condition


def _account_of(row: Any) -> Account:
    return Account.model_validate(row._mapping, extra="ignore")
