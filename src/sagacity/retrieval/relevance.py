"""How likely what was found answers the question: a number that means the same for every question and user; pure."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sagacity.domain.interaction import INTERACTION
from sagacity.domain.query import StrategyName
from sagacity.retrieval.talk import Key
from sagacity.storage.base import Hit


class Calibration(NamedTuple):
    """
    How likely a first result answers its question: a logistic function of cosine and coverage.

    Coverage is the share, in [0, 1], of the weight of the question's words that the result says.
    """

    intercept: float
    cosine: float
    coverage: float = 0.0

    def __call__(self, cosine: float, coverage: float) -> float:
        """Return the probability."""
        return 1 / (1 + math.exp(-(self.intercept + self.cosine * cosine + self.coverage * coverage)))


OF_MEMORIES: Mapping[str, Calibration] = {
    "all-MiniLM-L6-v2": Calibration(-3.46, 11.75),
    "use-multilingual": Calibration(-2.92, 13.3),
}
"""By embedder. Fitted to 198 questions about 14 users, three of four of which have an answer; coverage added nothing.
Source: `benchmarks/relevance.py`."""
OF_TURNS = Calibration(-3.8, 5.0, 3.0)
"""Fitted to development data of LoCoMo, BEAM and LongMemEval_S, each with a third as many questions of other users."""
WORDS_ONLY = Calibration(-0.34, 0.0, 3.8)
"""Of what has no vector, or was searched by words only. Fitted like those of memories."""
NEARLY_ALL_WORDS = 0.5
"""Of the weight of the question's words: BM25 gives a short text that says all of them little more."""
RELEVANCE_OF_ALL_WORDS = 0.75
"""At least, whatever the cosine: three of four such first results answered. Numbers and names have no meaning."""


def relevances(kind: str, found: Mapping[StrategyName, Sequence[Hit]], embedder: str) -> dict[Key, float]:
    """
    Return how likely each thing found answers the question, in [0, 1], if nothing better was found.

    What was found neither by words nor by meaning is not there; the other strategies say nothing of it.

    Args:
        kind: of what was found.
        found: each strategy's hits.
        embedder: the name of the model that made the vectors; for unknown ones the default's calibration is taken.
    """
    cosines = {_key(hit): hit.score for hit in found.get(StrategyName.VECTOR, ())}
    coverages = {
        _key(hit): min(hit.score / hit.ceiling, 1.0) if hit.ceiling > 0 else 1.0
        for hit in found.get(StrategyName.KEYWORD, ())
    }
    by_both = OF_TURNS if kind == INTERACTION else _of_memories(embedder)
    likely: dict[Key, float] = {}
    for key in cosines.keys() | coverages.keys():
        cosine, coverage = cosines.get(key), coverages.get(key, 0.0)
        one = WORDS_ONLY(0.0, coverage) if cosine is None else by_both(cosine, coverage)
        likely[key] = max(one, RELEVANCE_OF_ALL_WORDS if coverage >= NEARLY_ALL_WORDS else 0.0)
    return likely


def _of_memories(embedder: str) -> Calibration:
    return OF_MEMORIES.get(embedder.partition("@")[0], OF_MEMORIES["all-MiniLM-L6-v2"])


def _key(hit: Hit) -> Key:
    return hit.kind, hit.owner_id
