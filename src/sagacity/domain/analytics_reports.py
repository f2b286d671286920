"""Reports over many recorded calls: durations, results, outcomes, and their course over time."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import StrEnum

from sagacity.domain.base import DescribedValue
from sagacity.domain.ids import UserId
from sagacity.domain.measures import Spread


class Granularity(StrEnum):
    """How long the steps of a series are; all in UTC, weeks begin on Monday."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


class Metric(StrEnum):
    """What a series shows."""

    REQUESTS = "requests"
    """How many calls came in."""
    LATENCY = "latency"
    """The mean time that they took, in milliseconds."""
    ERRORS = "errors"
    """How many of them failed."""


class Percentiles(DescribedValue):
    """How values are distributed. Percentiles are interpolated between the two nearest values."""

    p50: float
    """Half of the values are no larger."""
    p95: float
    """Of 100 values 95 are no larger."""
    p99: float
    """Of 100 values 99 are no larger."""
    avg: float
    """Their mean."""
    min: float
    """The least."""
    max: float
    """The largest."""
    sample_count: int
    """How many values there are."""


class LatencyReport(DescribedValue):
    """Milliseconds of calls that succeeded; null where none took the step."""

    total_time: Percentiles | None = None
    """Of the whole call."""
    ttfb: Percentiles | None = None
    """To the first piece of an answer."""
    retrieval: Percentiles | None = None
    """Of all strategies together."""
    llm: Percentiles | None = None
    """From the call of the model to its last piece of text."""
    ranking: Percentiles | None = None
    """Of making one list."""
    context_building: Percentiles | None = None
    """Of writing what was found into one text."""


class Totals(DescribedValue):
    """Sums over calls."""

    total_requests: int = 0
    """Calls that came in."""
    successful_requests: int = 0
    """Those that were answered whole."""
    partial_requests: int = 0
    """Those that were answered in part."""
    error_requests: int = 0
    """Those that failed or were too late."""
    avg_latency_ms: float = 0.0
    """The mean time of all of them, in milliseconds."""
    avg_ttfb_ms: float | None = None
    """The mean time to the first piece of an answer; null where there was none."""
    avg_retrieval_results: float = 0.0
    """How many results a search had, what several strategies found counted several times."""
    avg_context_tokens: float = 0.0
    """How many tokens a context had."""


class RetrievalTotals(DescribedValue):
    """Means over calls that searched, unless it says otherwise."""

    total_requests: int = 0
    """Calls that searched."""
    avg_vector_results: float = 0.0
    """How many the search by meaning found."""
    avg_keyword_results: float = 0.0
    """How many the search by words found."""
    avg_graph_results: float = 0.0
    """How many the search by entities found."""
    avg_total_results: float = 0.0
    """How many all strategies found; what several found counts several times."""
    avg_deduplication_rate: float = 0.0
    """The share of what a call's strategies found that another one of them had found, too."""
    avg_combined_score: float = 0.0
    """The mean score of what was ranked."""
    score_distribution: dict[str, Spread] = {}
    """By strategy, of its own scores over all calls."""
    memories_by_type_total: dict[str, int] = {}
    """How many were found of each type, over all calls."""
    avg_memories_by_type: dict[str, float] = {}
    """How many a call found of each type."""
    avg_context_tokens: float = 0.0
    """How many tokens a context had, over calls that built one."""
    truncation_rate: float = 0.0
    """The share of contexts from which something was left out, or shortened, for lack of space."""


class Step(DescribedValue):
    """One step of a series."""

    timestamp: datetime
    """When it begins."""
    value: float = 0.0
    """Of the metric; 0 where nothing came in."""
    count: int = 0
    """How many calls came in."""


class DayTotals(DescribedValue):
    """One user's day: what is kept of it when its calls are deleted."""

    user_id: UserId | None = None
    """Whose day; null for searches that named nobody."""
    date: datetime
    """Its beginning, in UTC."""
    total_requests: int = 0
    """Calls that came in."""
    chat_stream_requests: int = 0
    """Answers that were streamed."""
    chat_complete_requests: int = 0
    """Answers that were returned whole."""
    memory_search_requests: int = 0
    """Calls that only searched."""
    context_build_requests: int = 0
    """Contexts that were built."""
    successful_requests: int = 0
    """Those that were answered whole."""
    partial_requests: int = 0
    """Those that were answered in part."""
    error_requests: int = 0
    """Those that failed or were too late."""
    latency_stats: dict[str, float] = {}
    """Milliseconds of calls that succeeded: `avg`, `min`, `max`, `p50`, `p95`, `p99`; of all: `avg_ttfb`."""
    retrieval_stats: dict[str, float] = {}
    """`avg_total_results`, `avg_deduplication_rate`, `avg_combined_score`."""
    context_stats: dict[str, float] = {}
    """`avg_tokens`, `truncation_rate`."""
    intent_distribution: dict[str, int] = {}
    """How many calls had each intent."""


_MONDAY = datetime(1970, 1, 5)  # noqa: DTZ001  only its weekday counts
_LENGTHS = {
    Granularity.HOUR: timedelta(hours=1),
    Granularity.DAY: timedelta(days=1),
    Granularity.WEEK: timedelta(weeks=1),
}


def length_of(granularity: Granularity) -> timedelta:
    """Return how long a step is."""
    return _LENGTHS[granularity]


def step_of(moment: datetime, granularity: Granularity) -> datetime:
    """Return when the step began that has a moment (UTC)."""
    first = _MONDAY.replace(tzinfo=moment.tzinfo)
    return moment - (moment - first) % _LENGTHS[granularity]


def without_gaps(steps: list[Step], start: datetime, end: datetime, granularity: Granularity) -> list[Step]:
    """Return the steps from *start* to *end*, oldest first, with one of zeros for each in which nothing came in."""
    known = {one.timestamp: one for one in steps}
    return [known.get(at) or Step(timestamp=at) for at in steps_between(start, end, granularity)]


def steps_between(start: datetime, end: datetime, granularity: Granularity) -> Iterator[datetime]:
    """Return when the steps begin from the one that has *start* to the one that has *end*, oldest first."""
    at = step_of(start, granularity)
    while at <= end:
        yield at
        at += _LENGTHS[granularity]
