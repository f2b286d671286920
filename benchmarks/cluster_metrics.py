"""How well clusters found fit clusters known (Rosenberg & Hirschberg, V-measure, EMNLP 2007)."""

from collections import Counter
from collections.abc import Hashable, Sequence
from math import log


def homogeneity(known: Sequence[Hashable], found: Sequence[Hashable]) -> float:
    """Return 1.0 where each cluster found holds members of one known cluster only, down to 0.0."""
    spread = _entropy(known)
    return 1.0 if spread == 0 else 1.0 - _conditional(known, found) / spread


def completeness(known: Sequence[Hashable], found: Sequence[Hashable]) -> float:
    """Return 1.0 where all members of a known cluster are in one cluster found, down to 0.0."""
    return homogeneity(found, known)


def labels_of(clusters: Sequence[Sequence[int]], count: int) -> list[Hashable]:
    """Return each row's cluster; a row in none is one by itself."""
    labels: list[Hashable] = [("alone", row) for row in range(count)]
    for number, rows in enumerate(clusters):
        for row in rows:
            labels[row] = number
    return labels


def _entropy(labels: Sequence[Hashable]) -> float:
    total = len(labels)
    return -sum(n / total * log(n / total) for n in Counter(labels).values())


def _conditional(labels: Sequence[Hashable], given: Sequence[Hashable]) -> float:
    sizes = Counter(given)
    pairs = Counter(zip(labels, given, strict=True))
    return -sum(n / len(labels) * log(n / sizes[one]) for (_, one), n in pairs.items())
