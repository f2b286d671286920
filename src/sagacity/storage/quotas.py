"""Quotas: the most that an organisation may have, and how much of it is used."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from sagacity.domain.audit import SYSTEM, AuditAction, NewAuditEntry
from sagacity.domain.errors import NotFound
from sagacity.domain.quota import Limits, Quota, QuotaName, day_of, over
from sagacity.storage.access.audit import AuditRepository
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import (
    api_tokens,
    interactions,
    invitations,
    members,
    memories,
    organisations,
    quotas,
    users,
)

RECOUNT_AFTER: Final = timedelta(seconds=10)
"""How old a count may be that refuses something; deletions do not lower counts."""
COUNTED_UP: Final = frozenset({QuotaName.USERS, QuotaName.INTERACTIONS, QuotaName.MEMORIES})
"""Quotas whose count increases with each addition, and is recounted before it refuses something."""
_column = quotas.c
_DAY = QuotaName.INTERACTIONS_PER_DAY
_more, _today = sa.bindparam("more", type_=sa.BigInteger), sa.bindparam("today", type_=sa.Integer)
_is_it = sa.and_(_column.org_id == sa.bindparam("of_org"), _column.name == sa.bindparam("of_name"))
_sum = _column.used + _more
_sum_of_day = sa.case((_column.day >= _today, _column.used + _more), else_=_more)
_ADD = sa.update(quotas).where(_is_it).values(used=_sum)
_ADD_IF_ROOM = _ADD.where(_sum <= _column.most).returning(_column.used)
_DAY_NOW = sa.case((_column.day >= _today, _column.day), else_=_today)
_ADD_TO_DAY = sa.update(quotas).where(_is_it).values(used=_sum_of_day, day=_DAY_NOW)
_ADD_TO_DAY_IF_ROOM = _ADD_TO_DAY.where(_sum_of_day <= _column.most).returning(_column.used)


class QuotaRepository:
    """A tenant's quotas. Only quotas with a limit are counted."""

    def __init__(self, scope: Scope, audit: AuditRepository) -> None:
        self._scope = scope
        self._audit = audit
        self._room: dict[QuotaName, int | None] = {}

    async def list_all(self) -> list[Quota]:
        """
        Return every quota with its current use, including unlimited ones.

        Raises:
            NotFound: there is no such organisation.
        """
        mine = sa.select(organisations.c.org_id).where(organisations.c.org_id == self._scope.org_id)
        if not await self._scope.all(mine):
            raise NotFound("no such organisation")
        limits = {row.name: row for row in await self._rows()}
        found: list[Quota] = []
        for name in QuotaName:
            row = limits.get(name)
            if name is _DAY and row is not None:
                used = row.used if row.day == day_of(self._scope.clock.now()) else 0
            else:
                used = await count_now(self._scope, name)
            found.append(Quota(name=name, most=None if row is None else row.most, used=used))
        return found

    async def set(self, limits: Limits, *, by: str = SYSTEM) -> None:
        """
        Set limits; limits not named stay. Data that already exceeds a limit stays too.

        Nobody can add to the organisation before the commit, so the counts start correctly.

        Raises:
            NotFound: there is no such organisation.
        """
        mine = sa.select(organisations.c.org_id).where(organisations.c.org_id == self._scope.org_id)
        if not await self._scope.all(mine.with_for_update()):
            raise NotFound("no such organisation")
        before = {row.name: row.most for row in await self._rows()}
        now = self._scope.clock.now()
        for name, most in sorted(limits.items()):
            if most == before.get(name):
                continue
            await self._scope.run(sa.delete(quotas).where(self._is(name)))
            if most is not None:
                row = {"name": str(name), "most": most, "used": await count_now(self._scope, name)}
                more = {"org_id": self._scope.org_id, "day": day_of(now), "counted_at": now}
                await self._scope.run(quotas.insert(), row | more)
            details = {"limit": most, "limit_before": before.get(name)}
            await self._audit.add(
                NewAuditEntry(action=AuditAction.QUOTA_SET, actor=by, target=str(name), details={**details})
            )
        own = organisations.c.org_id == self._scope.org_id
        flag = bool(await self._rows())
        await self._scope.run(sa.update(organisations).where(own).values(has_quotas=flag))

    async def has_room(self, name: QuotaName, count: int = 1) -> bool:
        """
        Return whether *count* more may be added in this transaction, for work that can do without.

        Other transactions that are still open do not count.
        """
        added = self._scope.added
        if added.is_limited is None:
            added.is_limited = await _has_quotas(self._scope)
        if not added.is_limited:
            return True
        if name not in self._room:
            self._room[name] = await self._room_before(name)
        room = self._room[name]
        return room is None or added.counts[name] + count <= room

    async def recount(self, name: QuotaName) -> bool:
        """Recount the use, unless that was just done; returns whether it is less than the stored count."""
        now = self._scope.clock.now()
        rows = await self._scope.all(sa.select(quotas).where(self._is(name)).with_for_update())
        if not rows or not _is_old(rows[0], now):
            return False
        used = await count_now(self._scope, name)
        await self._scope.run(sa.update(quotas).where(self._is(name)).values(used=used, counted_at=now))
        return used < rows[0].used

    async def _room_before(self, name: QuotaName) -> int | None:
        """Return how much may be added to the use before this transaction; None for unlimited."""
        rows = await self._scope.all(sa.select(quotas).where(self._is(name)))
        if not rows:
            return None
        [row] = rows
        pending = self._scope.added.counts[name]
        if row.used + pending < row.most or not _is_old(row, self._scope.clock.now()):
            return row.most - row.used
        self._scope.added.recounted.add(name)
        return row.most - (await count_now(self._scope, name) - pending)

    async def _rows(self) -> list[Any]:
        return list(await self._scope.all(sa.select(quotas).where(_column.org_id == self._scope.org_id)))

    def _is(self, name: QuotaName) -> sa.ColumnElement[bool]:
        return sa.and_(_column.org_id == self._scope.org_id, _column.name == str(name))


async def require_room(scope: Scope, name: QuotaName) -> None:
    """
    Check that one more member or token is allowed; the caller holds the organisation's row lock.

    Raises:
        QuotaExceeded: the quota is used up.
    """
    most = sa.select(_column.most).where(_column.org_id == scope.org_id, _column.name == str(name))
    for row in await scope.all(most):
        used = await count_now(scope, name)
        if used >= row.most:
            raise over(Quota(name=name, most=row.most, used=used), wanted=1, now=scope.clock.now())


async def settle(scope: Scope, *, refuses: bool) -> None:
    """
    Add a transaction's additions to the counts, just before its commit.

    Args:
        scope: the scope of the transaction.
        refuses: whether to refuse to exceed a limit; otherwise additions are only counted.

    Raises:
        QuotaExceeded: a limit would be exceeded.
        RateLimited: a daily limit would be exceeded.
    """
    added = scope.added
    if not added.counts and not added.recounted:
        return
    if added.is_limited is None:
        added.is_limited = await _has_quotas(scope)
    if not added.is_limited:
        return
    audit = AuditRepository(scope)
    for name in sorted({*added.counts, *added.recounted}):
        if added.counts[name]:
            await _add(scope, name, refuses=refuses and name not in added.promised)
        if name in added.recounted:
            await QuotaRepository(scope, audit).recount(name)


async def count_now(scope: Scope, name: QuotaName) -> int:
    """Return the current use, counted row by row."""
    statement = sa.select(sa.func.count())
    now = scope.clock.now()
    if name is QuotaName.MEMBERS:
        found = await _count(scope, statement.where(members.c.org_id == scope.org_id))
        is_open = (invitations.c.org_id == scope.org_id, invitations.c.expires_at > now)
        return found + await _count(scope, statement.select_from(invitations).where(*is_open))
    return await _count(scope, statement.where(*_COUNTED[name](scope, now)))


def _live_tokens(scope: Scope, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    column = api_tokens.c
    lasts = sa.or_(column.expires_at.is_(None), column.expires_at > now)
    return column.org_id == scope.org_id, column.revoked_at.is_(None), lasts


def _today_s(scope: Scope, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return interactions.c.org_id == scope.org_id, interactions.c.created_at >= midnight


_COUNTED: dict[QuotaName, Callable[[Scope, datetime], tuple[sa.ColumnElement[bool], ...]]] = {
    QuotaName.TOKENS: _live_tokens,
    QuotaName.USERS: lambda scope, _now: (users.c.org_id == scope.org_id, users.c.user_id != ""),
    QuotaName.INTERACTIONS: lambda scope, _now: (interactions.c.org_id == scope.org_id,),
    QuotaName.MEMORIES: lambda scope, _now: (memories.c.org_id == scope.org_id,),
    QuotaName.INTERACTIONS_PER_DAY: _today_s,
}


async def _count(scope: Scope, statement: sa.Select[int]) -> int:
    return (await scope.all(statement))[0][0]


async def _add(scope: Scope, name: QuotaName, *, refuses: bool) -> None:
    now = scope.clock.now()
    is_day = name is _DAY
    given: dict[str, Any] = {
        "of_org": scope.org_id,
        "of_name": str(name),
        "more": scope.added.counts[name],
    }
    if is_day:
        given["today"] = day_of(now)
    if not refuses:
        await scope.run(_ADD_TO_DAY if is_day else _ADD, given)
        return
    if await scope.all(_ADD_TO_DAY_IF_ROOM if is_day else _ADD_IF_ROOM, given):
        return
    rows = await scope.all(sa.select(quotas).where(_column.org_id == scope.org_id, _column.name == str(name)))
    for row in rows:
        used = 0 if is_day and row.day < given["today"] else row.used
        raise over(Quota(name=name, most=row.most, used=used), wanted=given["more"], now=now)


async def _has_quotas(scope: Scope) -> bool:
    flag = sa.select(organisations.c.has_quotas).where(organisations.c.org_id == scope.org_id)
    return any(row.has_quotas for row in await scope.all(flag))


def _is_old(row: Any, now: datetime) -> bool:
    return row.counted_at <= now - RECOUNT_AFTER
