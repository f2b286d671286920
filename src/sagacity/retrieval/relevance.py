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
"""The calibration for memories, by embedder. Fitted to 198 questions about 14 users, three in four of which have an
answer; coverage added nothing. Source: `benchmarks/relevance.py`."""
OF_TURNS = Calibration(-3.8, 5.0, 3.0)
"""The calibration for turns. Fitted to development data of LoCoMo, BEAM and LongMemEval_S, each with a third as many
questions of other users."""
WORDS_ONLY = Calibration(-0.34, 0.0, 3.8)
"""The calibration for results without a cosine. Fitted like those of memories."""
NEARLY_ALL_WORDS = 0.5
"""The share of the weight of the question's words from which a result counts as covering all of them: BM25 scores a
short text that contains every word only a little higher."""
RELEVANCE_OF_ALL_WORDS = 0.75
"""The least probability of such a result, whatever its cosine: three in four such first results answered. Numbers and
names match by word, not by meaning."""


def relevances(evidence: Evidence, embedder: str) -> Numbers:
    """
    Return the probability, in [0, 1], that each result would answer the question if it were the first.

    Args:
        evidence: what was found.
        embedder: the name of the model that made the vectors; an unknown model gets the default's calibration.

    Returns:
        One probability per row, float64 [n]; NaN for results found neither by words nor by meaning, because the other
        strategies do not show that they match.
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
