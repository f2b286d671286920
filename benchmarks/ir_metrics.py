"""How good a ranked list is, from which of its places hold what was looked for; pure."""

import math
from collections.abc import Sequence

Gains = Sequence[bool]
"""Whether each place of a ranked list, best first, holds something that was looked for."""


def any_at(gains: Gains, k: int) -> bool:
    """Whether the first *k* places hold anything that was looked for."""
    return any(gains[:k])


def all_at(gains: Gains, k: int, *, wanted: int) -> bool:
    """Whether the first *k* places hold all *wanted* things; where there are more than *k*, they cannot."""
    return sum(gains[:k]) == wanted


def ndcg_at(gains: Gains, k: int, *, wanted: int) -> float:
    """
    Discounted gain of the first *k* places over that of the best order there can be, in [0, 1].

    Source: Järvelin & Kekäläinen, TOIS 2002, with gains of 0 and 1.
    """
    best = sum(1 / math.log2(place + 2) for place in range(min(k, wanted)))
    return sum(1 / math.log2(place + 2) for place, hit in enumerate(gains[:k]) if hit) / best


def reciprocal_rank_at(gains: Gains, k: int) -> float:
    """One over the place of the first thing that was looked for, counted from 1; 0 if it is behind *k*."""
    return next((1 / place for place, hit in enumerate(gains[:k], start=1) if hit), 0.0)


def standard_error(values: Sequence[float]) -> float:
    """Standard error of the mean of independent *values*: s / √n with the unbiased s; 0 for a single one."""
    count = len(values)
    if count < 2:
        return 0.0
    mean = sum(values) / count
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count)
