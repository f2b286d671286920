"""Questions that count from a birthday or a wedding get their days from memories."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.analysis import AnchorDate
from sagacity.domain.time.anchors import anchors_in, resolve, words_for
from sagacity.retrieval.query.analyze import analyze

NOW = datetime(2023, 5, 30, 12, tzinfo=UTC)


def on(month: int, day: int, year: int | None = None) -> AnchorDate:
    return AnchorDate(month=month, day=day, year=year)


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        ("Birthday is March 5.", {"birthday": on(3, 5)}),
        ("My birthday is on the 5th of March, 1990!", {"birthday": on(3, 5)}),
        ("The user's birthday: 1990-03-05", {"birthday": on(3, 5)}),
        ("Was born on 5 March 1990 in Rome.", {"birthday": on(3, 5)}),
        ("Geburtstag ist am 5. März", {"birthday": on(3, 5)}),
        (
            "Got married on June 2nd, 2021.",
            {"wedding": on(6, 2, 2021), "anniversary": on(6, 2)},
        ),
        ("The wedding is on September 9.", {"wedding": on(9, 9), "anniversary": on(9, 9)}),
        ("Wedding anniversary is on 2 June", {"anniversary": on(6, 2)}),
        ("Graduated from MIT on May 20, 2019.", {"graduation": on(5, 20, 2019)}),
        ("Sister's birthday is May 3.", {"sister's birthday": on(5, 3)}),
        ("Attended Sarah’s wedding on 06/02/2021", {"sarah's wedding": on(6, 2, 2021), "sarah's anniversary": on(6, 2)}),
        ("Anna was born on April 1st.", {"anna's birthday": on(4, 1)}),
        ("Likes tea. Birthday is March 5. Lives in Rome.", {"birthday": on(3, 5)}),
    ],
)  # fmt: skip
def test_a_memory_states_a_date(memory: str, expected: dict[str, AnchorDate]) -> None:
    """The event, whose it is and its date; what comes every year has none."""
    assert anchors_in([memory]) == expected


@pytest.mark.parametrize(
    "memory",
    [
        "Bought a birthday present on March 3.",
        "Birthday is in spring.",
        "Wants a big wedding. Moves on June 2.",
        "Moved to Rome on June 2nd, 2021.",
        "",
    ],
)
def test_other_memories_state_none(memory: str) -> None:
    """A date beside a birthday is not the birthday."""
    assert anchors_in([memory]) == {}


def test_memories_are_searched_by_the_words_that_state_the_event() -> None:
    """Who got married tells a wedding, and a wedding an anniversary."""
    assert words_for("wedding") == "wedding married"
    assert words_for("sister's birthday") == "sister's birthday born"
    assert words_for("anniversary") == "anniversary wedding married"


def test_the_first_memory_counts() -> None:
    """Callers hand in the better memories first."""
    assert anchors_in(["Birthday is March 5.", "Birthday is March 6."]) == {"birthday": on(3, 5)}


@pytest.mark.parametrize(
    ("question", "known", "first", "last"),
    [
        ("What did I do two days before my birthday?", on(3, 5), "2023-03-03", "2023-03-03"),
        ("What did I do on my birthday?", on(7, 1), "2022-07-01", "2022-07-01"),
        ("What did I do two days before my birthday?", on(5, 31), "2023-05-29", "2023-05-29"),
        ("What will I do on my birthday?", on(3, 5), "2024-03-05", "2024-03-05"),
        ("Any plans on my birthday?", on(7, 1), "2023-07-01", "2023-07-01"),
        ("What was I reading the week before my birthday?", on(2, 29), "2023-02-21", "2023-02-27"),
    ],
)
def test_a_yearly_date_falls_where_the_question_looks(
    question: str, known: AnchorDate, first: str, last: str
) -> None:
    """The last one for what did happen, the next for what will, else the nearest."""
    found = resolve(analyze(question, now=NOW), {"birthday": known}).time_reference
    assert found is not None
    assert found.start is not None
    assert found.end is not None
    assert (found.start.date().isoformat(), found.end.date().isoformat()) == (first, last)
    assert found.end.time().isoformat() == "23:59:59.999999"


def test_a_dated_event_keeps_its_year_and_may_be_open() -> None:
    """What changed since the wedding of 2021 begins there and does not end."""
    found = resolve(
        analyze("What changed since my wedding?", now=NOW), anchors_in(["Got married on June 2nd, 2021."])
    ).time_reference
    assert found is not None
    assert (found.start, found.end) == (datetime(2021, 6, 2, tzinfo=UTC), None)
    assert found.text == "since my wedding"


@pytest.mark.parametrize(
    "question", ["Where do I live?", "What did I do last week?", "What did I do on my birthday?"]
)
def test_what_has_no_known_anchor_stays_as_it_is(question: str) -> None:
    """Dates of other events do not matter."""
    analysis = analyze(question, now=NOW)
    assert resolve(analysis, {"wedding": on(6, 2, 2021)}) == analysis


def test_an_anchor_beyond_the_calendar_stays_unresolved() -> None:
    """A question asked at the end of time gets no range and no failure."""
    analysis = analyze("What did I do on my birthday?", now=datetime(9999, 12, 31, tzinfo=UTC))
    assert resolve(analysis, {"birthday": on(3, 5)}) == analysis


EVENT_WORDS = st.sampled_from(
    "birthday wedding born married was got on is March 5 5th 2021 2021-02-30 my Anna's 's , . user's".split()
)


@given(st.lists(st.one_of(EVENT_WORDS, st.text(max_size=4)), max_size=14).map(" ".join))
def test_any_memory_may_be_read_and_resolved(text: str) -> None:
    """Hostile memories neither fail nor give a range that ends before it begins."""
    anchors = anchors_in([text])
    for name in anchors:
        assert name.split()[-1] in {"birthday", "wedding", "anniversary", "graduation", "engagement"}
    found = resolve(analyze("What did I do a week after my wedding?", now=NOW), anchors).time_reference
    assert found is not None
    assert (found.start is None) == ("wedding" not in anchors)
    assert not (found.start and found.end) or found.start <= found.end
