# Generated from the API's description by scripts/sdk; change it there.
"""Whether sessions went well, and the dashboard's figures."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
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
