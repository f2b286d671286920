"""What a ranked list is worth."""

import math

import pytest

from sagacity.quality.ir_metrics import all_at, any_at, ndcg_at, reciprocal_rank_at, standard_error

LATE = [False, True, False, True]


def test_any_at_looks_no_further_than_k() -> None:
    """One thing among the first k is enough, and behind them it does not count."""
    assert [any_at(LATE, k) for k in (1, 2, 10)] == [False, True, True]
    assert not any_at([], 10)


def test_all_at_wants_everything_among_the_first_k() -> None:
    """What was never found is missing too, however long the list."""
    assert [all_at(LATE, k, wanted=2) for k in (2, 3, 4, 10)] == [False, False, True, True]
    assert not all_at(LATE, 10, wanted=3)


def test_all_at_can_not_hold_for_more_than_k() -> None:
    """Three things do not fit into two places."""
    assert not all_at([True, True, True], 2, wanted=3)


def test_ndcg_is_one_for_the_best_order_and_falls_with_every_place() -> None:
    """The best order is worth 1; the same things further behind are worth less."""
    orders = [[True, True, False, False], [True, False, True, False], LATE, [False] * 4]
    worth = [ndcg_at(gains, 10, wanted=2) for gains in orders]
    assert worth[0] == pytest.approx(1)
    assert worth == sorted(worth, reverse=True)
    assert worth[-1] == 0


def test_ndcg_discounts_by_the_logarithm_of_the_place() -> None:
    """A single thing on place three of all is worth 1 / log2(4)."""
    assert ndcg_at([False, False, True], 10, wanted=1) == pytest.approx(1 / math.log2(4))


def test_ndcg_counts_what_was_not_found_against_the_list() -> None:
    """One of two things, on the first place, is less than all there could be."""
    assert ndcg_at([True], 10, wanted=2) == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_reciprocal_rank_is_of_the_first_within_k() -> None:
    """Only the first counts, and only up to k."""
    assert reciprocal_rank_at(LATE, 10) == pytest.approx(1 / 2)
    assert reciprocal_rank_at(LATE, 1) == 0


def test_standard_error_of_a_share() -> None:
    """Of 100 questions, half of them right: a twentieth, by the unbiased variance a little more."""
    assert standard_error([0, 1] * 50) == pytest.approx(math.sqrt(0.25 / 99))
    assert standard_error([1]) == 0
