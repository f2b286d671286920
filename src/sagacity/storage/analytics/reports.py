"""Sums over calls, computed in SQL so that only they leave the database."""

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import sqlalchemy as sa

from sagacity.domain.analytics import AnalyticsFilter, RequestStatus
from sagacity.domain.analytics_reports import (
    OF_NO_VALUES,
    Granularity,
    LatencyReport,
    Metric,
    Percentiles,
    RetrievalTotals,
    Step,
    Totals,
)
from sagacity.domain.measures import Spread
from sagacity.domain.query import StrategyName
from sagacity.storage.analytics.distribution import distributions, percentiles_of
from sagacity.storage.analytics.requests import COLUMN, IS_FAILURE, among
from sagacity.storage.base import Scope
from sagacity.storage.statements.steps import beginning_of, step_number

TYPES = ("profile", "semantic", "episodic", "procedural", "agent_playbook", "skill", "interaction")
"""The types of results that are counted: the chat contract's four, and the others."""
Sums = TypeVar("Sums", Totals, RetrievalTotals)
MEASURED = {
    "total_time": COLUMN.total_time_ms,
    "ttfb": COLUMN.ttfb_ms,
    "retrieval": COLUMN.retrieval_ms,
    "llm": COLUMN.llm_ms,
    "ranking": COLUMN.ranking_ms,
    "context_building": COLUMN.context_building_ms,
}


class AnalyticsReportRepository:
    """A tenant's calls, summed up."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def totals(self, wanted: AnalyticsFilter) -> Totals:
        """Return sums over calls."""
        statement = sa.select(*totals_columns(), *_MEANS).where(*among(self._scope, wanted))
        return _valid(Totals, (await self._scope.all(statement))[0])

    async def latency(self, wanted: AnalyticsFilter) -> LatencyReport:
        """Return how long successful calls and each of their steps took."""
        statement = distributions(MEASURED, among(self._scope, _succeeded(wanted)))
        rows = await self._scope.all(statement)
        return LatencyReport(**{row.name: percentiles_of(row) for row in rows})

    async def total_time(self, wanted: AnalyticsFilter) -> Percentiles:
        """Return how long successful calls took as a whole."""
        whole = {"total_time": COLUMN.total_time_ms}
        rows = await self._scope.all(distributions(whole, among(self._scope, _succeeded(wanted))))
        return percentiles_of(rows[0]) if rows else OF_NO_VALUES

    async def steps(self, wanted: AnalyticsFilter, metric: Metric, granularity: Granularity) -> list[Step]:
        """Return a series, oldest first, without empty steps; latency counts successful calls only."""
        value: sa.ColumnElement[Any]
        match metric:
            case Metric.REQUESTS:
                value = sa.func.count()
            case Metric.LATENCY:
                value, wanted = sa.func.avg(COLUMN.total_time_ms), _succeeded(wanted)
            case Metric.ERRORS:
                value = sa.func.sum(sa.case((IS_FAILURE, 1), else_=0))
        step = step_number(COLUMN.created_at, granularity)
        statement = sa.select(step, value.label("value"), sa.func.count().label("count"))
        rows = await self._scope.all(
            statement.where(*among(self._scope, wanted)).group_by(step).order_by(step)
        )
        return [
            Step(
                timestamp=beginning_of(row.step, granularity),
                value=float(row.value),
                count=row._mapping["count"],
            )
            for row in rows
        ]

    async def counts(
        self, wanted: AnalyticsFilter, by: Literal["request_type", "intent", "error_type"]
    ) -> dict[str, int]:
        """Return the number of calls for each value of a column, most frequent first; nulls are left out."""
        column, count = COLUMN[by], sa.func.count()
        rows = await self._scope.all(
            sa.select(column, count)
            .where(*among(self._scope, wanted), column.is_not(None))
            .group_by(column)
            .order_by(count.desc(), column)
        )
        return {row[0]: row[1] for row in rows}

    async def retrieval(self, wanted: AnalyticsFilter) -> RetrievalTotals:
        """Return sums over what searches found."""
        searched = COLUMN.retrieval_ms.is_not(None)
        statement = sa.select(sa.func.count().label("total_requests"), *_FOUND, *_TYPES, *_SCORES)
        row = (await self._scope.all(statement.where(*among(self._scope, wanted), searched)))[0]
        values = row._mapping
        totals = {one: int(values[f"{one}_total"] or 0) for one in TYPES}
        count = row.total_requests
        return _valid(RetrievalTotals, row).model_copy(
            update={
                "score_distribution": {
                    str(one): Spread(
                        min=values[f"{one}_min"],
                        max=values[f"{one}_max"],
                        avg=values[f"{one}_sum"] / values[f"{one}_count"],
                    )
                    for one in StrategyName
                    if values[f"{one}_min"] is not None and values[f"{one}_count"]
                },
                "memories_by_type_total": {one: total for one, total in totals.items() if total},
                "avg_memories_by_type": {one: total / count for one, total in totals.items() if total},
            }
        )


def totals_columns() -> list[sa.Label[Any]]:
    """Return columns for the number of calls, and the number that ended in each way."""
    is_ = {status: COLUMN.status == str(status) for status in RequestStatus}
    return [
        sa.func.count().label("total_requests"),
        counted(is_[RequestStatus.SUCCESS]).label("successful_requests"),
        counted(is_[RequestStatus.PARTIAL]).label("partial_requests"),
        counted(IS_FAILURE).label("error_requests"),
    ]


def counted(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    """Return the number of rows that meet a condition."""
    return sa.func.coalesce(sa.func.sum(sa.case((condition, 1), else_=0)), 0)


def mean(value: sa.ColumnElement[Any], name: str) -> sa.Label[Any]:
    """Return the mean of the values that are not null; 0 if all are null."""
    return sa.func.coalesce(sa.func.avg(sa.cast(value, sa.Float)), 0.0).label(name)


DUPLICATE_SHARE = sa.case(
    (COLUMN.raw_results > 0, sa.cast(COLUMN.duplicates, sa.Float) / COLUMN.raw_results), else_=None
)
"""Of what a call's strategies found; null where they found nothing."""
RETRIEVAL_MEANS = (
    mean(COLUMN.raw_results, "avg_total_results"),
    mean(DUPLICATE_SHARE, "avg_deduplication_rate"),
    mean(COLUMN.combined_score, "avg_combined_score"),
)
_MEANS = (
    mean(COLUMN.total_time_ms, "avg_latency_ms"),
    sa.func.avg(COLUMN.ttfb_ms).label("avg_ttfb_ms"),
    mean(sa.case((COLUMN.retrieval_ms.is_not(None), COLUMN.raw_results)), "avg_retrieval_results"),
    mean(COLUMN.context_tokens, "avg_context_tokens"),
)
_FOUND = (
    mean(COLUMN.vector_results, "avg_vector_results"),
    mean(COLUMN.keyword_results, "avg_keyword_results"),
    mean(COLUMN.graph_results, "avg_graph_results"),
    *RETRIEVAL_MEANS,
    mean(COLUMN.context_tokens, "avg_context_tokens"),
    mean(COLUMN.is_truncated, "truncation_rate"),
)


def _number(*path: str) -> sa.ColumnElement[float]:
    return COLUMN.retrieval_metrics[path].as_float()


_TYPES = [sa.func.sum(_number("memories_by_type", one)).label(f"{one}_total") for one in TYPES]


def _spread_of(strategy: StrategyName) -> Sequence[sa.Label[Any]]:
    count, avg = _number(f"{strategy}_results_count"), _number("score_distribution", strategy, "avg")
    return (
        sa.func.min(_number("score_distribution", strategy, "min")).label(f"{strategy}_min"),
        sa.func.max(_number("score_distribution", strategy, "max")).label(f"{strategy}_max"),
        sa.func.sum(avg * count).label(f"{strategy}_sum"),
        sa.func.sum(sa.case((avg.is_not(None), count))).label(f"{strategy}_count"),
    )


_SCORES = [one for strategy in StrategyName for one in _spread_of(strategy)]


def _succeeded(wanted: AnalyticsFilter) -> AnalyticsFilter:
    return wanted.model_copy(update={"status": RequestStatus.SUCCESS})


def _valid(model: type[Sums], row: Any) -> Sums:
    return model.model_validate(row._mapping, extra="ignore")
