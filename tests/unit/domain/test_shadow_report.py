"""What counts of comparisons allow to say."""

from math import comb

import pytest

from sagacity.domain.shadow_report import (
    FEWEST,
    Finding,
    PositionCounts,
    Preference,
    ShadowCounts,
    binomial_p,
    position_check,
    summary_of,
    tally,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "count", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)],
)
def test_wilson_interval_is_that_of_the_literature(successes, count, low, high) -> None:
    """The last two: Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    found = wilson(successes, count)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
    assert wilson(0, 0) is None


def test_binomial_test_is_exact() -> None:
    """Against whole numbers, and for counts whose powers no float holds."""
    for count in (1, 2, 7, 20, 61):
        for successes in range(count + 1):
            more = max(successes, count - successes)
            exact = 2 * sum(comb(count, n) for n in range(more, count + 1)) / 2**count
            assert binomial_p(successes, count) == pytest.approx(min(1.0, exact), rel=1e-9)
    assert binomial_p(0, 0) is None
    assert binomial_p(500_000, 1_000_000) == 1.0
    assert binomial_p(501_000, 1_000_000) == pytest.approx(0.0456, abs=1e-4)
    assert binomial_p(0, 1_000_000) == 0.0


@pytest.mark.parametrize(
    ("shadow", "regular", "finding"),
    [
        (FEWEST - 1, 0, Finding.TOO_FEW),
        (FEWEST, 0, Finding.SHADOW_BETTER),
        (0, FEWEST, Finding.REGULAR_BETTER),
        (12, 8, Finding.NO_DIFFERENCE_SHOWN),
        (600, 400, Finding.SHADOW_BETTER),
        (0, 0, Finding.TOO_FEW),
    ],
)
def test_small_and_even_counts_claim_nothing(shadow, regular, finding) -> None:
    """Ties are counted, and neither make a sample larger nor move a rate."""
    counts = {"sessions": shadow + regular + 500, "shadow_wins": shadow, "regular_wins": regular, "ties": 500}
    told = tally(ShadowCounts(**counts))
    assert told.finding is finding
    assert told.ties == 500
    assert told.shadow_win_rate == (shadow / (shadow + regular) if shadow + regular else None)
    text = " ".join(summary_of(told, position_check([])))
    assert ("Too few sessions" in text) == (finding is Finding.TOO_FEW)
    assert ("shadow is better" in text or "answers are better" in text) == (finding.endswith("_better"))


@pytest.mark.parametrize(
    ("first", "second", "finding"),
    [
        ((30, 0), (0, 30), Preference.FIRST_PREFERRED),
        ((0, 30), (30, 0), Preference.SECOND_PREFERRED),
        ((30, 0), (30, 0), Preference.NONE_SHOWN),
        ((10, 0), (0, 9), Preference.TOO_FEW),
    ],
)
def test_judge_that_follows_the_place_is_told_from_one_that_follows_the_answer(
    first, second, finding
) -> None:
    """A shadow that wins in both places is good; one that wins where it is first has a partial judge."""
    check = position_check(
        [
            PositionCounts(is_shadow_first=True, shadow_wins=first[0], regular_wins=first[1], ties=3),
            PositionCounts(is_shadow_first=False, shadow_wins=second[0], regular_wins=second[1]),
        ]
    )
    assert check.finding is finding
    assert (check.shadow_first, check.regular_first) == (sum(first) + 3, sum(second))
    assert check.first_wins == first[0] + second[1]
    assert check.decided == sum(first) + sum(second)
    total = tally(ShadowCounts(sessions=1))
    assert ("favours" in summary_of(total, check)[1]) == finding.endswith("_preferred")
