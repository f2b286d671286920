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
    """Counts for one period."""

    total_profiles: int = 0
    total_interactions: int = 0
    total_playbooks: int = 0
    success_rate: float = 0.0
    """Percentage of the judged sessions, from 0 to 100."""


class DataPoint(Schema):
    """One day: its start in seconds since 1970, and the count."""

    timestamp: int
    value: int


class DashboardStats(Schema):
    """A period by day, and the previous period of the same length."""

    current_period: PeriodStats
    previous_period: PeriodStats
    interactions_time_series: tuple[DataPoint, ...] = ()
    profiles_time_series: tuple[DataPoint, ...] = ()
    playbooks_time_series: tuple[DataPoint, ...] = ()
    evaluations_time_series: tuple[DataPoint, ...] = ()
    """Percentage of the day's judged sessions that were successful."""


class DashboardPage(Reply):
    """The dashboard's figures."""

    stats: DashboardStats | None = None
