"""What many calls tell together: how long they took, what they found, how they ended, and when."""

from datetime import datetime, timedelta
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.ids import UserId
from sagacity.domain.query import Spread


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


class Percentiles(Value):
    """How values are distributed. Percentiles are interpolated between the two nearest values."""

    p50: float
    p95: float
    p99: float
    avg: float
    min: float
    max: float
    sample_count: int


class LatencyReport(Value):
    """Milliseconds of calls that succeeded; null where none took the step."""

    total_time: Percentiles | None = None
    ttfb: Percentiles | None = None
    retrieval: Percentiles | None = None
    llm: Percentiles | None = None
    ranking: Percentiles | None = None
    context_building: Percentiles | None = None


class Totals(Value):
    """Sums over calls."""

    total_requests: int = 0
    successful_requests: int = 0
    partial_requests: int = 0
    error_requests: int = 0
    """Failed or too late."""
    avg_latency_ms: float = 0.0
    avg_ttfb_ms: float | None = None
    avg_retrieval_results: float = 0.0
    avg_context_tokens: float = 0.0


class RetrievalTotals(Value):
    """Means over calls that searched, unless it says otherwise."""

    total_requests: int = 0
    """Calls that searched."""
    avg_vector_results: float = 0.0
    avg_keyword_results: float = 0.0
    avg_graph_results: float = 0.0
    avg_total_results: float = 0.0
    avg_deduplication_rate: float = 0.0
    """The share of what a call's strategies found that another one of them had found, too."""
    avg_combined_score: float = 0.0
    score_distribution: dict[str, Spread] = {}
    """By strategy, of its own scores over all calls."""
    memories_by_type_total: dict[str, int] = {}
    avg_memories_by_type: dict[str, float] = {}
    avg_context_tokens: float = 0.0
    """Over calls that built a context."""
    truncation_rate: float = 0.0
    """The share of contexts from which something was left out, or shortened, for lack of space."""


class Step(Value):
    """One step of a series."""

    timestamp: datetime
    """When it begins."""
    value: float = 0.0
    count: int = 0
    """How many calls came in."""


class DayTotals(Value):
    """One user's day: what is kept of it when its calls are deleted."""

    user_id: UserId | None = None
    date: datetime
    """Its beginning, in UTC."""
    total_requests: int = 0
    chat_stream_requests: int = 0
    chat_complete_requests: int = 0
    memory_search_requests: int = 0
    context_build_requests: int = 0
    successful_requests: int = 0
    partial_requests: int = 0
    error_requests: int = 0
    latency_stats: dict[str, float] = {}
    """Of calls that succeeded: `avg`, `min`, `max`, `p50`, `p95`, `p99` and `avg_ttfb`, in milliseconds."""
    retrieval_stats: dict[str, float] = {}
    """`avg_total_results`, `avg_deduplication_rate`, `avg_combined_score`."""
    context_stats: dict[str, float] = {}
    """`avg_tokens`, `truncation_rate`."""
    intent_distribution: dict[str, int] = {}


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
    filled, at = list[Step](), step_of(start, granularity)
    while at <= end:
        filled.append(known.get(at) or Step(timestamp=at))
        at += _LENGTHS[granularity]
    return filled
