"""Calls summed up by user and day, and the deletion of old calls."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from sagacity.domain.analytics import AnalyticsFilter, RequestStatus, RequestType
from sagacity.domain.analytics_reports import DayTotals
from sagacity.domain.ids import UserId
from sagacity.storage.analytics.distribution import distributions
from sagacity.storage.analytics.reports import RETRIEVAL_MEANS, counted, mean, totals_columns
from sagacity.storage.analytics.requests import COLUMN, among
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import analytics_daily, request_analytics
from sagacity.storage.statements.user_key import user_key, user_of

_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATENCIES = ("avg", "min", "max", "p50", "p95", "p99")
_RETRIEVAL = ("avg_total_results", "avg_deduplication_rate", "avg_combined_score")
_CONTEXT = {"avg_tokens": COLUMN.context_tokens, "truncation_rate": COLUMN.is_truncated}


class AnalyticsDayRepository:
    """A tenant's days."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def sum_up(self, day: datetime, *, after: str | None = None, limit: int) -> str | None:
        """
        Write one day's sums for the next users, from their calls; earlier sums of that day are replaced.

        Args:
            day: the beginning of the day, in UTC.
            after: the last user that the previous call returned; None starts with the first user.
            limit: the most users.

        Returns:
            The last user; None if there are no more.
        """
        wanted = among(self._scope, AnalyticsFilter(start=day, end=day + _DAY))
        if after is not None:
            wanted.append(COLUMN.user_id > after)
        users = sa.select(COLUMN.user_id).where(*wanted).distinct().order_by(COLUMN.user_id).limit(limit)
        found = [row.user_id for row in await self._scope.all(users)]
        if not found:
            return None
        wanted.append(COLUMN.user_id <= found[-1])
        await self._put(day, await self._days(day, wanted))
        return found[-1]

    async def _days(self, day: datetime, wanted: Sequence[sa.ColumnElement[bool]]) -> list[DayTotals]:
        by_user = COLUMN.user_id
        sums = await self._scope.all(sa.select(by_user, *_SUMS).where(*wanted).group_by(by_user))
        succeeded = [*wanted, COLUMN.status == str(RequestStatus.SUCCESS)]
        times = await self._scope.all(distributions({"total": COLUMN.total_time_ms}, succeeded, key=by_user))
        latency = {row.key: {name: float(row._mapping[name]) for name in _LATENCIES} for row in times}
        intents: dict[str, dict[str, int]] = {}
        counts = sa.select(by_user, COLUMN.intent, sa.func.count().label("calls"))
        for row in await self._scope.all(
            counts.where(*wanted, COLUMN.intent.is_not(None))
            .group_by(by_user, COLUMN.intent)
            .order_by(COLUMN.intent)
        ):
            intents.setdefault(row.user_id, {})[row.intent] = row.calls
        return [
            DayTotals.model_validate(
                {
                    **row._mapping,
                    "user_id": user_of(row.user_id),
                    "date": day,
                    "latency_stats": {
                        **latency.get(row.user_id, {}),
                        **({} if row.avg_ttfb is None else {"avg_ttfb": row.avg_ttfb}),
                    },
                    "retrieval_stats": {name: row._mapping[name] for name in _RETRIEVAL},
                    "context_stats": {name: row._mapping[name] for name in _CONTEXT},
                    "intent_distribution": intents.get(row.user_id, {}),
                },
                extra="ignore",
            )
            for row in sums
        ]

    async def _put(self, day: datetime, rows: Sequence[DayTotals]) -> None:
        insert, now = self._scope.insert(analytics_daily), self._scope.clock.now()
        values = [
            {
                **one.model_dump(mode="python", exclude={"date"}),
                "org_id": self._scope.org_id,
                "user_id": user_key(one.user_id),
                "day": _number(day),
                "created_at": now,
                "updated_at": now,
            }
            for one in rows
        ]
        kept = {"org_id", "user_id", "day", "created_at"}
        changed = {column.name: insert.excluded[column.name] for column in analytics_daily.c}
        await self._scope.run(
            insert.on_conflict_do_update(
                index_elements=["org_id", "user_id", "day"],
                set_={name: value for name, value in changed.items() if name not in kept},
            ),
            values,
        )

    async def list_days(
        self, *, user_id: UserId | None = None, start: datetime, end: datetime, limit: int
    ) -> list[DayTotals]:
        """Return the days from *start* to before *end*, newest first, of one user or of each user."""
        column = analytics_daily.c
        first, last = _number(start), _number(end - timedelta(microseconds=1))
        wanted = [column.org_id == self._scope.org_id, column.day >= first, column.day <= last]
        if user_id is not None:
            wanted.append(column.user_id == user_id)
        statement = sa.select(analytics_daily).where(*wanted)
        rows = await self._scope.all(statement.order_by(column.day.desc(), column.user_id).limit(limit))
        return [
            DayTotals.model_validate(
                {**row._mapping, "user_id": user_of(row.user_id), "date": _beginning(row.day)}, extra="ignore"
            )
            for row in rows
        ]

    async def last_day(self) -> datetime | None:
        """Return the newest day that has sums, or None."""
        column = analytics_daily.c
        newest = sa.select(column.day).where(column.org_id == self._scope.org_id)
        rows = await self._scope.all(newest.order_by(column.day.desc()).limit(1))
        return _beginning(rows[0].day) if rows else None

    async def first_call(self) -> datetime | None:
        """Return when the oldest stored call arrived, or None."""
        oldest = sa.select(COLUMN.created_at).where(COLUMN.org_id == self._scope.org_id)
        rows = await self._scope.all(oldest.order_by(COLUMN.created_at).limit(1))
        return rows[0].created_at if rows else None

    async def drop(self, before: datetime, *, limit: int) -> int:
        """Delete up to *limit* of the oldest calls that arrived before *before*; returns how many."""
        mine = COLUMN.org_id == self._scope.org_id
        oldest = sa.select(COLUMN.id).where(mine, COLUMN.created_at < before)
        chosen = oldest.order_by(COLUMN.created_at).limit(limit)
        return await self._scope.run(sa.delete(request_analytics).where(mine, COLUMN.id.in_(chosen)))


_SUMS: tuple[sa.Label[Any], ...] = (
    *totals_columns(),
    *(counted(COLUMN.request_type == str(one)).label(f"{one}_requests") for one in RequestType),
    sa.func.avg(COLUMN.ttfb_ms).label("avg_ttfb"),
    *RETRIEVAL_MEANS,
    *(mean(column, name) for name, column in _CONTEXT.items()),
)


def _number(day: datetime) -> int:
    return (day - _EPOCH) // _DAY


def _beginning(number: int) -> datetime:
    return _EPOCH + number * _DAY
