"""Bodies and envelopes of evaluation results and of the dashboard's figures."""

from pydantic import Field

from sagacity.domain.views.evaluation import EvaluationView
from sagacity.schemas.base import Body, Label, Limit, Reply, Schema


class GetEvaluationsBody(Body):
    """Which evaluation results to return, newest first."""

    limit: Limit = 100
    agent_version: Label | None = None


class EvaluationsPage(Reply):
    """Evaluation results, newest first."""

    agent_success_evaluation_results: tuple[EvaluationView, ...] = ()


class GetDashboardStatsBody(Body):
    """How many days to count, today included."""

    days_back: int = Field(default=30, gt=0, le=3_650)


class PeriodStats(Schema):
    """What came about in one period."""

    total_profiles: int = 0
    total_interactions: int = 0
    total_playbooks: int = 0
    success_rate: float = 0.0
    """Percent of the judged sessions, from 0 to 100."""


class DataPoint(Schema):
    """One day: its first second since 1970, and what was counted."""

    timestamp: int
    value: int


class DashboardStats(Schema):
    """A period, the one before it of the same length, and the days of the former."""

    current_period: PeriodStats
    previous_period: PeriodStats
    interactions_time_series: tuple[DataPoint, ...] = ()
    profiles_time_series: tuple[DataPoint, ...] = ()
    playbooks_time_series: tuple[DataPoint, ...] = ()
    evaluations_time_series: tuple[DataPoint, ...] = ()
    """Percent of the day's judged sessions that were a success."""


class DashboardPage(Reply):
    """The dashboard's figures."""

    stats: DashboardStats | None = None
