"""The probability that a result answers the question, comparable between questions and users; pure."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sagacity.domain.interaction import INTERACTION
from sagacity.domain.query import StrategyName
from sagacity.retrieval.evidence import Evidence, Numbers


class Calibration(NamedTuple):
    """
    The probability that a first result answers its question: a logistic function of cosine and coverage.

    Coverage is the share, in [0, 1], of the weight of the question's words that the result says.
    """

    intercept: float
    cosine: float
    coverage: float = 0.0

    def __call__(self, cosine: Numbers, coverage: Numbers) -> Numbers:
        """Return the probabilities."""
        return 1 / (1 + np.exp(-(self.intercept + self.cosine * cosine + self.coverage * coverage)))


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


def relevances(evidence: Evidence, embedder: str) -> Numbers:
    """
    Return the probability of each result to answer the question, in [0, 1], if nothing better was found.

    Args:
        evidence: what was found.
        embedder: the name of the model that made the vectors; for unknown ones the default's calibration is taken.

    Returns:
        One for each row, float64 [n]; NaN for what was found neither by words nor by meaning: the other strategies say
        nothing of it.
    """
    cosines, words = evidence.scores(StrategyName.VECTOR), evidence.scores(StrategyName.KEYWORD)
    coverages = np.zeros(len(evidence))
    if StrategyName.KEYWORD in evidence.columns:
        ceilings = evidence.columns[StrategyName.KEYWORD].ceiling
        bounded = ceilings > 0
        coverages[~np.isnan(words)] = 1.0
        coverages[bounded] = np.minimum(words[bounded] / ceilings[bounded], 1.0)
    by_both = OF_TURNS if evidence.kind == INTERACTION else _of_memories(embedder)
    likely = np.where(
        np.isnan(cosines), WORDS_ONLY(np.zeros(len(evidence)), coverages), by_both(cosines, coverages)
    )
    likely = np.where(coverages >= NEARLY_ALL_WORDS, np.maximum(likely, RELEVANCE_OF_ALL_WORDS), likely)
    return np.where(np.isnan(cosines) & np.isnan(words), np.nan, likely)


def _of_memories(embedder: str) -> Calibration:
    return OF_MEMORIES.get(embedder.partition("@")[0], OF_MEMORIES["all-MiniLM-L6-v2"])
