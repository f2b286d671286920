"""From when to when spending is counted, and when it is enough."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import ValidationError

from sagacity.config.spending_cap import SpendingCap
from sagacity.domain.ledger import Spending

NOW = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("period", "start", "end"),
    [
        ("day", datetime(2026, 12, 31, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
        ("month", datetime(2026, 12, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
    ],
)
def test_periods_are_those_of_utc(period, start, end):
    """Whatever the zone of the moment, and over the end of a year."""
    cap = SpendingCap(period=period, max_tokens=1)
    for now in (start, NOW, NOW.astimezone(timezone(timedelta(hours=9)))):
        assert (cap.start(now), cap.end(now)) == (start, end)


@pytest.mark.parametrize("day", range(28, 32))
def test_months_follow_each_other(day):
    """Short and long ones: the end of one is the start of the next."""
    cap = SpendingCap(period="month", max_tokens=1)
    january = datetime(2027, 1, day, tzinfo=UTC)
    february = cap.end(january)
    assert february == datetime(2027, 2, 1, tzinfo=UTC)
    assert cap.end(february) == datetime(2027, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cap", "tokens", "cost", "limit"),
    [
        ({"max_tokens": 100}, 99, 5.0, None),
        ({"max_tokens": 100}, 100, 0.0, "100 tokens"),
        ({"max_cost_usd": 2.5}, 10**9, 2.49, None),
        ({"max_cost_usd": 2.5}, 0, 2.5, "2.5 USD"),
        ({"max_tokens": 100, "max_cost_usd": 2.0}, 10, 2.0, "2 USD"),
        ({"max_tokens": 0}, 0, 0.0, "0 tokens"),
    ],
)
def test_cap_is_reached_with_the_last_token_or_cent(cap, tokens, cost, limit):
    """Either limit is enough, and is the one that is named."""
    chosen, spent = SpendingCap(**cap), Spending(prompt_tokens=tokens, cost_usd=cost)
    assert chosen.is_reached(spent) is (limit is not None)
    if limit is not None:
        assert chosen.note(spent, NOW) == (
            f"the spending cap of {limit} a day is reached: learned by rules until 2027-01-01T00:00:00Z"
        )


@pytest.mark.parametrize(
    "wrong", [{}, {"max_tokens": -1}, {"max_cost_usd": float("inf")}, {"period": "year", "max_tokens": 1}]
)
def test_cap_that_limits_nothing_is_refused(wrong):
    with pytest.raises(ValidationError):
        SpendingCap.model_validate(wrong)
