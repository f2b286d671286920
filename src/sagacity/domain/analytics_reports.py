"""Reports over many recorded calls: durations, results, outcomes, and their course over time."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from sagacity.domain.base import DescribedValue
from sagacity.domain.ids import UserId
from sagacity.domain.measures import Spread


class Granularity(StrEnum):
    """The length of a series' steps, in UTC; weeks begin on Monday."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


class Metric(StrEnum):
    """What a series shows."""

    REQUESTS = "requests"
    """Number of calls."""
    LATENCY = "latency"
    """Mean duration in milliseconds."""
    ERRORS = "errors"
    """How many of them failed."""


class Percentiles(DescribedValue):
    """The distribution of values. Percentiles are interpolated between the two nearest values."""

    p50: float
    """Median."""
    p95: float
    """95th percentile."""
    p99: float
    """99th percentile."""
    avg: float
    """Mean."""
    min: float
    """Minimum."""
    max: float
    """Maximum."""
    sample_count: int
    """Number of values."""


OF_NO_VALUES: Final = Percentiles(p50=0, p95=0, p99=0, avg=0, min=0, max=0, sample_count=0)
"""Stands for the distribution of no values, so that callers need not look for null."""


class LatencyReport(DescribedValue):
    """Milliseconds of successful calls; null for a step that none took."""

    total_time: Percentiles = OF_NO_VALUES
    """Of the whole call."""
    ttfb: Percentiles | None = None
    """To the first piece of an answer."""
    retrieval: Percentiles | None = None
    """Of all strategies together."""
    llm: Percentiles | None = None
    """From the model call to its last piece of text."""
    ranking: Percentiles | None = None
    """Of merging the results into one list."""
    context_building: Percentiles | None = None
    """Of writing the results as one text."""


class Totals(DescribedValue):
    """Sums over calls."""

    total_requests: int = 0
    """Calls that came in."""
    successful_requests: int = 0
    """Calls with a complete answer."""
    partial_requests: int = 0
    """Calls with a partial answer."""
    error_requests: int = 0
    """Calls that failed or timed out."""
    avg_latency_ms: float = 0.0
    """Mean duration of all of them, in milliseconds."""
    avg_ttfb_ms: float | None = None
    """Mean time to the first piece of an answer, in milliseconds; null if there was none."""
    avg_retrieval_results: float = 0.0
    """Mean number of results; a result that several strategies found counts several times."""
    avg_context_tokens: float = 0.0
    """Mean number of tokens of a context."""


class RetrievalTotals(DescribedValue):
    """Means over calls that searched, unless stated otherwise."""

    total_requests: int = 0
    """Calls that searched."""
    avg_vector_results: float = 0.0
    """Results of the search by meaning."""
    avg_keyword_results: float = 0.0
    """Results of the search by words."""
    avg_graph_results: float = 0.0
    """Results of the search by entities."""
    avg_total_results: float = 0.0
    """Results of all strategies; a result that several found counts several times."""
    avg_deduplication_rate: float = 0.0
    """The share of results that another strategy had found too."""
    avg_combined_score: float = 0.0
    """Mean score of the ranked results."""
    score_distribution: dict[str, Spread] = {}
    """By strategy, over its own scores in all calls."""
    memories_by_type_total: dict[str, int] = {}
    """Results of each type, over all calls."""
    avg_memories_by_type: dict[str, float] = {}
    """Mean number of results of each type per call."""
    avg_context_tokens: float = 0.0
    """Mean number of tokens, over calls that built a context."""
    truncation_rate: float = 0.0
    """The share of contexts from which a result was shortened or left out for lack of space."""


class Step(DescribedValue):
    """One step of a series."""

    timestamp: datetime
    """Its beginning."""
    value: float = 0.0
    """Value of the metric; 0 if there were no calls."""
    count: int = 0
    """Number of calls."""


class DayTotals(DescribedValue):
    """The sums of one user's day, which are kept after its calls are deleted."""

    user_id: UserId | None = None
    """The user; null for searches without a user."""
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
    """Calls with a complete answer."""
    partial_requests: int = 0
    """Calls with a partial answer."""
    error_requests: int = 0
    """Calls that failed or timed out."""
    latency_stats: dict[str, float] = {}
    """Milliseconds of calls that succeeded: `avg`, `min`, `max`, `p50`, `p95`, `p99`; of all: `avg_ttfb`."""
    retrieval_stats: dict[str, float] = {}
    """`avg_total_results`, `avg_deduplication_rate`, `avg_combined_score`."""
    context_stats: dict[str, float] = {}
    """`avg_tokens`, `truncation_rate`."""
    intent_distribution: dict[str, int] = {}
    """Number of calls with each intent."""


_MONDAY = datetime(1970, 1, 5)  # noqa: DTZ001  only its weekday counts
_LENGTHS = {
    Granularity.HOUR: timedelta(hours=1),
    Granularity.DAY: timedelta(days=1),
    Granularity.WEEK: timedelta(weeks=1),
}


def length_of(granularity: Granularity) -> timedelta:
    """Return the length of a step."""
    return _LENGTHS[granularity]


def step_of(moment: datetime, granularity: Granularity) -> datetime:
    """Return the beginning of the step that contains a moment (UTC)."""
    first = _MONDAY.replace(tzinfo=moment.tzinfo)
    return moment - (moment - first) % _LENGTHS[granularity]


def without_gaps(steps: list[Step], start: datetime, end: datetime, granularity: Granularity) -> list[Step]:
    """Return the steps from *start* to *end*, oldest first; steps without calls are zero."""
    known = {one.timestamp: one for one in steps}
    return [known.get(at) or Step(timestamp=at) for at in steps_between(start, end, granularity)]


def steps_between(start: datetime, end: datetime, granularity: Granularity) -> Iterator[datetime]:
    """Return the beginnings of the steps from the one containing *start* to the one containing *end*, oldest first."""
    at = step_of(start, granularity)
    while at <= end:
        yield at
        at += _LENGTHS[granularity]
