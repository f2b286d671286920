"""Metrics of a ranked list, from the ranks of its relevant results; pure."""

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
    if count <= 1:
        return 0.0
    mean = sum(values) / count
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count)


Z95 = 1.96
"""Standard deviations on either side of a normal mean that hold 95%."""


def share_interval(values: Sequence[float]) -> tuple[float, float]:
    """
    Return where the mean of *values*, each in [0, 1], lies with 95%: Wilson's score interval.

    It is of shares; what lies between 0 and 1 varies less than a share of the same mean, so it is wide enough. It
    stays within [0, 1] and has a width where all values are the same.

    Source: Wilson, JASA 1927.
    """
    count = len(values)
    mean, spread = sum(values) / count, Z95**2 / count
    half = Z95 * math.sqrt(max(mean * (1 - mean), 0.0) / count + spread / (4 * count))
    middle = mean + spread / 2
    return max((middle - half) / (1 + spread), 0.0), min((middle + half) / (1 + spread), 1.0)


def paired_interval(before: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of what each value became more, and where it lies with 95%, by its standard error."""
    gained = [new - old for old, new in zip(before, after, strict=True)]
    mean, half = sum(gained) / len(gained), Z95 * standard_error(gained)
    return mean, mean - half, mean + half
