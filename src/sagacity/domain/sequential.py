"""
Comparing those a lot let have something with those it did not, looked at as often as one likes.

Each unit was drawn with a known probability. That makes it a fair bet: whoever believes that there is no difference
loses nothing on average by letting us bet on one, and what we won so far (an e-process) says how wrong that belief is.
Sources: betting on the mean of bounded values, Waudby-Smith & Ramdas, "Estimating means of bounded random variables by
betting", J. R. Stat. Soc. B 86 (2024); inverse weights for a known draw, Howard, Ramdas, McAuliffe & Sekhon,
"Time-uniform, nonparametric, nonasymptotic confidence sequences", Ann. Stat. 49 (2021), section 4.2; many comparisons,
Wang & Ramdas, "False discovery rate control with e-values", J. R. Stat. Soc. B 84 (2022).
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

LEVEL: Final = 0.05
"""One minus the confidence of an interval; and the share of findings that may be wrong."""
_CENTRES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Values that are subtracted before weighing. The one nearest to the mean wins fastest; we bet on each a part."""
_STAKES: Final = tuple(0.9 / 2**step for step in range(6))
"""Parts of the most that may be bet; the best one depends on the difference. We bet on each a part."""
_MOST_LOG: Final = 690.0
"""The logarithm of about the largest float."""
_STEPS: Final = 40
"""Halvings of a range of 2: as exact as a float of 12 digits."""
_Floats = npt.NDArray[np.float64]


class Cell(NamedTuple):
    """Units that count alike."""

    share: float
    """The probability with which each was held out; between 0 and 1."""
    is_held_out: bool
    value: float
    """The outcome, from 0 to 1."""
    units: int


class Evidence(NamedTuple):
    """How much is won by betting on either direction; from 1 / level on, no difference is no longer believable."""

    higher: float
    """That those who have it have higher values."""
    lower: float
    """That they have lower ones."""

    @property
    def either(self) -> float:
        """The e-value of no difference, betting half on each side."""
        return (self.higher + self.lower) / 2


class Bounds(NamedTuple):
    """Between which a difference lies."""

    low: float
    high: float


def evidence_of(cells: Sequence[Cell]) -> Evidence:
    """
    Return the evidence against no difference, of any number of units.

    It holds whatever the values do over time, and if the share was changed, for each unit's draw is weighed by the
    share at that moment. Nothing is assumed of who the units are.
    """
    ups, downs = _wealths(cells)
    return Evidence(higher=_exp(ups(0.0)), lower=_exp(downs(0.0)))


def bounds_of(cells: Sequence[Cell], level: float = LEVEL) -> Bounds:
    """
    Return between which bounds the difference lies: the mean of those who have it minus that of those who do not.

    A confidence sequence: with probability 1 - *level* it holds at all times together, if the difference stays the
    same over time.

    Args:
        cells: all units so far, values from 0 to 1.
        level: the probability of ever being wrong.
    """
    ups, downs = _wealths(cells)
    most = math.log(2 / level)
    return Bounds(low=_last(ups, most), high=-_last(downs, most))


def means_of(cells: Iterable[Cell]) -> tuple[float | None, float | None]:
    """Return the mean of those who have it and of those who do not, each weighed by how likely it was drawn."""
    sums = {False: [0.0, 0.0], True: [0.0, 0.0]}
    for one in cells:
        weight = one.units / (one.share if one.is_held_out else 1 - one.share)
        sums[one.is_held_out][0] += weight * one.value
        sums[one.is_held_out][1] += weight
    shown, held_out = (total / weight if weight else None for total, weight in sums.values())
    return shown, held_out


def discoveries(e_values: Sequence[float], level: float = LEVEL) -> set[int]:
    """
    Return which of many e-values count as findings, by their places (the e-BH procedure).

    Of the findings at most the share *level* is wrong on average, however the e-values depend on each other.
    """
    order = sorted(range(len(e_values)), key=lambda place: -e_values[place])
    most = max(
        (rank for rank, place in enumerate(order, 1) if e_values[place] * rank * level >= len(order)),
        default=0,
    )
    return set(order[:most])


def _wealths(cells: Sequence[Cell]) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """
    Return what is won by betting that the difference is higher than a value; and, of its negative, the same.

    Both give logarithms, and fall as the value rises.
    """
    share = np.array([one.share for one in cells])[:, None]
    held_out = np.array([one.is_held_out for one in cells])[:, None]
    value = np.array([one.value for one in cells])[:, None]
    count = np.array([one.units for one in cells], dtype=np.float64)
    centre = np.array(_CENTRES)[None, :]
    weighed = np.where(held_out, -(value - centre) / share, (value - centre) / (1 - share))
    lowest = np.maximum(centre / (1 - share), (1 - centre) / share)
    highest = np.maximum((1 - centre) / (1 - share), centre / share)
    return _wealth(weighed, lowest, count), _wealth(-weighed, highest, count)


def _wealth(weighed: _Floats, lowest: _Floats, count: _Floats) -> Callable[[float], float]:
    """
    Return the logarithm of what is won, by the value bet against, on average over centres and stakes.

    Args:
        weighed: float64 [cell, centre], values whose mean is the difference.
        lowest: float64 [cell, centre], how far below 0 these can be; so much may be lost that nobody owes.
        count: float64 [cell].
    """
    stakes = np.array(_STAKES)[None, None, :] / (1 + lowest[:, :, None])

    def won(against: float) -> float:
        logs = np.einsum("c,cfs->fs", count, np.log1p(stakes * (weighed[:, :, None] - against)))
        most = float(logs.max())
        return most + math.log(float(np.exp(logs - most).mean()))

    return won


def _last(won: Callable[[float], float], most: float) -> float:
    """Return the value up to which more than *most* is won, from -1 to 1."""
    low, high = -1.0, 1.0
    if won(low) <= most:
        return low
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if won(middle) > most else (low, middle)
    return low


def _exp(log: float) -> float:
    return math.exp(min(log, _MOST_LOG))
