"""An organisation's API tokens; every change is in the audit log too."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from sagacity.domain.api_token import (
    ApiToken,
    NewToken,
    TokenScope,
    created_entry,
    require_another_admin,
    require_room,
    revoked_entry,
    rotated_entry,
)
from sagacity.domain.audit import SYSTEM
from sagacity.domain.errors import NotFound
from sagacity.domain.ids import UserId
from sagacity.domain.principal import Permission
from sagacity.domain.quota import QuotaName
from sagacity.storage.access.audit import AuditRepository
from sagacity.storage.base import Scope
from sagacity.storage.quotas import require_room as within_quota
from sagacity.storage.schema.tables import api_tokens

USE_NOTED_EVERY = timedelta(minutes=1)
"""The least time between two writes of a token's last use."""
_column = api_tokens.c


class TokenRepository:
    """A tenant's API tokens. The row of a revoked token is kept, because a log of calls may name it."""

    def __init__(self, scope: Scope, audit: AuditRepository) -> None:
        self._scope = scope
        self._audit = audit

    async def add(self, new: NewToken, *, prefix: str, token_hash: str, by: str = SYSTEM) -> ApiToken:
        """
        Store a new token as its hash.

        Raises:
            Conflict: the organisation has the most tokens that any organisation may have.
            QuotaExceeded: the organisation's quota of tokens is used up.
        """
        await self._audit.lock()
        now = self._scope.clock.now()
        require_room(await self._count(self._live(now)))
        await within_quota(self._scope, QuotaName.TOKENS)
        token = new.to_token(
            token_id=self._scope.ids.new(), org_id=self._scope.org_id, prefix=prefix, at=now, by=by
        )
        row = token.model_dump() | {"scopes": [str(one) for one in token.scopes], "token_hash": token_hash}
        await self._scope.run(api_tokens.insert(), row)
        await self._audit.add(created_entry(token))
        return token

    async def get(self, token_id: str) -> ApiToken:
        """
        Return one token.

        Raises:
            NotFound: the tenant has no token with that id.
        """
        rows = await self._scope.all(sa.select(api_tokens).where(self._is(token_id)))
        if not rows:
            raise NotFound(f"no token {token_id!r}")
        return token_of(rows[0])

    async def list_page(self, *, after: str | None = None, limit: int) -> list[ApiToken]:
        """Return tokens in the order of creation, after the id *after*, including revoked ones."""
        statement = sa.select(api_tokens).where(_column.org_id == self._scope.org_id)
        if after is not None:
            statement = statement.where(_column.token_id > after)
        rows = await self._scope.all(statement.order_by(_column.token_id).limit(limit))
        return [token_of(row) for row in rows]

    async def revoke(self, token_id: str, *, by: str = SYSTEM, keeps_admin: bool = False) -> ApiToken:
        """
        Revoke a token; revoking it again changes nothing.

        Raises:
            NotFound: the tenant has no token with that id.
            Conflict: *keeps_admin*, and it is the last token that may administer.
        """
        await self._audit.lock()
        token = await self.get(token_id)
        now = self._scope.clock.now()
        if token.revoked_at is not None:
            return token
        if keeps_admin and token.is_live(now) and TokenScope.ADMIN in token.scopes:
            require_another_admin(is_there=await self._has_other_admin(token, now))
        await self._scope.run(sa.update(api_tokens).where(self._is(token_id)).values(revoked_at=now))
        await self._audit.add(revoked_entry(token.token_id, by=by))
        return token.model_copy(update={"revoked_at": now})

    async def rotate(
        self,
        token_id: str,
        *,
        prefix: str,
        token_hash: str,
        grace: timedelta,
        by: str = SYSTEM,
        allowed: frozenset[Permission] = frozenset(Permission),
    ) -> ApiToken:
        """
        Replace a token's secret. The previous secret works for *grace* longer; any older one stops at once.

        Raises:
            NotFound: the tenant has no token with that id.
            Forbidden: the token allows more than *allowed*.
            Conflict: the token is revoked or expired.
        """
        await self._audit.lock()
        token, now = await self.get(token_id), self._scope.clock.now()
        token.require_rotatable(now, allowed)
        values = {"prefix": prefix, "rotated_at": now, "previous_until": now + grace}
        await self._scope.run(
            sa.update(api_tokens)
            .where(self._is(token_id))
            .values(**values, previous_hash=_column.token_hash, token_hash=token_hash)
        )
        rotated = token.model_copy(update=values)
        await self._audit.add(rotated_entry(rotated, by=by))
        return rotated

    async def note_uses(self, uses: Mapping[str, datetime]) -> None:
        """Write when tokens were last used, unless that was written less than a minute before."""
        for token_id, at in sorted(uses.items()):
            is_due = sa.or_(_column.last_used_at.is_(None), _column.last_used_at <= at - USE_NOTED_EVERY)
            await self._scope.run(
                sa.update(api_tokens).where(self._is(token_id), is_due).values(last_used_at=at)
            )

    async def forget_user(self, user_id: UserId) -> None:
        """Revoke the tokens of a user who is erased, and remove the tokens' names, which may be personal."""
        mine = sa.and_(_column.org_id == self._scope.org_id, _column.user_id == user_id)
        live = (
            sa.select(_column.token_id).where(mine, _column.revoked_at.is_(None)).order_by(_column.token_id)
        )
        for row in await self._scope.all(live):
            await self._audit.add(revoked_entry(row.token_id))
        revoked_at = sa.func.coalesce(
            _column.revoked_at, sa.literal(self._scope.clock.now(), _column.revoked_at.type)
        )
        await self._scope.run(sa.update(api_tokens).where(mine).values(name="", revoked_at=revoked_at))

    async def _has_other_admin(self, token: ApiToken, now: datetime) -> bool:
        rows = await self._scope.all(
            sa.select(_column.scopes).where(*self._live(now), _column.token_id != token.token_id)
        )
        return any(str(TokenScope.ADMIN) in row.scopes for row in rows)

    async def _count(self, conditions: tuple[sa.ColumnElement[bool], ...]) -> int:
        counted = sa.select(sa.func.count()).select_from(api_tokens).where(*conditions)
        return (await self._scope.all(counted))[0][0]

    def _is(self, token_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(_column.org_id == self._scope.org_id, _column.token_id == token_id)

    def _live(self, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
        lasts = sa.or_(_column.expires_at.is_(None), _column.expires_at > now)
        return _column.org_id == self._scope.org_id, _column.revoked_at.is_(None), lasts


def token_of(row: Any) -> ApiToken:
    """Turn a row into the value."""
    return ApiToken.model_validate(row._mapping, extra="ignore")
