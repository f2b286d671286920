"""An organisation's API tokens; each change of one is in the audit log with it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from sagacity.domain.api_token import MOST_LIVE, ApiToken, NewToken, TokenScope
from sagacity.domain.audit import SYSTEM, AuditAction, Detail, NewAuditEntry
from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import UserId
from sagacity.domain.quota import QuotaName
from sagacity.storage.access.audit import AuditRepository
from sagacity.storage.base import Scope
from sagacity.storage.quotas import require_room
from sagacity.storage.schema.tables import api_tokens

USE_NOTED_EVERY = timedelta(minutes=1)
"""So often at the most a token's last use is written."""
_column = api_tokens.c


class TokenRepository:
    """A tenant's API tokens. Rows stay when a token is revoked: a log of calls may name it."""

    def __init__(self, scope: Scope, audit: AuditRepository) -> None:
        self._scope = scope
        self._audit = audit

    async def add(self, new: NewToken, *, prefix: str, token_hash: str, by: str = SYSTEM) -> ApiToken:
        """
        Keep a token's hash.

        Raises:
            Conflict: the organisation has as many as any may have.
            QuotaExceeded: it has as many as it may have.
        """
        await self._audit.lock()
        now = self._scope.clock.now()
        if await self._count(self._live(now)) >= MOST_LIVE:
            raise Conflict(f"an organisation may have {MOST_LIVE:,} tokens that work; revoke some")
        await require_room(self._scope, QuotaName.TOKENS)
        token = ApiToken(
            token_id=self._scope.ids.new(),
            org_id=self._scope.org_id,
            name=new.name,
            prefix=prefix,
            scopes=tuple(sorted(new.scopes)),
            user_id=new.user_id,
            created_at=now,
            created_by=by,
            expires_at=None if new.lasts is None else now + new.lasts,
        )
        row = token.model_dump() | {"scopes": [str(one) for one in token.scopes], "token_hash": token_hash}
        await self._scope.run(api_tokens.insert(), row)
        details: dict[str, Detail] = {
            "scopes": tuple(map(str, token.scopes)),
            "is_for_one_user": token.user_id is not None,
            "expires_at": None if token.expires_at is None else token.expires_at.isoformat(),
        }
        await self._record(AuditAction.TOKEN_CREATED, token.token_id, by, details)
        return token

    async def get(self, token_id: str) -> ApiToken:
        """
        Return one token.

        Raises:
            NotFound: the tenant has none of that id.
        """
        rows = await self._scope.all(sa.select(api_tokens).where(self._is(token_id)))
        if not rows:
            raise NotFound(f"no token {token_id!r}")
        return token_of(rows[0])

    async def list_page(self, *, after: str | None = None, limit: int) -> list[ApiToken]:
        """Return tokens in the order of their ids, which is that of time, from behind *after*; with those revoked."""
        statement = sa.select(api_tokens).where(_column.org_id == self._scope.org_id)
        if after is not None:
            statement = statement.where(_column.token_id > after)
        rows = await self._scope.all(statement.order_by(_column.token_id).limit(limit))
        return [token_of(row) for row in rows]

    async def revoke(self, token_id: str, *, by: str = SYSTEM, keeps_admin: bool = False) -> ApiToken:
        """
        Make a token useless from now on; done twice, the first time counts.

        Raises:
            NotFound: the tenant has none of that id.
            Conflict: it is the last that may administer, and *keeps_admin*.
        """
        await self._audit.lock()
        token = await self.get(token_id)
        now = self._scope.clock.now()
        if token.revoked_at is not None:
            return token
        if keeps_admin and token.is_live(now) and await self._is_last_admin(token, now):
            raise Conflict(
                "this is the last token with the scope admin: create another first, or revoke it with "
                "`sagacity token revoke` on the server's machine"
            )
        await self._scope.run(sa.update(api_tokens).where(self._is(token_id)).values(revoked_at=now))
        await self._record(AuditAction.TOKEN_REVOKED, token.token_id, by)
        return token.model_copy(update={"revoked_at": now})

    async def rotate(
        self, token_id: str, *, prefix: str, token_hash: str, grace: timedelta, by: str = SYSTEM
    ) -> ApiToken:
        """
        Replace a token's secret; the one so far works for *grace* longer, and the one before that no more.

        Raises:
            NotFound: the tenant has none of that id.
            Conflict: it was revoked, or has expired.
        """
        await self._audit.lock()
        token, now = await self.get(token_id), self._scope.clock.now()
        if not token.is_live(now) or token.user_id == "":
            raise Conflict("the token was revoked or has expired; create another")
        until = now + grace
        values = {"prefix": prefix, "rotated_at": now, "previous_until": until}
        await self._scope.run(
            sa.update(api_tokens)
            .where(self._is(token_id))
            .values(**values, previous_hash=_column.token_hash, token_hash=token_hash)
        )
        details: dict[str, Detail] = {"previous_until": until.isoformat()}
        await self._record(AuditAction.TOKEN_ROTATED, token.token_id, by, details)
        return token.model_copy(update=values)

    async def note_uses(self, uses: Mapping[str, datetime]) -> None:
        """Write when tokens were used last; not if somebody wrote that less than a minute before."""
        for token_id, at in sorted(uses.items()):
            is_due = sa.or_(_column.last_used_at.is_(None), _column.last_used_at <= at - USE_NOTED_EVERY)
            await self._scope.run(
                sa.update(api_tokens).where(self._is(token_id), is_due).values(last_used_at=at)
            )

    async def forget_user(self, user_id: UserId) -> None:
        """Revoke the tokens of a user who is erased, and take from them the names, which may be personal."""
        mine = sa.and_(_column.org_id == self._scope.org_id, _column.user_id == user_id)
        live = (
            sa.select(_column.token_id).where(mine, _column.revoked_at.is_(None)).order_by(_column.token_id)
        )
        for row in await self._scope.all(live):
            await self._record(AuditAction.TOKEN_REVOKED, row.token_id, SYSTEM)
        revoked_at = sa.func.coalesce(
            _column.revoked_at, sa.literal(self._scope.clock.now(), _column.revoked_at.type)
        )
        await self._scope.run(sa.update(api_tokens).where(mine).values(name="", revoked_at=revoked_at))

    async def _is_last_admin(self, token: ApiToken, now: datetime) -> bool:
        if TokenScope.ADMIN not in token.scopes:
            return False
        rows = await self._scope.all(
            sa.select(_column.scopes).where(*self._live(now), _column.token_id != token.token_id)
        )
        return not any(str(TokenScope.ADMIN) in row.scopes for row in rows)

    async def _count(self, conditions: tuple[sa.ColumnElement[bool], ...]) -> int:
        counted = sa.select(sa.func.count()).select_from(api_tokens).where(*conditions)
        return (await self._scope.all(counted))[0][0]

    async def _record(
        self, action: AuditAction, token_id: str, by: str, details: dict[str, Detail] | None = None
    ) -> None:
        await self._audit.add(NewAuditEntry(action=action, actor=by, target=token_id, details=details or {}))

    def _is(self, token_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(_column.org_id == self._scope.org_id, _column.token_id == token_id)

    def _live(self, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
        lasts = sa.or_(_column.expires_at.is_(None), _column.expires_at > now)
        return _column.org_id == self._scope.org_id, _column.revoked_at.is_(None), lasts


def token_of(row: Any) -> ApiToken:
    """Turn a row into the value."""
    return ApiToken.model_validate(row._mapping, extra="ignore")
