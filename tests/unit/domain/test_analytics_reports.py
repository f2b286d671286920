"""Steps of a series: on the calendar of UTC, and without gaps."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from sagacity.domain.analytics_reports import Granularity, Step, length_of, step_of, without_gaps

LEAP_DAY = datetime(2024, 2, 29, 13, 45, 10, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("granularity", "begins"),
    [
        (Granularity.HOUR, "2024-02-29T13:00"),
        (Granularity.DAY, "2024-02-29T00:00"),
        (Granularity.WEEK, "2024-02-26T00:00"),
    ],
)
def test_step_begins_on_the_calendar(granularity: Granularity, begins: str) -> None:
    """A week on its Monday; the beginning of a step is in it, its end is in the next."""
    first = datetime.fromisoformat(begins).replace(tzinfo=UTC)
    assert step_of(LEAP_DAY, granularity) == first
    assert step_of(first, granularity) == first
    last = first + length_of(granularity) - timedelta(microseconds=1)
    assert step_of(last, granularity) == first
    assert step_of(last + timedelta(microseconds=1), granularity) == first + length_of(granularity)


@pytest.mark.parametrize("granularity", list(Granularity))
def test_gaps_are_filled_over_the_end_of_a_month(granularity: Granularity) -> None:
    """Each step of the period once, in order; what is known stays, the others hold zeros."""
    end = LEAP_DAY + timedelta(days=16)
    known = Step(timestamp=step_of(LEAP_DAY, granularity), value=2.5, count=3)
    steps = without_gaps([known], LEAP_DAY - timedelta(days=3), end, granularity)
    assert steps[0].timestamp == step_of(LEAP_DAY - timedelta(days=3), granularity)
    assert steps[-1].timestamp == step_of(end, granularity)
    apart = {later.timestamp - one.timestamp for one, later in pairwise(steps)}
    assert apart == {length_of(granularity)}
    assert [one for one in steps if one.count] == [known]
    assert {one.value for one in steps if one != known} == {0}


def test_a_period_within_a_step_is_one_step() -> None:
    moment = LEAP_DAY.replace(minute=0)
    assert without_gaps([], moment, LEAP_DAY, Granularity.HOUR) == [
        Step(timestamp=step_of(LEAP_DAY, Granularity.HOUR))
    ]
