"""Measurements taken while a question is answered."""

from sagacity.domain.base import DescribedValue, Value


class Spread(DescribedValue):
    """The least, the largest and the mean of some scores."""

    min: float = 0.0
    """Minimum."""
    max: float = 0.0
    """Maximum."""
    avg: float = 0.0
    """Mean."""


class Measures(Value):
    """Figures of a trace beside the durations of strategies; for analytics only, and not shown to callers."""

    phases: dict[str, float] = {}
    """Milliseconds of `query_analysis` and of `retrieval`, which covers all strategies and reading their results."""
    scores: dict[str, Spread] = {}
    """By strategy, over its own scores; one without results is missing."""
    combined: float | None = None
    """Mean score of the ranked results; None if there were none."""
    kinds: dict[str, int] = {}
    """Distinct results of each kind."""
