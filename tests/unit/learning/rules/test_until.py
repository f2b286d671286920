"""Until when facts are said to hold, and what is no end of them."""

from datetime import UTC, date, datetime

import pytest

from sagacity.domain.cursor import Window
from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.profile import profile_candidates
from unit.learning.rules.turns import turn, window

FRIDAY = datetime(2026, 11, 27, 9, tzinfo=UTC)


def on_friday(text: str) -> Window:
    return window(turn(1, text).model_copy(update={"created_at": FRIDAY}))


def ends(text: str) -> dict[str, date | None]:
    """Return what a turn of that Friday teaches, each with its last day."""
    return {one.content: one.valid_until for one in profile_candidates(on_friday(text))}


@pytest.mark.parametrize(
    ("text", "content", "last"),
    [
        ("I'm in Berlin until January", "Is in Berlin until January.", date(2027, 1, 31)),
        ("I'm on antibiotics until Friday", "Takes antibiotics.", date(2026, 12, 4)),
        ("I'm on antibiotics until tomorrow", "Takes antibiotics.", date(2026, 11, 28)),
        (
            "I'm working from home until the end of the month",
            "Is working from home until the end of the month.",
            date(2026, 11, 30),
        ),
        ("this week I'm in Lisbon", "Is in Lisbon this week.", date(2026, 11, 29)),
        ("This week, I'm in Lisbon.", "Is in Lisbon this week.", date(2026, 11, 29)),
        ("For the next two weeks I'm in Lisbon", "Is in Lisbon for the next two weeks.", date(2026, 12, 11)),
        ("I'm staying in Rome for two weeks.", "Is in Rome for two weeks.", date(2026, 12, 11)),
        ("I'm vegetarian for Lent", "Is vegetarian.", date(2027, 3, 27)),
        ("I'm vegan, until Easter.", "Is vegan.", date(2027, 3, 29)),
        ("I'm vegetarian for the next two weeks.", "Is vegetarian.", date(2026, 12, 11)),
        ("I live in Berlin until the end of the year.", "Lives in Berlin.", date(2026, 12, 31)),
        ("I work at Siemens until March 5, 2027.", "Works at Siemens.", date(2027, 3, 5)),
        ("Until March I live in Berlin", "Lives in Berlin.", date(2027, 3, 31)),
        ("I have a flight to London tomorrow.", "Has a flight to London tomorrow.", date(2026, 11, 28)),
        ("We're getting married in June.", "Is getting married in June.", date(2027, 6, 30)),
        ("My lease ends in October.", "Lease ends in October.", date(2027, 10, 31)),
        ("Ich bin bis Januar in Berlin.", "Ist in Berlin bis Januar.", date(2027, 1, 31)),
        ("Ich nehme bis Montag Antibiotika.", "Nimmt Antibiotika bis Montag.", date(2026, 11, 30)),
        ("Diese Woche bin ich in Lissabon.", "Ist in Lissabon diese Woche.", date(2026, 11, 29)),
        ("Ich wohne bis März in Berlin.", "Wohnt in Berlin.", date(2027, 3, 31)),
        ("Je suis à Berlin jusqu'en janvier.", "Est à Berlin jusqu'en janvier.", date(2027, 1, 31)),
        ("Cette semaine je suis à Lisbonne.", "Est à Lisbonne cette semaine.", date(2026, 11, 29)),
        ("Estoy en Berlín hasta enero.", "Está en Berlín hasta enero.", date(2027, 1, 31)),
        (
            "Tomo antibióticos hasta el lunes.",
            "Toma antibióticos hasta el lunes.",
            date(2026, 11, 30),
        ),
        ("Esta semana estou em Lisboa.", "Está em Lisboa esta semana.", date(2026, 11, 29)),
        ("Estou em Berlim até janeiro.", "Está em Berlim até janeiro.", date(2027, 1, 31)),
    ],
)
def test_a_fact_ends_when_it_is_said_to(text: str, content: str, last: date) -> None:
    """The day counts from when it was said; a day of the week is the next one."""
    assert ends(text) == {content: last}


@pytest.mark.parametrize(
    "text",
    [
        "I'm 40 today!",
        "I moved to Austin this week.",
        "Today I bought a car.",
        "I was diagnosed with asthma this week.",
        "I've been vegan for two weeks.",
        "I've been taking metformin for two weeks.",
        "I'm vegan for the animals.",
        "I take metformin for my diabetes.",
        "I live in Berlin until my visa runs out.",
        "My sister Anna lives in Berlin until June.",
        "My vacation starts on 3 August.",
        "Diese Woche habe ich ein Auto gekauft.",
        "Ich wohne in Berlin, bis 18 Uhr bin ich im Büro.",
        "Tomo metformina todos los días por la mañana.",
    ],
)
def test_what_names_no_end_has_none(text: str) -> None:
    """What began this week goes on, what was ended before, and for how long it has been is no end."""
    assert set(ends(text).values()) <= {None}


def test_an_end_belongs_to_its_clause() -> None:
    """What is said beside it holds on."""
    assert ends("I'm allergic to nuts, and I'm in Rome until Monday, and I live in Lyon.") == {
        "Is allergic to nuts.": None,
        "Is in Rome until Monday.": date(2026, 11, 30),
        "Lives in Lyon.": None,
    }


def test_what_is_over_is_not_told_of_the_present() -> None:
    """The past has ends of its own."""
    assert ends("I lived in Rome until March.") == {}
    assert ends("I was vegan until last year.") == {}
    assert ends("If I'm in Berlin until January, what then?") == {}


def test_an_end_without_a_day_is_assumed_within_a_quarter() -> None:
    """Until something happens is no day, and not for ever."""
    (one,) = profile_candidates(on_friday("I'm on prednisone until my appointment."))
    assert (one.content, one.time_to_live, one.valid_until) == (
        "Takes prednisone.",
        TimeToLive.ONE_QUARTER,
        None,
    )
