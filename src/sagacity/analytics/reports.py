"""Reports over recorded calls, for the principal's organisation or one of its users."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sagacity.domain.analytics import AnalyticsFilter, RequestAnalytics, RequestType
from sagacity.domain.analytics_reports import (
    DayTotals,
    Granularity,
    LatencyReport,
    Metric,
    Percentiles,
    RetrievalTotals,
    Step,
    Totals,
    without_gaps,
)
from sagacity.domain.ids import UserId
from sagacity.memories.acting import Acting

MOST_DAYS = 3_660
"""How many rows of days one call returns at most."""


@dataclass(frozen=True, slots=True)
class ReportScope:
    """Whose calls a report covers: one user's, or the whole organisation's."""

    acting: Acting
    user_id: UserId | None

    def narrowed(self, wanted: AnalyticsFilter) -> AnalyticsFilter:
        """Return *wanted* restricted to the scope's user, if it has one."""
        return wanted.model_copy(update={"user_id": self.user_id})

    def last(self, days: int, request_type: RequestType | None = None) -> AnalyticsFilter:
        """Return the filter for the calls of the last *days* times 24 hours."""
        start = self.acting.parts.clock.now() - timedelta(days=days)
        return AnalyticsFilter(user_id=self.user_id, request_type=request_type, start=start)


@dataclass(frozen=True, slots=True)
class CallsPage:
    """Some calls, newest first."""

    calls: Sequence[RequestAnalytics]
    total: int
    has_more: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """Calls over some days."""

    totals: Totals
    by_type: dict[str, int]
    by_day: Sequence[Step]
    """Without gaps, oldest first."""
    intents: dict[str, int]
    total_time: Percentiles
    """Of calls that succeeded."""


async def page_of(
    scope: ReportScope,
    wanted: AnalyticsFilter,
    *,
    before: tuple[datetime, str] | None = None,
    limit: int,
    offset: int = 0,
) -> CallsPage:
    """
    Return a page of calls.

    Args:
        scope: whose calls.
        wanted: which.
        before: time and id of the last call of the previous page; used instead of *offset*.
        limit: how many at most.
        offset: how many to skip.
    """
    wanted = scope.narrowed(wanted)
    async with scope.acting.read(user_id=scope.user_id) as snapshot:
        calls = snapshot.request_analytics
        found = await calls.page(wanted, before=before, limit=limit + 1, offset=0 if before else offset)
        total = await calls.count(wanted)
    return CallsPage(found[:limit], total, len(found) > limit)


async def call(scope: ReportScope, analytics_id: str) -> RequestAnalytics:
    """
    Return one call.

    Raises:
        NotFound: there is none of that id, or it is another user's.
    """
    async with scope.acting.read(user_id=scope.user_id) as snapshot:
        return await snapshot.request_analytics.get(analytics_id, user_id=scope.user_id)


async def summary(scope: ReportScope, days: int, request_type: RequestType | None) -> Summary:
    """Return what happened in the last *days*."""
    wanted = scope.last(days, request_type)
    async with scope.acting.read(user_id=scope.user_id) as snapshot:
        reports = snapshot.analytics_reports
        totals = await reports.totals(wanted)
        by_type = await reports.counts(wanted, "request_type")
        by_day = await reports.steps(wanted, Metric.REQUESTS, Granularity.DAY)
        intents = await reports.counts(wanted, "intent")
        times = await reports.total_time(wanted)
    return Summary(totals, by_type, _filled(scope, wanted, by_day, Granularity.DAY), intents, times)


async def latency(
    scope: ReportScope, days: int, request_type: RequestType | None, granularity: Granularity
) -> tuple[LatencyReport, Sequence[Step]]:
    """Return the durations of successful calls, and the mean of each step, over the last *days*."""
    wanted = scope.last(days, request_type)
    async with scope.acting.read(user_id=scope.user_id) as snapshot:
        report = await snapshot.analytics_reports.latency(wanted)
        steps = await snapshot.analytics_reports.steps(wanted, Metric.LATENCY, granularity)
    return report, _filled(scope, wanted, steps, granularity)


async def retrieval(scope: ReportScope, days: int) -> RetrievalTotals:
    """Return how much searches found in the last *days*."""
    async with scope.acting.read(user_id=scope.user_id) as snapshot:
        return await snapshot.analytics_reports.retrieval(scope.last(days))


async def series(scope: ReportScope, metric: Metric, days: int, granularity: Granularity) -> Sequence[Step]:
    """Return a series over the last *days*, without gaps, oldest first; the first and last step are partial."""
    wanted = scope.last(days)
    async with scope.acting.read(user_id=scope.user_id) as snapshot:
        steps = await snapshot.analytics_reports.steps(wanted, metric, granularity)
    return _filled(scope, wanted, steps, granularity)


async def daily(scope: ReportScope, start: datetime, end: datetime) -> Sequence[DayTotals]:
    """Return what was summed up by user and day, the newest day first."""
    async with scope.acting.read(user_id=scope.user_id) as snapshot:
        return await snapshot.analytics_days.list_days(
            user_id=scope.user_id, start=start, end=end, limit=MOST_DAYS
        )


def _filled(
    scope: ReportScope, wanted: AnalyticsFilter, steps: Sequence[Step], granularity: Granularity
) -> Sequence[Step]:
    now = scope.acting.parts.clock.now()
    return without_gaps(list(steps), wanted.start or now, now, granularity)
