"""How long a fact is assumed to hold."""

from datetime import UTC, date, datetime

import pytest

from sagacity.domain.memory import TimeToLive
from sagacity.learning.lifetime import ends_at, last_day_in
from support.windows import candidate

SAID = datetime(2026, 2, 14, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("User plans two weeks on Rügen in summer 2026.", date(2026, 9, 30)),
        ("Plant im Sommer 2026 zwei Wochen Rügen.", date(2026, 9, 30)),
        ("Part en été 2026 à Lyon.", date(2026, 9, 30)),
        ("User skis in winter 2026.", date(2027, 3, 31)),
        ("User marries on 3 June 2026.", date(2026, 6, 30)),
        ("Seit März 2025 in Berlin", date(2025, 3, 31)),
        ("Se muda en junio de 2026", date(2026, 6, 30)),
        ("O casamento é em março de 2027", date(2027, 3, 31)),
        ("User flies on 2026-07-03, and back in 2026-08.", date(2026, 8, 31)),
        ("User flies in the week of 2026-03-09.", date(2026, 3, 9)),
        ("User wants to retire in 2030.", date(2030, 12, 31)),
        ("Paid in February 2028", date(2028, 2, 29)),
        ("Born 2026-02-31", date(2026, 2, 28)),
        ("Has 2026 stamps", date(2026, 12, 31)),
        ("Order 120265 came in May", None),
        ("Has two cats.", None),
        ("", None),
        ("9999-99-99 2026-13-01", date(2026, 12, 31)),
    ],
)
def test_the_last_day_that_a_text_names(text, last):
    assert last_day_in(text) == last


@pytest.mark.parametrize(
    ("content", "fields", "end"),
    [
        ("Has a headache.", {"time_to_live": "one_day"}, datetime(2026, 2, 15, 9, 30, tzinfo=UTC)),
        ("Is on Rügen in summer 2026.", {"time_to_live": "one_quarter"}, datetime(2026, 10, 1, tzinfo=UTC)),
        ("Was ill in 2025.", {"time_to_live": "one_week"}, datetime(2026, 2, 21, 9, 30, tzinfo=UTC)),
        ("Is on Rügen.", {"valid_until": date(2026, 3, 1)}, datetime(2026, 3, 2, tzinfo=UTC)),
        ("Is on Rügen.", {"valid_until": date(2026, 3, 1), "slot": "work.place"}, datetime(2026, 3, 2, tzinfo=UTC)),
        ("Waits for ever.", {"valid_until": date(9999, 12, 31)}, datetime(9999, 12, 31, tzinfo=UTC)),
        ("Lives in Lyon.", {"time_to_live": "one_year", "slot": "location.home"}, None),
        ("Is a clerk.", {"time_to_live": "one_month", "slot": "work.role"}, None),
        ("Is in Lyon.", {"time_to_live": "one_day", "slot": "location.now"}, datetime(2026, 2, 15, 9, 30, tzinfo=UTC)),
        ("Likes tea.", {}, None),
    ],
)  # fmt: skip
def test_when_a_fact_ends(content, fields, end):
    """When its time is over; not before a date that it names, and not at all where only a new value ends it."""
    fields = {"time_to_live": TimeToLive.INFINITY, **fields}
    assert (
        ends_at(candidate(content, **fields | {"time_to_live": TimeToLive(fields["time_to_live"])}), SAID)
        == end
    )
