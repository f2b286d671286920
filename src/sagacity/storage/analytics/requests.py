"""Recorded calls, one row each."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.analytics import FAILURES, AnalyticsFilter, RequestAnalytics
from sagacity.domain.errors import NotFound
from sagacity.domain.ids import UserId
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import request_analytics
from sagacity.storage.statements.user_key import user_key, user_of

COLUMN = request_analytics.c
IS_FAILURE = COLUMN.status.in_([str(one) for one in FAILURES])
_PARTS = ("step_timings", "retrieval_metrics", "context_metrics", "query_analysis")


class RequestAnalyticsRepository:
    """A tenant's calls. Rows are added and never changed."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, calls: Sequence[RequestAnalytics]) -> None:
        """Store calls; one that is stored already stays unchanged."""
        if calls:
            rows = [{"org_id": self._scope.org_id, **_row(call)} for call in calls]
            await self._scope.run(self._scope.insert_new(request_analytics), rows)

    async def get(self, analytics_id: str, *, user_id: UserId | None = None) -> RequestAnalytics:
        """
        Return one call; with *user_id*, only if it is that user's.

        Raises:
            NotFound: there is none with that id.
        """
        wanted = [COLUMN.org_id == self._scope.org_id, COLUMN.id == analytics_id]
        if user_id is not None:
            wanted.append(COLUMN.user_id == user_id)
        rows = await self._scope.all(sa.select(request_analytics).where(*wanted))
        if not rows:
            raise NotFound(f"no call {analytics_id!r} is recorded")
        return _call_of(rows[0])

    async def page(
        self,
        wanted: AnalyticsFilter,
        *,
        before: tuple[datetime, str] | None = None,
        limit: int,
        offset: int = 0,
    ) -> list[RequestAnalytics]:
        """
        Return calls, newest first.

        Args:
            wanted: the filter.
            before: the time and id of the last call of the previous page.
            limit: the most calls.
            offset: how many to skip.
        """
        conditions = among(self._scope, wanted)
        if before is not None:
            at, analytics_id = before
            mark = sa.tuple_(sa.literal(at, COLUMN.created_at.type), sa.literal(analytics_id, COLUMN.id.type))
            conditions.append(sa.tuple_(COLUMN.created_at, COLUMN.id) < mark)
        newest_first = (COLUMN.created_at.desc(), COLUMN.id.desc())
        statement = sa.select(request_analytics).where(*conditions).order_by(*newest_first)
        return [_call_of(row) for row in await self._scope.all(statement.limit(limit).offset(offset))]

    async def count(self, wanted: AnalyticsFilter) -> int:
        """Return how many calls `page` returns over all pages."""
        statement = sa.select(sa.func.count()).select_from(request_analytics)
        return (await self._scope.all(statement.where(*among(self._scope, wanted))))[0][0]


def among(scope: Scope, wanted: AnalyticsFilter) -> list[sa.ColumnElement[bool]]:
    """Return the conditions of a filter."""
    conditions = [COLUMN.org_id == scope.org_id]
    for name in ("user_id", "request_type", "status", "conversation_id"):
        value = getattr(wanted, name)
        if value is not None:
            conditions.append(COLUMN[name] == str(value))
    if wanted.start is not None:
        conditions.append(COLUMN.created_at >= wanted.start)
    if wanted.end is not None:
        conditions.append(COLUMN.created_at < wanted.end)
    if wanted.min_latency_ms is not None:
        conditions.append(COLUMN.total_time_ms >= wanted.min_latency_ms)
    if wanted.max_latency_ms is not None:
        conditions.append(COLUMN.total_time_ms <= wanted.max_latency_ms)
    return conditions


def _row(call: RequestAnalytics) -> dict[str, Any]:
    """Return the columns of a call: the whole record, and separately the values that are summed up."""
    found, timings, context = call.retrieval_metrics, call.step_timings, call.context_metrics
    had_context = context.token_budget_max > 0
    return {
        **call.model_dump(mode="python", exclude={*_PARTS}),
        **{name: getattr(call, name).model_dump(mode="json") for name in _PARTS},
        "user_id": user_key(call.user_id),
        "request_type": str(call.request_type),
        "status": str(call.status),
        "retrieval_ms": timings.total_retrieval_time,
        "ranking_ms": timings.ranking_time,
        "context_building_ms": timings.context_building_time,
        "llm_ms": timings.llm_total_time,
        "vector_results": found.vector_results_count,
        "keyword_results": found.keyword_results_count,
        "graph_results": found.graph_results_count,
        "raw_results": found.total_raw_results,
        "duplicates": found.deduplication_removed,
        "combined_score": found.avg_combined_score,
        "context_tokens": context.total_context_tokens if had_context else None,
        "is_truncated": int(context.truncation_occurred) if had_context else None,
        "intent": call.query_analysis.intent,
    }


def _call_of(row: Any) -> RequestAnalytics:
    values = {**row._mapping, "user_id": user_of(row.user_id)}
    return RequestAnalytics.model_validate(values, extra="ignore")
