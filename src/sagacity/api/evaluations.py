"""Evaluations of sessions, and the figures of the dashboard."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

from fastapi import Query

from sagacity.api.dependencies import Reads
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.analytics_reports import Granularity
from sagacity.domain.clock import to_epoch
from sagacity.domain.dashboard import Figure, FigureGroup, FigureReport
from sagacity.domain.paced import each
from sagacity.domain.shadow_report import ShadowReport
from sagacity.domain.views.evaluation import evaluation_view
from sagacity.memories.dashboard import Figures, figure_report, last_days
from sagacity.memories.shadow import shadow_report
from sagacity.schemas.base import Label
from sagacity.schemas.evaluations import (
    DashboardPage,
    DashboardStats,
    DataPoint,
    EvaluationsPage,
    GetDashboardStatsBody,
    GetEvaluationsBody,
    PeriodStats,
)

router = resource("evaluations")
OnlyVersion = Annotated[
    Label | None, Query(description="Only sessions that this agent version answered last.")
]
OnlySource = Annotated[
    Label | None, Query(description="Only sessions whose last request that names a source names this one.")
]


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
        agent_success_evaluation_results=tuple(await each(evaluation_view, found)),
        msg=counted(len(found), "result"),
    )


@router.get("/v1/evaluations/shadow", openapi_extra=sdk(positional=()))
@limited(Rate.SEARCH)
async def get_shadow_report(
    caller: Reads,
    *,
    days: Annotated[int, Query(ge=1, le=3_650, description="How many times 24 hours to look back.")] = 30,
    agent_version: OnlyVersion = None,
    source: OnlySource = None,
    evaluation_name: Annotated[Label | None, Query(description="Only what this evaluator says.")] = None,
    limit: Annotated[int, Query(ge=1, le=100, description="How many differing sessions to name.")] = 10,
) -> ShadowReport:
    """
    Return how the agent compares with its shadow: counts, win rates with intervals, and a check of the judge.

    With fewer than 20 decided sessions, no conclusion is drawn.
    """
    return await shadow_report(
        caller.acting,
        days=days,
        agent_version=agent_version,
        source=source,
        evaluation_name=evaluation_name,
        limit=limit,
    )


@router.post("/get_dashboard_stats", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
async def get_dashboard_stats(body: GetDashboardStatsBody, caller: Reads) -> DashboardPage:
    """Return counts for the last days including today, by day (UTC), and for the same number of days before."""
    current, before = await last_days(caller.acting, body.days_back)
    return DashboardPage(
        stats=DashboardStats(
            current_period=_total(current),
            previous_period=_total(before),
            interactions_time_series=await _series(current, current.interactions),
            profiles_time_series=await _series(current, current.profiles),
            playbooks_time_series=await _series(current, current.playbooks),
            evaluations_time_series=tuple(
                DataPoint(timestamp=to_epoch(day.timestamp), value=round(100 * day.successes / day.count))
                for day in current.evaluations
            ),
        )
    )


@router.get("/v1/dashboard/series", openapi_extra=sdk(positional=()))
@limited(Rate.SEARCH)
async def get_dashboard_series(
    caller: Reads,
    *,
    days: Annotated[int, Query(ge=1, le=3_650, description="How many times 24 hours to look back.")] = 30,
    granularity: Annotated[Granularity, Query(description="How long a step is.")] = Granularity.DAY,
    by: Annotated[
        FigureGroup | None,
        Query(description="A series for each agent version or source. Default: one of all."),
    ] = None,
    agent_version: Annotated[Label | None, Query(description="Only what is of this agent version.")] = None,
    source: Annotated[Label | None, Query(description="Only what is from this source.")] = None,
) -> FigureReport:
    """
    Return what was published, learned and judged over time, without gaps, by hour, day or week (UTC).

    There are at most 750 steps, so hours reach 31 days back.
    """
    return await figure_report(
        caller.acting,
        days=days,
        granularity=granularity,
        agent_version=agent_version,
        source=source,
        by=by,
    )


def _total(figures: Figures) -> PeriodStats:
    return PeriodStats(
        total_profiles=sum(day.count for day in figures.profiles),
        total_interactions=sum(day.count for day in figures.interactions),
        total_playbooks=sum(day.count for day in figures.playbooks),
        success_rate=figures.success_rate,
    )


async def _series(figures: Figures, counts: Sequence[Figure]) -> tuple[DataPoint, ...]:
    """Return one point a day, zeros included."""
    known = {day.timestamp: day.count for day in counts}

    def point(number: int) -> DataPoint:
        day = figures.start + timedelta(days=number)
        return DataPoint(timestamp=to_epoch(day), value=known.get(day, 0))

    return tuple(await each(point, range(figures.days)))
