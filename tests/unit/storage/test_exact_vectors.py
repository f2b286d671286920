"""What is nearest by vector is found without sorting all rows."""

import numpy as np
import pytest

from sagacity.storage.search.ranked import best_first


@pytest.mark.parametrize("rows", [0, 1, 7, 400])
@pytest.mark.parametrize("digits", [1, 7])
def test_the_first_ones_are_those_of_the_whole_order(rows: int, digits: int) -> None:
    """Also where many rows have one score: the earlier row comes first."""
    scores = np.random.default_rng(rows).standard_normal(rows).astype(np.float32).round(digits)
    whole = np.argsort(-scores, kind="stable")
    for count in (1, 7, 250, 1_000):
        first = best_first(scores, count)
        assert len(first) >= min(count, rows)
        assert first.tolist() == whole[: len(first)].tolist()


def test_a_score_that_is_no_number_comes_last() -> None:
    """As in the order of all."""
    scores = np.array([0.5, np.nan, 0.9, np.nan], np.float32)
    assert best_first(scores, 1)[:2].tolist() == [2, 0]
