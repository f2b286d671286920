# Generated from the API's description by scripts/sdk; change it there.
"""How long answers, searches and contexts took, what they found, and how they ended."""

from datetime import datetime
from typing import Literal

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import segment
from sagacity.client.words.analytics import RequestStatusWord, RequestTypeWord
from sagacity.client.words.analytics_reports import GranularityWord, MetricWord
from sagacity.domain.analytics import RequestAnalytics
from sagacity.schemas.analytics import (
    AnalyticsDays,
    AnalyticsLatency,
    AnalyticsPage,
    AnalyticsRetrieval,
    AnalyticsSeries,
    AnalyticsSummary,
    FlushReply,
)


async def list_request_analytics(
    connection: AsyncConnection,
    *,
    page: int = 1,
    page_size: int = 20,
    cursor: str | None = None,
    user_id: str | None = None,
    request_type: RequestTypeWord | None = None,
    status: RequestStatusWord | None = None,
    date_from: datetime | None = None,
    date_to: datetime | None = None,
    conversation_id: str | None = None,
    min_latency_ms: float | None = None,
    max_latency_ms: float | None = None,
) -> AnalyticsPage:
    """
    Return recorded calls, newest first.

    A call is recorded when its answer has ended, and can be read a few seconds later.

    Args:
        connection: to the server.
        page: which page of the results to return, from 1 on.
        page_size: how many results a page holds.
        cursor: where the page before ended; takes the place of `page`.
        user_id: only calls for this user. Without it: all of the organisation, or those of the user whose token
            it is.
        request_type: only calls of this type.
        status: only calls that ended so.
        date_from: from this moment on.
        date_to: before this moment.
        conversation_id: only calls in this conversation.
        min_latency_ms: only calls that took at least so long.
        max_latency_ms: only calls that took no longer.
    """
    params = {
        "page": page,
        "page_size": page_size,
        "cursor": cursor,
        "user_id": user_id,
        "request_type": request_type,
        "status": status,
        "date_from": date_from,
        "date_to": date_to,
        "conversation_id": conversation_id,
        "min_latency_ms": min_latency_ms,
        "max_latency_ms": max_latency_ms,
    }
    return await connection.get("/api/v1/analytics/requests", AnalyticsPage, params=params)


async def get_request_analytics(
    connection: AsyncConnection, analytics_id: str, *, user_id: str | None = None
) -> RequestAnalytics:
    """
    Return one recorded call with all that was measured.

    Args:
        connection: to the server.
        analytics_id: the `id` of the record.
        user_id: only calls for this user. Without it: all of the organisation, or those of the user whose token
            it is.
    """
    params = {"user_id": user_id}
    return await connection.get(
        f"/api/v1/analytics/requests/{segment(analytics_id)}", RequestAnalytics, params=params
    )


async def get_analytics_summary(
    connection: AsyncConnection,
    *,
    days: int = 7,
    request_type: RequestTypeWord | None = None,
    user_id: str | None = None,
) -> AnalyticsSummary:
    """
    Return the number of calls, their outcomes, durations and intents.

    Args:
        connection: to the server.
        days: how many times 24 hours to look back.
        request_type: only calls of this type.
        user_id: only calls for this user. Without it: all of the organisation, or those of the user whose token
            it is.
    """
    params = {"days": days, "request_type": request_type, "user_id": user_id}
    return await connection.get("/api/v1/analytics/summary", AnalyticsSummary, params=params)


async def get_analytics_latency(
    connection: AsyncConnection,
    *,
    days: int = 7,
    request_type: RequestTypeWord | None = None,
    granularity: GranularityWord | None = None,
    user_id: str | None = None,
) -> AnalyticsLatency:
    """
    Return how long successful calls took, as a whole and step by step.

    Percentiles are interpolated between the two nearest values.

    Args:
        connection: to the server.
        days: how many times 24 hours to look back.
        request_type: only calls of this type.
        granularity: how long the steps of `timeseries` are; by default day.
        user_id: only calls for this user. Without it: all of the organisation, or those of the user whose token
            it is.
    """
    params = {"days": days, "request_type": request_type, "granularity": granularity, "user_id": user_id}
    return await connection.get("/api/v1/analytics/latency", AnalyticsLatency, params=params)


async def get_analytics_retrieval(
    connection: AsyncConnection, *, days: int = 7, user_id: str | None = None
) -> AnalyticsRetrieval:
    """
    Return how much each strategy found, how much they overlapped, the scores, and how full contexts were.

    Args:
        connection: to the server.
        days: how many times 24 hours to look back.
        user_id: only calls for this user. Without it: all of the organisation, or those of the user whose token
            it is.
    """
    params = {"days": days, "user_id": user_id}
    return await connection.get("/api/v1/analytics/retrieval", AnalyticsRetrieval, params=params)


async def get_analytics_timeseries(
    connection: AsyncConnection,
    metric: MetricWord,
    *,
    days: int = 7,
    granularity: Literal["hour", "day"] | None = None,
    user_id: str | None = None,
) -> AnalyticsSeries:
    """
    Return one metric over time without gaps, by hour or day (UTC); the first and last step are partial.

    Args:
        connection: to the server.
        metric: `requests`: how many; `latency`: the mean of successes in ms; `errors`: how many.
        days: how many times 24 hours to look back.
        granularity: how long a step is; by default hour.
        user_id: only calls for this user. Without it: all of the organisation, or those of the user whose token
            it is.
    """
    params = {"metric": metric, "days": days, "granularity": granularity, "user_id": user_id}
    return await connection.get("/api/v1/analytics/timeseries", AnalyticsSeries, params=params)


async def get_analytics_days(
    connection: AsyncConnection,
    *,
    date_from: datetime | None = None,
    date_to: datetime | None = None,
    user_id: str | None = None,
) -> AnalyticsDays:
    """
    Return the sums of past days, newest first; without dates, of the last 30 days.

    They stay when the calls of those days are deleted.

    Args:
        connection: to the server.
        date_from: from the day of this moment on.
        date_to: before this moment.
        user_id: only calls for this user. Without it: all of the organisation, or those of the user whose token
            it is.
    """
    params = {"date_from": date_from, "date_to": date_to, "user_id": user_id}
    return await connection.get("/api/v1/analytics/daily", AnalyticsDays, params=params)


async def flush_analytics(connection: AsyncConnection) -> FlushReply:
    """Write the organisation's calls and usage events waiting in this server, so that they can be read now."""
    return await connection.send("POST", "/api/v1/analytics/flush", FlushReply, repeatable=True)
