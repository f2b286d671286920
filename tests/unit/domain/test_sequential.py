"""Evidence and intervals that hold at every look: exactly where that can be counted out, else by simulation."""

from collections import Counter
from itertools import product
from math import prod

import numpy as np
import pytest

from sagacity.domain.sequential import LEVEL, Cell, bounds_of, discoveries, evidence_of, means_of

SHARES = (0.05, 0.2, 0.2, 0.1, 0.05, 0.2, 0.2, 0.1)
VALUES = (1.0, 0.0, 1.0, 1.0, 0.4, 0.0, 1.0, 0.0)


def test_nothing_is_won_on_average_without_a_difference() -> None:
    """Over all 256 ways that lots could fall, whatever the values are, and though the share changes: exactly 1."""
    higher = lower = 0.0
    for drawn in product((False, True), repeat=len(SHARES)):
        chance = prod(share if out else 1 - share for share, out in zip(SHARES, drawn, strict=True))
        cells = [Cell(*one, units=1) for one in zip(SHARES, drawn, VALUES, strict=True)]
        evidence = evidence_of(cells)
        higher += chance * evidence.higher
        lower += chance * evidence.lower
    assert (higher, lower) == (pytest.approx(1), pytest.approx(1))


def counted(share: float, held_out: np.ndarray, values: np.ndarray) -> list[Cell]:
    """Units by lot and value."""
    units = Counter(zip(held_out.tolist(), values.tolist(), strict=True))
    return [Cell(share, out, float(value), count) for (out, value), count in units.items()]


def test_looking_after_each_session_is_no_error() -> None:
    """Without a difference, while success drifts: in few runs the evidence ever reaches what is a finding."""
    random, runs, sessions = np.random.default_rng(5), 40, 250
    wrong = 0
    for _ in range(runs):
        rate = np.linspace(0.2, 0.9, sessions)
        held_out, values = random.random(sessions) < 0.1, random.random(sessions) < rate
        looks = (evidence_of(counted(0.1, held_out[:end], values[:end])) for end in range(1, sessions))
        wrong += any(one.either >= 1 / LEVEL for one in looks)
    assert wrong <= runs * LEVEL


@pytest.mark.parametrize(
    ("with_it", "without", "share"), [(0.8, 0.5, 0.2), (0.3, 0.3, 0.1), (0.02, 0.1, 0.2)]
)
def test_interval_holds_at_every_look_and_narrows(with_it: float, without: float, share: float) -> None:
    random, runs, sessions = np.random.default_rng(7), 15, 1_500
    wrong, widths = 0, list[float]()
    for _ in range(runs):
        held_out = random.random(sessions) < share
        values = random.random(sessions) < np.where(held_out, without, with_it)
        looks = [
            bounds_of(counted(share, held_out[:end], values[:end])) for end in range(50, sessions + 1, 145)
        ]
        wrong += any(not one.low <= with_it - without <= one.high for one in looks)
        assert looks[-1].high - looks[-1].low < looks[0].high - looks[0].low
        widths.append(looks[-1].high - looks[-1].low)
    assert wrong <= 1
    assert np.mean(widths) < 0.35


def test_directions_and_extremes_are_told_apart() -> None:
    """One is the mirror of the other; without units nothing is known; and no count is too large."""
    cells = [Cell(0.1, False, 1.0, 90), Cell(0.1, True, 0.0, 10)]
    mirrored = [one._replace(value=1 - one.value) for one in cells]
    evidence, bounds = evidence_of(cells), bounds_of(cells)
    assert evidence.higher > 100 > 1 > evidence.lower
    assert tuple(evidence_of(mirrored)) == pytest.approx(tuple(reversed(evidence)))
    assert tuple(bounds_of(mirrored)) == pytest.approx((-bounds.high, -bounds.low))
    assert means_of(cells) == (1.0, 0.0)
    assert (evidence_of([]).either, tuple(bounds_of([])), means_of([])) == (1.0, (-1.0, 1.0), (None, None))
    many = evidence_of([one._replace(units=10**9) for one in cells])
    assert many.either > 1e290
    assert many.lower < 1e-290


def test_share_that_changes_does_not_shift_the_means() -> None:
    """Half of the sessions at another share, and with another rate of success: both sides are weighed alike."""
    early = [Cell(0.2, False, 0.0, 800), Cell(0.2, True, 0.0, 200)]
    late = [Cell(0.05, False, 1.0, 950), Cell(0.05, True, 1.0, 50)]
    assert means_of([*early, *late]) == (pytest.approx(0.5), pytest.approx(0.5))
    assert evidence_of([*early, *late]).either < 1 / LEVEL


def test_more_findings_lower_the_bar_for_each() -> None:
    """By e-BH: of four, one has to reach 80; two 40 each; and what is below takes no part."""
    assert discoveries([79.9, 1, 1, 0]) == set()
    assert discoveries([1, 80, 1, 0]) == {1}
    assert discoveries([41, 1, 40, 0]) == {0, 2}
    assert discoveries([27, 27, 27, 19.9]) == {0, 1, 2}
    assert discoveries([20, 20, 20, 20]) == {0, 1, 2, 3}
    assert discoveries([]) == set()
