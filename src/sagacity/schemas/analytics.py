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
    """How many there are on all pages."""
    page: int
    """Which page this is."""
    page_size: int
    """How many calls a page holds."""
    has_more: bool
    """Whether there is another page."""
    next_cursor: str | None = None
    """Give it as `cursor` for the next page, even if calls come in meanwhile."""


class DayCount(Schema):
    """How many calls came in on a day."""

    date: str
    """The day in UTC, such as `2026-11-25`."""
    count: int
    """How many calls came in; 0 where none did."""


class AnalyticsSummary(Totals):
    """What happened in the last days."""

    period_days: int
    """How many times 24 hours it covers, up to now."""
    error_rate: float
    """The share of calls that failed or were too late, from 0 to 1."""
    p50_latency_ms: float
    """Half of the calls that succeeded took no longer; 0 where none did."""
    p95_latency_ms: float
    """Of 100 calls that succeeded 95 took no longer; 0 where none did."""
    requests_by_type: dict[str, int]
    """How many calls of each type came in."""
    requests_by_day: tuple[DayCount, ...]
    """Each day of the period, the oldest first; the first and the last are parts of a day."""
    intent_distribution: dict[str, int]
    """Number of calls with each intent."""


class AnalyticsLatency(LatencyReport):
    """How long calls took that succeeded."""

    timeseries: tuple[Step, ...]
    """Their mean time in milliseconds, step by step, the oldest first; 0 where none came in."""
    period_days: int
    """How many times 24 hours it covers, up to now."""
    granularity: Granularity
    """How long a step is."""
    request_type: RequestType | None = None
    """Of which type the calls are; null for all."""


class AnalyticsRetrieval(RetrievalTotals):
    """What searches found in the last days."""

    period_days: int
    """How many times 24 hours it covers, up to now."""


class AnalyticsSeries(Schema):
    """One metric over time."""

    metric: Metric
    """What the values are."""
    period_days: int
    """How many times 24 hours it covers, up to now."""
    granularity: Granularity
    """How long a step is."""
    data_points: tuple[Step, ...]
    """Step by step, the oldest first; a step in which nothing came in has zeros."""


class AnalyticsDays(Schema):
    """What was summed up by user and day."""

    days: tuple[DayTotals, ...]
    """The newest day first; of an organisation a row for each user."""


class FlushReply(Schema):
    """What became of calls that waited to be written."""

    status: str = "flushed"
    """Always `flushed`."""
    records_flushed: int
    """How many calls were written."""
    dropped: int
    """How many calls of this server were lost since it started, of all organisations."""
    usage_events_flushed: int = 0
    """How many usage events were written."""
    usage_events_dropped: int = 0
    """How many usage events of this server were lost since it started, of all organisations."""
    message: str
    """The result in one sentence."""
