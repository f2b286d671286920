"""The benchmark of relevance."""

import re
from pathlib import Path

import pytest
from relevance import Answer, Result, answers, fitted, plotted, report_of, users

from sagacity.providers.embedders.minilm import MiniLM


def test_questions_are_read_with_what_answers_them() -> None:
    """Every number is that of a fact; a dash is none."""
    everybody = users()
    assert len(everybody) == 14
    for user in everybody:
        assert all(right <= user.facts.keys() for _, right in user.questions)
        assert any(not right for _, right in user.questions)
    assert everybody[0].facts[2] == "Is allergic to peanuts."
    assert everybody[0].questions[2] == ("which food should I avoid?", frozenset({2}))


def test_figures_of_known_answers() -> None:
    """Right ones are counted as right, and a threshold leaves out what is below it."""
    right, wrong = Result(0.9, 0.5, is_right=True), Result(0.3, 0.2, is_right=False)
    found = [Answer(True, True, [right, wrong]), Answer(True, False, [wrong]), Answer(False, False, [wrong])]
    bins, thresholds, apart = report_of(found, "a model").tables
    assert bins.rows[0] == ("0.2 to 0.4", "1", "0.30", "0.00")
    assert bins.rows[1] == ("0.8 to 1.0", "1", "0.90", "1.00")
    by_threshold = {row[0]: row[1:] for row in thresholds.rows}
    assert by_threshold["0.1"] == ("0.00", "1.00", "1.00", "1.00", "1.00")
    assert by_threshold["0.4"] == ("0.00", "1.00", "0.00", "0.00", "0.00")
    assert [row[1] for row in apart.rows] == ["1.000", "1.000"]
    intercept, slope = fitted(found)
    assert intercept < 0 < slope


def test_plot_has_a_dot_for_each_bin() -> None:
    """What is as often right as its relevance says lies on the diagonal."""
    drawing = plotted([("0.0 to 0.2", "4", "0.10", "0.10"), ("0.8 to 1.0", "1", "0.90", "0.90")])
    dots = re.findall(r'<circle cx="(\d+)" cy="(\d+)" r="(\d+)"', drawing)
    assert dots == [("70", "310", "14"), ("310", "70", "9")]


@pytest.mark.full
async def test_the_shipped_calibration_is_the_fitted_one(tmp_path: Path) -> None:
    """What a model change would move is noticed."""
    found = await answers(MiniLM(), tmp_path)
    assert fitted(found) == (pytest.approx(-3.46, abs=0.1), pytest.approx(11.75, abs=0.3))
