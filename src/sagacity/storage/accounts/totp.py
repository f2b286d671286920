"""Secrets of authenticator apps."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.account import Totp
from sagacity.domain.ids import UserId
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import account_totp

_column = account_totp.c


class TotpRepository:
    """A tenant's secrets of authenticator apps, at most one for each account."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def put(self, totp: Totp) -> bool:
        """Store a secret, replacing an unconfirmed one; returns False, and changes nothing, if one was confirmed."""
        insert = self._scope.insert(account_totp)
        replaced = {name: insert.excluded[name] for name in ("sealed", "last_step", "created_at")}
        statement = insert.on_conflict_do_update(
            index_elements=[_column.org_id, _column.user_id],
            set_=replaced,
            where=_column.confirmed_at.is_(None),
        )
        values = totp.model_dump() | {"org_id": self._scope.org_id}
        return bool(await self._scope.all(statement.returning(_column.user_id), values))

    async def find(self, user_id: UserId) -> Totp | None:
        """Return an account's secret, or None; in a writing transaction its row is locked."""
        statement = self._scope.locked(sa.select(account_totp).where(*self._one(user_id)))
        rows = await self._scope.all(statement)
        return _totp_of(rows[0]) if rows else None

    async def any_kept(self) -> bool:
        """Return whether any account of the tenant has a secret."""
        own = _column.org_id == self._scope.org_id
        return bool(await self._scope.all(sa.select(_column.user_id).where(own).limit(1)))

    async def confirm(self, user_id: UserId, *, step: int, recovery_hashes: Sequence[str]) -> None:
        """Require a code from now on; *step* is the time step of the first code, which was just used."""
        await self._set(
            user_id,
            confirmed_at=self._scope.clock.now(),
            last_step=step,
            recovery_hashes=list(recovery_hashes),
        )

    async def take_step(self, user_id: UserId, step: int) -> bool:
        """Record the time step of a code; False if this or a later step was used before."""
        return bool(await self._set(user_id, _column.last_step < step, last_step=step))

    async def keep_recovery(self, user_id: UserId, recovery_hashes: Sequence[str]) -> None:
        """Store the hashes of the remaining recovery codes."""
        await self._set(user_id, recovery_hashes=list(recovery_hashes))

    async def remove(self, user_id: UserId) -> bool:
        """Delete an account's secret and recovery codes; returns whether there was a secret."""
        return bool(await self._scope.run(sa.delete(account_totp).where(*self._one(user_id))))

    async def list_page(self, *, after: str | None = None, limit: int) -> list[Totp]:
        """Return secrets after the user id *after*, in the order of user ids."""
        statement = sa.select(account_totp).where(_column.org_id == self._scope.org_id)
        if after is not None:
            statement = statement.where(_column.user_id > after)
        rows = await self._scope.all(statement.order_by(_column.user_id).limit(limit))
        return [_totp_of(row) for row in rows]

    async def seal_again(self, user_id: UserId, old: str, new: str) -> bool:
        """Replace *old* by *new*, the same secret sealed with another key; False if the secret changed meanwhile."""
        return bool(await self._set(user_id, _column.sealed == old, sealed=new))

    async def _set(self, user_id: UserId, *conditions: sa.ColumnElement[bool], **values: object) -> int:
        return await self._scope.run(
            sa.update(account_totp).where(*self._one(user_id), *conditions).values(values)
        )

    def _one(self, user_id: UserId) -> tuple[sa.ColumnElement[bool], ...]:
        return _column.org_id == self._scope.org_id, _column.user_id == user_id


def _totp_of(row: Any) -> Totp:
    return Totp.model_validate(row._mapping, extra="ignore")
