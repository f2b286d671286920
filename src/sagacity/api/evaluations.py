"""Whether sessions went well, and the figures of the dashboard."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from fastapi import APIRouter

from sagacity.api.dependencies import Reads
from sagacity.api.route import Route
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.clock import from_epoch
from sagacity.domain.memory import MemoryKind
from sagacity.domain.views.evaluation import evaluation_view
from sagacity.schemas.evaluations import (
    DashboardPage,
    DashboardStats,
    DataPoint,
    EvaluationsPage,
    GetDashboardStatsBody,
    GetEvaluationsBody,
    PeriodStats,
)
from sagacity.storage.transaction import Transaction

router = APIRouter(tags=["evaluations"], route_class=Route)
DAY_SECONDS = 86_400
_PLAYBOOKS = (MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK)


@router.post(
    "/get_agent_success_evaluation_results",
    response_model_exclude_none=True,
    openapi_extra=sdk(repeatable=True),
)
async def get_agent_success_evaluation_results(body: GetEvaluationsBody, caller: Reads) -> EvaluationsPage:
    """Return evaluation results, newest first."""
    async with caller.read() as snapshot:
        found = await snapshot.evaluations.list_newest(agent_version=body.agent_version, limit=body.limit)
    return EvaluationsPage(
        agent_success_evaluation_results=tuple(evaluation_view(result) for result in found),
        msg=counted(len(found), "result"),
    )


@router.post("/get_dashboard_stats", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
async def get_dashboard_stats(body: GetDashboardStatsBody, caller: Reads) -> DashboardPage:
    """Return counts for the last days including today, by day (UTC), and for the same number of days before."""
    today = caller.runtime.clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    end = today + timedelta(days=1)
    start = end - timedelta(days=body.days_back)
    async with caller.read() as snapshot:
        before = await _count(snapshot, start - timedelta(days=body.days_back), start)
        current = await _count(snapshot, start, end)
    return DashboardPage(
        stats=DashboardStats(
            current_period=current.total,
            previous_period=before.total,
            interactions_time_series=_series(current.interactions, start, body.days_back),
            profiles_time_series=_series(current.profiles, start, body.days_back),
            playbooks_time_series=_series(current.playbooks, start, body.days_back),
            evaluations_time_series=tuple(
                DataPoint(timestamp=day * DAY_SECONDS, value=round(100 * successes / judged))
                for day, judged, successes in current.evaluations
            ),
        )
    )


class _Counted:
    """What came about in a period, day by day."""

    def __init__(
        self,
        interactions: Sequence[tuple[int, int]],
        profiles: Sequence[tuple[int, int]],
        playbooks: Sequence[tuple[int, int]],
        evaluations: Sequence[tuple[int, int, int]],
    ) -> None:
        self.interactions = interactions
        self.profiles = profiles
        self.playbooks = playbooks
        self.evaluations = evaluations

    @property
    def total(self) -> PeriodStats:
        """The sums of the period."""
        judged = sum(count for _, count, _ in self.evaluations)
        successes = sum(count for _, _, count in self.evaluations)
        return PeriodStats(
            total_profiles=sum(count for _, count in self.profiles),
            total_interactions=sum(count for _, count in self.interactions),
            total_playbooks=sum(count for _, count in self.playbooks),
            success_rate=round(100 * successes / judged, 2) if judged else 0.0,
        )


async def _count(snapshot: Transaction, start: datetime, end: datetime) -> _Counted:
    figures = snapshot.evaluations
    return _Counted(
        await figures.interactions_by_day(start, end),
        await figures.memories_by_day([MemoryKind.PROFILE], start, end),
        await figures.memories_by_day(_PLAYBOOKS, start, end),
        await figures.success_by_day(start, end),
    )


def _series(counts: Sequence[tuple[int, int]], start: datetime, days: int) -> tuple[DataPoint, ...]:
    """Return one point a day, zeros included."""
    known = dict(counts)
    first = int(start.timestamp()) // DAY_SECONDS
    return tuple(
        DataPoint(timestamp=int(from_epoch(day * DAY_SECONDS).timestamp()), value=known.get(day, 0))
        for day in range(first, first + days)
    )
