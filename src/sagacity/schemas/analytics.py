"""Replies with recorded calls, and with reports over them."""

from sagacity.domain.analytics import RequestAnalytics, RequestType
from sagacity.domain.analytics_reports import (
    DayTotals,
    Granularity,
    LatencyReport,
    Metric,
    RetrievalTotals,
    Step,
    Totals,
)
from sagacity.schemas.base import Schema


class AnalyticsPage(Schema):
    """A page of recorded calls."""

    analytics: tuple[RequestAnalytics, ...]
    """The newest first."""
    total: int
    """Number on all pages."""
    page: int
    """Number of this page."""
    page_size: int
    """How many calls a page holds."""
    has_more: bool
    """Whether there is another page."""
    next_cursor: str | None = None
    """Send it as `cursor` to get the next page, even if calls come in meanwhile."""


class DayCount(Schema):
    """Number of calls on a day."""

    date: str
    """The day in UTC, such as `2026-11-25`."""
    count: int
    """Number of calls; 0 if none."""


class AnalyticsSummary(Totals):
    """What happened in the last days."""

    period_days: int
    """Number of periods of 24 hours that it covers, up to now."""
    error_rate: float
    """The share of calls that failed or timed out, from 0 to 1."""
    p50_latency_ms: float
    """Median duration of successful calls; 0 if there were none."""
    p95_latency_ms: float
    """95th percentile of the duration of successful calls; 0 if there were none."""
    requests_by_type: dict[str, int]
    """Number of calls of each type."""
    requests_by_day: tuple[DayCount, ...]
    """Each day of the period, oldest first; the first and last are partial."""
    intent_distribution: dict[str, int]
    """Number of calls with each intent."""


class AnalyticsLatency(LatencyReport):
    """Durations of successful calls."""

    timeseries: tuple[Step, ...]
    """Their mean duration in milliseconds over time, oldest first; 0 if there were none."""
    period_days: int
    """Number of periods of 24 hours that it covers, up to now."""
    granularity: Granularity
    """Length of a step."""
    request_type: RequestType | None = None
    """The type of the calls; null for all."""


class AnalyticsRetrieval(RetrievalTotals):
    """What searches found in the last days."""

    period_days: int
    """Number of periods of 24 hours that it covers, up to now."""


class AnalyticsSeries(Schema):
    """One metric over time."""

    metric: Metric
    """What the values measure."""
    period_days: int
    """Number of periods of 24 hours that it covers, up to now."""
    granularity: Granularity
    """Length of a step."""
    data_points: tuple[Step, ...]
    """Values over time, oldest first; steps without calls have zeros."""


class AnalyticsDays(Schema):
    """Sums by user and day."""

    days: tuple[DayTotals, ...]
    """Newest day first, one row for each user."""


class FlushReply(Schema):
    """The result of writing waiting calls."""

    status: str = "flushed"
    """Always `flushed`."""
    records_flushed: int
    """How many calls were written."""
    dropped: int
    """Number of calls that this server lost since it started, of all organisations."""
    usage_events_flushed: int = 0
    """How many usage events were written."""
    usage_events_dropped: int = 0
    """Number of usage events that this server lost since it started, of all organisations."""
    message: str
    """The result in one sentence."""
