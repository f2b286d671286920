# Generated from the API's description by scripts/sdk; change it there.
"""Whether sessions went well, and the dashboard's figures."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
from sagacity.client.words.analytics_reports import GranularityWord
from sagacity.client.words.dashboard import FigureGroupWord
from sagacity.domain.dashboard import FigureReport
from sagacity.domain.shadow_report import ShadowReport
from sagacity.schemas.evaluations import (
    DashboardPage,
    EvaluationsPage,
    GetDashboardStatsBody,
    GetEvaluationsBody,
)


async def get_agent_success_evaluation_results(
    connection: AsyncConnection, *, limit: int | None = None, agent_version: str | None = None
) -> EvaluationsPage:
    """
    Return evaluation results, newest first.

    Args:
        connection: to the server.
        limit: the largest number of results to return; by default 100.
        agent_version: which version of the agent it belongs to.
    """
    body = checked(GetEvaluationsBody, {"limit": limit, "agent_version": agent_version})
    return await connection.send(
        "POST", "/api/get_agent_success_evaluation_results", EvaluationsPage, body=body, repeatable=True
    )


async def get_shadow_report(
    connection: AsyncConnection,
    *,
    days: int = 30,
    agent_version: str | None = None,
    source: str | None = None,
    evaluation_name: str | None = None,
    limit: int = 10,
) -> ShadowReport:
    """
    Return how the agent compares with its shadow: counts, win rates with intervals, and a check of the judge.

    With fewer than 20 decided sessions, no conclusion is drawn.

    Args:
        connection: to the server.
        days: how many times 24 hours to look back.
        agent_version: only sessions that this agent version answered last.
        source: only sessions whose last request that names a source names this one.
        evaluation_name: only what this evaluator says.
        limit: how many differing sessions to name.
    """
    params = {
        "days": days,
        "agent_version": agent_version,
        "source": source,
        "evaluation_name": evaluation_name,
        "limit": limit,
    }
    return await connection.get("/api/v1/evaluations/shadow", ShadowReport, params=params)


async def get_dashboard_stats(connection: AsyncConnection, *, days_back: int | None = None) -> DashboardPage:
    """
    Return counts for the last days including today, by day (UTC), and for the same number of days before.

    Args:
        connection: to the server.
        days_back: how many days to count, including today; by default 30.
    """
    body = checked(GetDashboardStatsBody, {"days_back": days_back})
    return await connection.send(
        "POST", "/api/get_dashboard_stats", DashboardPage, body=body, repeatable=True
    )


async def get_dashboard_series(
    connection: AsyncConnection,
    *,
    days: int = 30,
    granularity: GranularityWord | None = None,
    by: FigureGroupWord | None = None,
    agent_version: str | None = None,
    source: str | None = None,
) -> FigureReport:
    """
    Return what was published, learned and judged over time, without gaps, by hour, day or week (UTC).

    There are at most 750 steps, so hours reach 31 days back.

    Args:
        connection: to the server.
        days: how many times 24 hours to look back.
        granularity: how long a step is; by default day.
        by: a series for each agent version or source. Default: one of all.
        agent_version: only what is of this agent version.
        source: only what is from this source.
    """
    params = {
        "days": days,
        "granularity": granularity,
        "by": by,
        "agent_version": agent_version,
        "source": source,
    }
    return await connection.get("/api/v1/dashboard/series", FigureReport, params=params)
