"""Measure a search: the duration of its phases, and the scores of its results."""

import time
from collections.abc import Mapping, Sequence

import numpy as np

from sagacity.domain.measures import Measures, Spread
from sagacity.retrieval.evidence import Evidence, Numbers

ANALYSIS, RETRIEVAL = "query_analysis", "retrieval"


class Stopwatch:
    """Adds up the duration of each phase; a phase may recur."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, phase: str) -> None:
        """Add the time since the last call to *phase*."""
        now = time.perf_counter()
        self.milliseconds[phase] = self.milliseconds.get(phase, 0.0) + (now - self._since) * 1000
        self._since = now

    def skip(self) -> None:
        """Add the time since the last call to no phase."""
        self._since = time.perf_counter()


def measures_of(
    found: Mapping[str, Evidence], ranked: Sequence[float], milliseconds: Mapping[str, float]
) -> Measures:
    """
    Return the measurements of a search.

    Args:
        found: the strategies' results by kind.
        ranked: the scores of all ranked results.
        milliseconds: the duration of each phase.
    """
    names = dict.fromkeys(name for one in found.values() for name in one.columns)
    scores = {name: np.concatenate([one.scores(name) for one in found.values()]) for name in names}
    scores = {name: some[~np.isnan(some)] for name, some in scores.items()}
    return Measures(
        phases={phase: round(one, 3) for phase, one in milliseconds.items()},
        scores={str(name): _spread(some) for name, some in scores.items() if len(some)},
        combined=sum(ranked) / len(ranked) if ranked else None,
        kinds={kind: len(one) for kind, one in found.items() if len(one)},
    )


def _spread(scores: Numbers) -> Spread:
    return Spread(min=float(scores.min()), max=float(scores.max()), avg=float(scores.mean()))
