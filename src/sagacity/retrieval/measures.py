"""What a search measures of itself: how long its phases took, and how what was found is scored."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence

from sagacity.domain.query import Measures, Spread
from sagacity.storage.base import Hit

ANALYSIS, RETRIEVAL = "query_analysis", "retrieval"


class Stopwatch:
    """Adds up how long each phase took; phases may come back."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, phase: str) -> None:
        """Count the time since the last call for a phase."""
        now = time.perf_counter()
        self.milliseconds[phase] = self.milliseconds.get(phase, 0.0) + (now - self._since) * 1000
        self._since = now

    def skip(self) -> None:
        """Count the time since the last call for none."""
        self._since = time.perf_counter()


def measures_of(
    hits: Mapping[str, Sequence[Hit]], ranked: Sequence[float], milliseconds: Mapping[str, float]
) -> Measures:
    """
    Return a search in numbers.

    Args:
        hits: what each strategy found.
        ranked: the scores of all that was ranked.
        milliseconds: how long each phase took.
    """
    different = {(hit.kind, hit.owner_id) for some in hits.values() for hit in some}
    return Measures(
        phases={phase: round(one, 3) for phase, one in milliseconds.items()},
        scores={name: _spread([hit.score for hit in some]) for name, some in hits.items() if some},
        combined=sum(ranked) / len(ranked) if ranked else None,
        kinds=dict(Counter(kind for kind, _ in different)),
    )


def _spread(scores: Sequence[float]) -> Spread:
    return Spread(min=min(scores), max=max(scores), avg=sum(scores) / len(scores))
