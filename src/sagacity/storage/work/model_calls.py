"""The ledger: the purpose and cost of each request to a model."""

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from sagacity.domain.ledger import (
    SUCCEEDED,
    CallFilter,
    CallTotal,
    Grouping,
    LedgerEntry,
    ModelCallRecord,
    Spending,
)
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import extractions, model_calls

_MICROSECONDS_A_DAY = 86_400_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FATES = ("proposed", "kept", "merged", "dropped")

_ADD = model_calls.insert()


class ModelCallRepository:
    """A tenant's requests to models. Rows are added and never changed."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, record: ModelCallRecord) -> None:
        """Record one request."""
        await self._scope.run(_ADD, {"org_id": self._scope.org_id, **record.model_dump(mode="python")})

    async def list_newest(
        self, wanted: CallFilter, *, before: int | None = None, limit: int = 100
    ) -> list[LedgerEntry]:
        """Return requests, newest first; with *before*, only those older than the request with that number."""
        column = model_calls.c
        statement = sa.select(model_calls).where(*self._among(wanted))
        if before is not None:
            # By time, so that the index that narrows to the tenant also gives the order.
            mark = sa.select(column.created_at).where(
                column.org_id == self._scope.org_id, column.call_id == before
            )
            at = mark.scalar_subquery()
            statement = statement.where(
                column.created_at <= at, sa.or_(column.created_at < at, column.call_id < before)
            )
        rows = await self._scope.all(
            statement.order_by(column.created_at.desc(), column.call_id.desc()).limit(limit)
        )
        return [LedgerEntry.model_validate(row._mapping, extra="ignore") for row in rows]

    async def totals(self, wanted: CallFilter, by: Grouping, *, limit: int = 1000) -> list[CallTotal]:
        """
        Return sums by group, with the counts of proposed entries: days newest first, other groups most tokens first.

        If *wanted* filters calls by outcome, the counts of proposed entries are left out.
        """
        key = _key(model_calls, by)
        calls = sa.select(key, *_SUMS, *(sa.literal(0).label(f"{fate}_count") for fate in _FATES))
        parts = [calls.where(*self._among(wanted)).group_by(key)]
        if wanted.outcome is None:
            key = _key(extractions, by)
            counts = (_sum(extractions.c[fate], f"{fate}_count") for fate in _FATES)
            entries = sa.select(key, *(sa.literal(0).label(one.name) for one in _SUMS), *counts)
            parts.append(entries.where(*self._among(wanted, extractions)).group_by(key))
        both = sa.union_all(*parts).subquery().c
        tokens = sa.func.sum(both.prompt_tokens + both.completion_tokens)
        order = (both.key.desc(),) if by is Grouping.DAY else (tokens.desc(), both.key)
        sums = (_sum(column, column.name) for column in both if column.name != "key")
        rows = await self._scope.all(
            sa.select(both.key, *sums).group_by(both.key).order_by(*order).limit(limit)
        )
        return [
            CallTotal.model_validate({**row._mapping, "key": _written(row.key)}, extra="ignore")
            for row in rows
        ]

    async def spent(self, since: datetime, *, until: datetime | None = None) -> Spending:
        """Return the sums over all requests from *since* to before *until*."""
        wanted = CallFilter(start=since, end=until)
        rows = await self._scope.all(sa.select(*_SUMS).where(*self._among(wanted)))
        return Spending.model_validate(rows[0]._mapping, extra="ignore")

    def _among(self, wanted: CallFilter, table: sa.Table = model_calls) -> list[sa.ColumnElement[bool]]:
        column = table.c
        conditions = [column.org_id == self._scope.org_id]
        for name in ("learner", "user_id", "model", "outcome"):
            value = getattr(wanted, name)
            if value is not None:
                conditions.append(column[name] == value)
        if wanted.start is not None:
            conditions.append(column.created_at >= wanted.start)
        if wanted.end is not None:
            conditions.append(column.created_at < wanted.end)
        return conditions


def _key(table: sa.Table, by: Grouping) -> sa.Label[Any]:
    column = table.c
    match by:
        case Grouping.LEARNER:
            key = column.learner
        case Grouping.USER:
            key = column.user_id
        case Grouping.MODEL:
            key = column.model
        case Grouping.DAY:
            key = sa.cast(column.created_at, sa.BigInteger).op("/")(_MICROSECONDS_A_DAY)
    return key.label("key")


def _sum(column: sa.ColumnElement[Any], name: str) -> sa.Label[Any]:
    return sa.func.coalesce(sa.func.sum(column), 0).label(name)


_SUMS = (
    sa.func.count().label("call_count"),
    _sum(sa.case((model_calls.c.outcome != SUCCEEDED, 1), else_=0), "failed_count"),
    _sum(sa.case((model_calls.c.cost_usd.is_(None), 1), else_=0), "unpriced_count"),
    *(
        _sum(model_calls.c[name], name)
        for name in ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "duration_ms")
    ),
)


def _written(key: str | int) -> str:
    """Write a day since 1970 as a date."""
    return key if isinstance(key, str) else (_EPOCH + timedelta(days=key)).date().isoformat()
