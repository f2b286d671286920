"""The figures of a dashboard over time: published, learned, judged."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from sagacity.domain.analytics_reports import Granularity, steps_between
from sagacity.domain.base import DescribedValue, Value


class FigureGroup(StrEnum):
    """By what series are told apart."""

    AGENT_VERSION = "agent_version"
    SOURCE = "source"


class FigureFilter(Value):
    """What to count, grouped and filtered; None admits any."""

    start: datetime
    """At or after this moment."""
    end: datetime
    """Before this moment."""
    granularity: Granularity = Granularity.DAY
    agent_version: str | None = None
    source: str | None = None
    by: FigureGroup | None = None
    groups: tuple[str, ...] = ()
    """Only these values of *by*."""


class Figure(Value):
    """What came in during one step; a step without anything has none."""

    group: str | None = None
    """The value of what is grouped by; None where nothing is."""
    timestamp: datetime
    """When the step begins."""
    count: int
    successes: int = 0
    escalations: int = 0
    """Both of evaluations only."""


class FigurePoint(DescribedValue):
    """What happened during one step."""

    timestamp: datetime
    """Its beginning."""
    interactions: int = 0
    """Turns that were published."""
    profiles: int = 0
    """Profiles that were learned."""
    playbooks: int = 0
    """Playbooks of users and of agents that were learned."""
    evaluations: int = 0
    """Verdicts on sessions."""
    successes: int = 0
    """Verdicts that the session was a success."""
    escalations: int = 0
    """Verdicts that a person had to take over, or was asked for."""
    success_rate: float | None = None
    """Percentage of the verdicts that are a success, from 0 to 100; null without a verdict."""


class FigureSeries(DescribedValue):
    """One series, without gaps."""

    group: str | None = None
    """The agent version or source; null for all together."""
    points: tuple[FigurePoint, ...]
    """Step by step, the oldest first; a step in which nothing happened has zeros."""


class FigureReport(DescribedValue):
    """The figures of a dashboard over time."""

    period_days: int
    """Number of periods of 24 hours that it covers, up to now."""
    granularity: Granularity
    """How long a step is. Steps are those of UTC, and weeks begin on Monday; the first and the last are parts."""
    by: FigureGroup | None = None
    """What the series are told apart by; null for one series of all."""
    series: tuple[FigureSeries, ...]
    """One, or one for each agent version or source, those with most rows first; at most 10."""
    has_more: bool = False
    """Whether there are more agent versions or sources."""


def series_of(
    wanted: FigureFilter,
    group: str | None,
    *,
    interactions: Sequence[Figure],
    profiles: Sequence[Figure],
    playbooks: Sequence[Figure],
    evaluations: Sequence[Figure],
) -> FigureSeries:
    """Return the series of one *group*, with a point for every step from the filter's start to its end."""
    turns, facts, rules = (_counts(one, group) for one in (interactions, profiles, playbooks))
    judged = {one.timestamp: one for one in evaluations if one.group == group}
    points: list[FigurePoint] = []
    for at in steps_between(wanted.start, wanted.end, wanted.granularity):
        verdicts = judged.get(at) or Figure(timestamp=at, count=0)
        points.append(
            FigurePoint(
                timestamp=at,
                interactions=turns.get(at, 0),
                profiles=facts.get(at, 0),
                playbooks=rules.get(at, 0),
                evaluations=verdicts.count,
                successes=verdicts.successes,
                escalations=verdicts.escalations,
                success_rate=round(100 * verdicts.successes / verdicts.count, 2) if verdicts.count else None,
            )
        )
    return FigureSeries(group=group, points=tuple(points))


def _counts(figures: Sequence[Figure], group: str | None) -> dict[datetime, int]:
    return {one.timestamp: one.count for one in figures if one.group == group}
