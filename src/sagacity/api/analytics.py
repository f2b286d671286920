"""Recorded answers, searches and contexts, and reports over them."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Path, Query

from sagacity.analytics import reports
from sagacity.analytics.reports import ReportScope
from sagacity.api.dependencies import Administers, Reads
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.analytics import AnalyticsFilter, RequestAnalytics, RequestStatus, RequestType
from sagacity.domain.analytics_reports import Granularity, Metric
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import UserId
from sagacity.schemas.analytics import (
    AnalyticsDays,
    AnalyticsLatency,
    AnalyticsPage,
    AnalyticsRetrieval,
    AnalyticsSeries,
    AnalyticsSummary,
    DayCount,
    FlushReply,
)
from sagacity.schemas.base import Id, Moment, Storable

router = resource("analytics", path="/v1/analytics")
_MONTH = timedelta(days=30)
_BEGINNING = datetime.min.replace(tzinfo=UTC)


async def _report_scope(
    caller: Reads,
    user_id: Annotated[
        Id | None,
        Query(
            description="Only calls for this user. Without it: all of the organisation, or those of the user whose "
            "token it is."
        ),
    ] = None,
) -> ReportScope:
    named = None if user_id is None else UserId(user_id)
    return ReportScope(caller.acting, caller.principal.acting_for(named))


InScope = Annotated[ReportScope, Depends(_report_scope)]
Days = Annotated[int, Query(ge=1, le=90, description="How many times 24 hours to look back.")]
OnlyType = Annotated[RequestType | None, Query(description="Only calls of this type.")]


def _filter(
    *,
    request_type: OnlyType = None,
    status: Annotated[RequestStatus | None, Query(description="Only calls that ended so.")] = None,
    date_from: Annotated[Moment | None, Query(description="From this moment on.")] = None,
    date_to: Annotated[Moment | None, Query(description="Before this moment.")] = None,
    conversation_id: Annotated[Id | None, Query(description="Only calls in this conversation.")] = None,
    min_latency_ms: Annotated[
        float | None, Query(ge=0, le=1e12, description="Only calls that took at least so long.")
    ] = None,
    max_latency_ms: Annotated[
        float | None, Query(ge=0, le=1e12, description="Only calls that took no longer.")
    ] = None,
) -> AnalyticsFilter:
    if date_from is not None and date_to is not None and date_to <= date_from:
        raise InvalidInput("date_to must be later than date_from")
    if min_latency_ms is not None and max_latency_ms is not None and max_latency_ms < min_latency_ms:
        raise InvalidInput("max_latency_ms must not be less than min_latency_ms")
    return AnalyticsFilter(
        request_type=request_type,
        status=status,
        start=date_from,
        end=date_to,
        conversation_id=conversation_id,
        min_latency_ms=min_latency_ms,
        max_latency_ms=max_latency_ms,
    )


@router.get("/requests", openapi_extra=sdk(positional=()))
@limited(Rate.SEARCH)
async def list_request_analytics(
    scope: InScope,
    wanted: Annotated[AnalyticsFilter, Depends(_filter)],
    *,
    page: Annotated[
        int, Query(ge=1, le=1_000_000, description="Which page of the results to return, from 1 on.")
    ] = 1,
    page_size: Annotated[int, Query(ge=1, le=100, description="How many results a page holds.")] = 20,
    cursor: Annotated[
        Storable | None,
        Query(max_length=200, description="Where the page before ended; takes the place of `page`."),
    ] = None,
) -> AnalyticsPage:
    """
    Return recorded calls, newest first.

    A call is recorded when its answer has ended, and can be read a few seconds later.
    """
    found = await reports.page_of(
        scope,
        wanted,
        before=None if cursor is None else _read_cursor(cursor),
        limit=page_size,
        offset=(page - 1) * page_size,
    )
    last = found.calls[-1] if found.has_more else None
    return AnalyticsPage(
        analytics=tuple(found.calls),
        total=found.total,
        page=page,
        page_size=page_size,
        has_more=found.has_more,
        next_cursor=None if last is None else _cursor(last),
    )


@router.get("/requests/{analytics_id}", openapi_extra=sdk())
async def get_request_analytics(
    scope: InScope, analytics_id: Annotated[UUID, Path(description="The `id` of the record.")]
) -> RequestAnalytics:
    """Return one recorded call with all that was measured."""
    return await reports.call(scope, str(analytics_id))


@router.get("/summary", openapi_extra=sdk(positional=()))
@limited(Rate.SEARCH)
async def get_analytics_summary(
    scope: InScope, *, days: Days = 7, request_type: OnlyType = None
) -> AnalyticsSummary:
    """Return the number of calls, their outcomes, durations and intents."""
    told = await reports.summary(scope, days, request_type)
    totals = told.totals
    return AnalyticsSummary(
        **dict(totals),
        period_days=days,
        error_rate=totals.error_requests / totals.total_requests if totals.total_requests else 0.0,
        p50_latency_ms=told.total_time.p50,
        p95_latency_ms=told.total_time.p95,
        requests_by_type=told.by_type,
        requests_by_day=tuple(
            DayCount(date=one.timestamp.date().isoformat(), count=one.count) for one in told.by_day
        ),
        intent_distribution=told.intents,
    )


@router.get("/latency", openapi_extra=sdk(positional=()))
@limited(Rate.SEARCH)
async def get_analytics_latency(
    scope: InScope,
    *,
    days: Days = 7,
    request_type: OnlyType = None,
    granularity: Annotated[
        Granularity, Query(description="How long the steps of `timeseries` are.")
    ] = Granularity.DAY,
) -> AnalyticsLatency:
    """
    Return how long successful calls took, as a whole and step by step.

    Percentiles are interpolated between the two nearest values.
    """
    report, steps = await reports.latency(scope, days, request_type, granularity)
    return AnalyticsLatency(
        **dict(report),
        timeseries=tuple(steps),
        period_days=days,
        granularity=granularity,
        request_type=request_type,
    )


@router.get("/retrieval", openapi_extra=sdk(positional=()))
@limited(Rate.SEARCH)
async def get_analytics_retrieval(scope: InScope, *, days: Days = 7) -> AnalyticsRetrieval:
    """Return how much each strategy found, how much they overlapped, the scores, and how full contexts were."""
    return AnalyticsRetrieval(**dict(await reports.retrieval(scope, days)), period_days=days)


@router.get("/timeseries", openapi_extra=sdk(positional=("metric",)))
@limited(Rate.SEARCH)
async def get_analytics_timeseries(
    scope: InScope,
    metric: Annotated[
        Metric,
        Query(
            description="`requests`: how many; `latency`: the mean of successes in ms; `errors`: how many."
        ),
    ],
    *,
    days: Days = 7,
    granularity: Annotated[
        Literal[Granularity.HOUR, Granularity.DAY], Query(description="How long a step is.")
    ] = Granularity.HOUR,
) -> AnalyticsSeries:
    """Return one metric over time without gaps, by hour or day (UTC); the first and last step are partial."""
    steps = await reports.series(scope, metric, days, granularity)
    return AnalyticsSeries(metric=metric, period_days=days, granularity=granularity, data_points=tuple(steps))


@router.get("/daily", openapi_extra=sdk(positional=()))
@limited(Rate.SEARCH)
async def get_analytics_days(
    scope: InScope,
    *,
    date_from: Annotated[Moment | None, Query(description="From the day of this moment on.")] = None,
    date_to: Annotated[Moment | None, Query(description="Before this moment.")] = None,
) -> AnalyticsDays:
    """
    Return the sums of past days, newest first; without dates, of the last 30 days.

    They stay when the calls of those days are deleted.
    """
    end = date_to or scope.acting.parts.clock.now()
    start = date_from or max(end, _BEGINNING + _MONTH) - _MONTH
    if end <= start:
        raise InvalidInput("date_to must be later than date_from")
    return AnalyticsDays(days=tuple(await reports.daily(scope, start, end)))


@router.post("/flush", openapi_extra=sdk(repeatable=True))
@limited(Rate.WRITE)
async def flush_analytics(caller: Administers) -> FlushReply:
    """Write the organisation's calls and usage events waiting in this server, so that they can be read now."""
    calls, usage = caller.runtime.analytics, caller.runtime.usage
    count = 0 if calls is None else await calls.flush(caller.tenant)
    events = 0 if usage is None else await usage.flush(caller.tenant)
    return FlushReply(
        records_flushed=count,
        dropped=0 if calls is None else calls.dropped,
        usage_events_flushed=events,
        usage_events_dropped=0 if usage is None else usage.dropped,
        message=f"{counted(count, 'call')} and {counted(events, 'usage event')} written",
    )


def _cursor(last: RequestAnalytics) -> str:
    return f"{last.created_at.astimezone(UTC).isoformat().replace('+00:00', 'Z')}.{last.id}"


def _read_cursor(cursor: str) -> tuple[datetime, str]:
    """
    Parse a page token.

    Raises:
        InvalidInput: it was not issued by this API.
    """
    at, _, analytics_id = cursor.rpartition(".")
    try:
        return datetime.fromisoformat(at).astimezone(UTC), str(UUID(analytics_id))
    except (ValueError, OverflowError) as error:
        raise InvalidInput("cursor: take it from `next_cursor` of the page before") from error
