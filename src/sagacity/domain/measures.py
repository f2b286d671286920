"""Measurements taken while a question is answered."""

from sagacity.domain.base import DescribedValue, Value


class Spread(DescribedValue):
    """The least, the largest and the mean of some scores."""

    min: float = 0.0
    """The least."""
    max: float = 0.0
    """The largest."""
    avg: float = 0.0
    """Their mean."""


class Measures(Value):
    """What a trace says in numbers beside the strategies' own: for analytics, and not shown to a caller."""

    phases: dict[str, float] = {}
    """Milliseconds of `query_analysis` and of `retrieval`, which is all strategies and reading what they found."""
    scores: dict[str, Spread] = {}
    """By strategy, of its own scores; one that found nothing has none."""
    combined: float | None = None
    """The mean score of what was ranked; None where nothing was."""
    kinds: dict[str, int] = {}
    """How many different ones were found of each kind."""
