"""The ledger: what each request to a model was for, and what it cost."""

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
from sagacity.storage.schema.tables import model_calls

_MICROSECONDS_A_DAY = 86_400_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = sa.cast(model_calls.c.created_at, sa.BigInteger).op("/")(_MICROSECONDS_A_DAY)
_KEYS: dict[Grouping, sa.ColumnElement[Any]] = {
    Grouping.LEARNER: model_calls.c.learner,
    Grouping.USER: model_calls.c.user_id,
    Grouping.DAY: _DAY,
    Grouping.MODEL: model_calls.c.model,
}


class ModelCallRepository:
    """A tenant's requests to models. Rows are added and never changed."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, record: ModelCallRecord) -> None:
        """Write down one request."""
        await self._scope.run(
            model_calls.insert().values(org_id=self._scope.org_id), record.model_dump(mode="python")
        )

    async def list_newest(
        self, wanted: CallFilter, *, before: int | None = None, limit: int = 100
    ) -> list[LedgerEntry]:
        """Return requests, newest first; *before*: only those older than the one with that number."""
        column = model_calls.c
        statement = sa.select(model_calls).where(*self._among(wanted))
        if before is not None:
            # By time, so that the index which narrows to the tenant gives the order as well.
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
        """Return sums by group: days newest first, others most tokens first."""
        key = _KEYS[by].label("key")
        statement = sa.select(key, *_SUMS).where(*self._among(wanted)).group_by(key)
        order = (key.desc(),) if by is Grouping.DAY else (_TOKENS.desc(), key)
        rows = await self._scope.all(statement.order_by(*order).limit(limit))
        return [
            CallTotal.model_validate({**row._mapping, "key": _written(row.key)}, extra="ignore")
            for row in rows
        ]

    async def spent(self, since: datetime, *, until: datetime | None = None) -> Spending:
        """Return the sums over all requests since a moment, and before another."""
        wanted = CallFilter(start=since, end=until)
        rows = await self._scope.all(sa.select(*_SUMS).where(*self._among(wanted)))
        return Spending.model_validate(rows[0]._mapping, extra="ignore")

    def _among(self, wanted: CallFilter) -> list[sa.ColumnElement[bool]]:
        column = model_calls.c
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


def _sum(column: sa.ColumnElement[Any], name: str) -> sa.Label[Any]:
    return sa.func.coalesce(sa.func.sum(column), 0).label(name)


_TOKENS = sa.func.sum(model_calls.c.prompt_tokens + model_calls.c.completion_tokens)
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
