"""Times that questions name become ranges of days."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.analysis import Tense, TimeKind, TimeReference
from sagacity.domain.time.expressions import time_reference
from sagacity.domain.time.grammar import RULES
from sagacity.domain.time.lexicon import LEXICON

NOW = datetime(2023, 5, 30, 12, tzinfo=UTC)
"""A Tuesday."""


def days(reference: TimeReference | None) -> str:
    """Return the days of a reference as `first..last`."""
    assert reference is not None
    first, last = (day.date().isoformat() if day else "" for day in (reference.start, reference.end))
    return f"{first}..{last}" if first != last else first


@pytest.mark.parametrize(
    ("question", "text", "kind", "expected"),
    [
        ("What did I eat today?", "today", "present", "2023-05-30"),
        ("What shall I watch tonight?", "tonight", "present", "2023-05-30"),
        ("Who called earlier today?", "earlier today", "present", "2023-05-30"),
        ("Who called this morning?", "this morning", "present", "2023-05-30"),
        ("What did I say yesterday evening?", "yesterday", "recent", "2023-05-29"),
        ("Who called last night?", "last night", "recent", "2023-05-29"),
        ("And the day before yesterday?", "the day before yesterday", "day", "2023-05-28"),
        ("And the day after tomorrow?", "the day after tomorrow", "day", "2023-06-01"),
        ("What did I do this week?", "this week", "week", "2023-05-29..2023-06-04"),
        ("What did I do earlier this week?", "earlier this week", "week", "2023-05-29..2023-05-30"),
        ("What did I do last week?", "last week", "week", "2023-05-22..2023-05-28"),
        ("Last week's meeting?", "Last week's", "week", "2023-05-22..2023-05-28"),
        ("What have I done in the past week?", "past week", "week", "2023-05-23..2023-05-30"),
        ("What is up next week?", "next week", "week", "2023-06-05..2023-06-11"),
        ("What did I buy last month?", "last month", "month", "2023-04-01..2023-04-30"),
        ("What did I buy in the last month?", "last month", "month", "2023-04-30..2023-05-30"),
        ("What did I buy in the past month?", "past month", "month", "2023-04-30..2023-05-30"),
        ("What did I read this year?", "this year", "year", "2023-01-01..2023-12-31"),
        ("What did I read early last year?", "early last year", "year", "2022-01-01..2022-05-01"),
        ("my previous year's time", "previous year's", "year", "2022-01-01..2022-12-31"),
        ("How was last quarter?", "last quarter", "quarter", "2023-01-01..2023-03-31"),
        ("What did I cook last weekend?", "last weekend", "weekend", "2023-05-27..2023-05-28"),
        ("And this past weekend?", "this past weekend", "weekend", "2023-05-27..2023-05-28"),
        ("What is on this weekend?", "this weekend", "weekend", "2023-06-03..2023-06-04"),
        ("The weekend before last?", "weekend before last", "weekend", "2023-05-20..2023-05-21"),
        ("And two weekends ago?", "two weekends ago", "weekend", "2023-05-20..2023-05-21"),
        ("What did I do last Tuesday?", "last Tuesday", "weekday", "2023-05-23"),
        ("What did I do on Tuesday?", "Tuesday", "weekday", "2023-05-30"),
        ("What did I do Friday night?", "Friday", "weekday", "2023-05-26"),
        ("What will I do on Friday?", "Friday", "weekday", "2023-06-02"),
        ("Am I free this Friday?", "this Friday", "weekday", "2023-06-02"),
        ("Who came two Fridays ago?", "two Fridays ago", "weekday", "2023-05-19"),
        ("Who came the Friday before last?", "Friday before last", "weekday", "2023-05-19"),
        ("Who came on Tuesday of last week?", "Tuesday of last week", "weekday", "2023-05-23"),
        ("What did I do 3 days ago?", "3 days ago", "day", "2023-05-27"),
        ("What did I do a few days ago?", "a few days ago", "day", "2023-05-25..2023-05-28"),
        ("What did I do 24 hours ago?", "24 hours ago", "day", "2023-05-29"),
        ("What did I do an hour ago?", "an hour ago", "day", "2023-05-30"),
        ("What did I cook two nights ago?", "two nights ago", "day", "2023-05-28"),
        ("What is on two weeks from now?", "two weeks from now", "week", "2023-06-10..2023-06-16"),
        ("Where will I be in a month?", "a month", "month", "2023-06-15..2023-07-15"),
        ("What did I do a week ago?", "a week ago", "week", "2023-05-20..2023-05-26"),
        ("A couple of weeks ago?", "A couple of weeks ago", "week", "2023-05-06..2023-05-19"),
        ("What did I buy four weeks ago?", "four weeks ago", "week", "2023-04-29..2023-05-05"),
        ("Where was I two months ago?", "two months ago", "month", "2023-03-15..2023-04-14"),
        ("Where did I live two years ago?", "two years ago", "year", "2020-11-29..2021-11-28"),
        ("What have I read in the last 3 days?", "last 3 days", "day", "2023-05-27..2023-05-30"),
        ("Over the past couple of weeks?", "past couple of weeks", "week", "2023-05-09..2023-05-30"),
        ("During the last 24 hours?", "last 24 hours", "day", "2023-05-29..2023-05-30"),
        ("What comes in the next two weeks?", "next two weeks", "week", "2023-05-30..2023-06-13"),
        ("What changed since Monday?", "since Monday", "range", "2023-05-29.."),
        ("Where did I work before March?", "before March", "range", "..2023-02-28"),
        ("Where did I work after March 5th?", "after March 5th", "range", "2023-03-06.."),
        ("Where did I work until 2022?", "until 2022", "range", "..2022-12-31"),
        ("The one before the 7/22 trip?", "before the 7/22", "range", "..2022-07-21"),
        ("Two days before March 5th?", "Two days before March 5th", "day", "2023-03-03"),
        ("Two days before last Tuesday?", "Two days before last Tuesday", "day", "2023-05-21"),
        ("The morning after March 5th?", "The morning after March 5th", "day", "2023-03-06"),
        ("Somewhere around March 5th?", "around March 5th", "range", "2023-03-02..2023-03-08"),
        ("At the end of the year?", "end of the year", "year", "2023-09-01..2023-12-31"),
        ("between March and May", "between March and May", "range", "2023-03-01..2023-05-31"),
        ("between November and February", "between November and February", "range", "2022-11-01..2023-02-28"),
        ("from Monday to Friday", "from Monday to Friday", "range", "2023-05-22..2023-05-26"),
        ("from March 5 until yesterday", "from March 5 until yesterday", "range", "2023-03-05..2023-05-29"),
        ("between 2019 and 2021", "between 2019 and 2021", "range", "2019-01-01..2021-12-31"),
        ("Whom did I meet in March?", "March", "month_name", "2023-03-01..2023-03-31"),
        ("whom did i meet in may?", "may", "month_name", "2023-05-01..2023-05-31"),
        ("Whom did I meet in July?", "July", "month_name", "2022-07-01..2022-07-31"),
        ("Whom will I meet in July?", "July", "month_name", "2023-07-01..2023-07-31"),
        ("What comes next March?", "next March", "month_name", "2024-03-01..2024-03-31"),
        ("And this March?", "this March", "month_name", "2023-03-01..2023-03-31"),
        ("In March 2021?", "March 2021", "month_name", "2021-03-01..2021-03-31"),
        ("In March of last year?", "March of last year", "month_name", "2022-03-01..2022-03-31"),
        ("In mid-March?", "mid-March", "month_name", "2023-03-11..2023-03-20"),
        ("At the end of March?", "end of March", "month_name", "2023-03-21..2023-03-31"),
        ("On March 5th?", "March 5th", "specific_date", "2023-03-05"),
        ("On the 5th of March?", "the 5th of March", "specific_date", "2023-03-05"),
        ("On 5 March 2021?", "5 March 2021", "specific_date", "2021-03-05"),
        ("Tuesday, March 5, 2024", "Tuesday, March 5, 2024", "specific_date", "2024-03-05"),
        ("On June 7?", "June 7", "specific_date", "2022-06-07"),
        ("When will we meet on June 7?", "June 7", "specific_date", "2023-06-07"),
        ("On 29 February?", "29 February", "specific_date", "2023-02-28"),
        ("On 2023-03-05?", "2023-03-05", "specific_date", "2023-03-05"),
        ("On 03/05/2023?", "03/05/2023", "specific_date", "2023-03-05"),
        ("On 15/03/2023?", "15/03/2023", "specific_date", "2023-03-15"),
        ("Am 5.3.2023?", "5.3.2023", "specific_date", "2023-03-05"),
        ("On 3/5/23?", "3/5/23", "specific_date", "2023-03-05"),
        ("What did I do on the 15th?", "15th", "specific_date", "2023-05-15"),
        ("Who came on Tuesday the 16th?", "Tuesday the 16th", "specific_date", "2023-05-16"),
        ("Who came on 24/12?", "24/12", "specific_date", "2022-12-24"),
        ("On the 15th of last month?", "15th of last month", "specific_date", "2023-04-15"),
        ("In the week of March 6?", "week of March 6", "specific_date", "2023-03-06..2023-03-12"),
        ("What happened in 2022?", "2022", "year", "2022-01-01..2022-12-31"),
        ("What did I plant last spring?", "last spring", "season", "2022-03-01..2022-05-31"),
        ("What did I plant this spring?", "this spring", "season", "2023-03-01..2023-05-31"),
        ("Where was I this winter?", "this winter", "season", "2022-12-01..2023-02-28"),
        ("Where was I in the summer of 2021?", "summer of 2021", "season", "2021-06-01..2021-08-31"),
        ("What have I been reading lately?", "lately", "recent", "2023-04-30..2023-05-30"),
        ("Who was it the other day?", "other day", "recent", "2023-05-16..2023-05-30"),
        ("Where do I work now?", "now", "present", "..2023-05-30"),
        ("Faster a month ago or now?", "a month ago", "month", "2023-04-15..2023-05-15"),
        ("Was habe ich vorgestern gekauft?", "vorgestern", "day", "2023-05-28"),
        ("Was war letzte Woche?", "letzte Woche", "week", "2023-05-22..2023-05-28"),
        ("Was war vor zwei Tagen?", "vor zwei Tagen", "day", "2023-05-28"),
        ("Was war am Dienstag?", "Dienstag", "weekday", "2023-05-30"),
        ("Was war im März?", "März", "month_name", "2023-03-01..2023-03-31"),
        ("Was war am 5. März 2021?", "5. März 2021", "specific_date", "2021-03-05"),
        ("Wo war ich seit Montag?", "seit Montag", "range", "2023-05-29.."),
        ("Bis Ende Januar?", "Bis Ende Januar", "range", "..2023-01-31"),
        ("Was war Ende des Monats?", "Ende des Monats", "month", "2023-05-21..2023-05-31"),
        ("Where was I over Christmas?", "Christmas", "range", "2022-12-24..2022-12-26"),
        ("Where was I last Easter?", "last Easter", "range", "2023-04-07..2023-04-10"),
        ("What did I give up during Lent?", "Lent", "range", "2023-02-22..2023-04-08"),
        ("Who came for a week next month?", "next month", "month", "2023-06-01..2023-06-30"),
    ],
)
def test_a_named_time_becomes_days(question: str, text: str, kind: str, expected: str) -> None:
    """What is named is found as written, and resolved against the reference date."""
    reference = time_reference(question, NOW)
    assert reference is not None
    assert (reference.text, reference.kind, days(reference)) == (text, TimeKind(kind), expected)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "jusqu'en janvier", "..2024-01-31"),
        ("fr", "jusqu'à la fin du mois", "..2023-05-31"),
        ("fr", "jusqu'à la semaine prochaine", "..2023-06-11"),
        ("fr", "jusqu'au 3 mai", "..2024-05-03"),
        ("fr", "les deux prochaines semaines", "2023-05-30..2023-06-13"),
        ("es", "hasta el viernes", "..2023-06-02"),
        ("es", "hasta finales de año", "..2023-12-31"),
        ("es", "hasta el mes que viene", "..2023-06-30"),
        ("es", "hasta manana", "..2023-05-31"),
        ("pt", "até sexta-feira", "..2023-06-02"),
        ("pt", "as próximas duas semanas", "2023-05-30..2023-06-13"),
        ("pt", "até a Páscoa", "..2024-04-01"),
        ("en", "until January", "..2024-01-31"),
    ],
)
def test_a_time_is_read_in_the_language_and_towards_where_its_text_looks(
    language: str, text: str, expected: str
) -> None:
    """Each language has its own words, and the caller may know that the future is meant."""
    assert days(time_reference(text, NOW, language=language, tense=Tense.FUTURE)) == expected


def test_words_of_one_language_are_none_of_another() -> None:
    """`mi` is French for the middle of a month, and Spanish for "my"."""
    assert time_reference("hasta mi cumpleaños en mayo", NOW) is None
    assert time_reference("jusqu'à vendredi", NOW, language="es") is None


@pytest.mark.parametrize(
    "question",
    [
        "He lent me money", "May I ask something?", "may I?", "March on!", "I may come", "this may be wrong", "may 5 people come?",
        "around 5 people", "Did I read it in two weeks?", "on 50/50 terms", "What do you know about my birthday?", "the cost of my wedding", "Wait a second", "Who was first, second and third?", "How many weeks ago did I start?", "How long ago was it?",
        "What did I say last time?", "On the last day of school", "every Sunday", "What do I do each Sunday?",
        "What time do I wake up on Saturday mornings?", "What was the rotation on a Sunday?", "my Sunday rides",
        "What did I buy on Black Friday?", "open 24/7", "1/2 cup of milk", "in the first three months of collection",
        "a week-long trip", "in a typical week", "in 2000 words", "it cost $2022", "Does April like June?",
        "Who are April and June?", "Where does May live?", "Did I fall asleep?", "spring water",
        "How many days before my trip?", "version 1.2.3", "192.168.1.1", "at 10:30", "every other day", "3.5 weeks ago",
        "a year and two months ago", "Who gave me a mixer as a birthday gift?", "Where did I attend my cousin's wedding?",
        "on her birthday", "on February 30", "2023-13-45", "Guten Morgen", "What did we discuss previously?",
        "How many days passed between the day I began and the day I ended?", "Which came first, the trip or the lens?",
    ],
)  # fmt: skip
def test_what_is_no_time_gives_none(question: str) -> None:
    """Modal verbs, names, fractions, habits and questions about order or amounts name no time."""
    assert time_reference(question, NOW) is None


@pytest.mark.parametrize(
    ("question", "anchor", "first", "last"),
    [
        ("What did I do two days before my birthday?", "birthday", -2, -2),
        ("What did I do the day after my birthday?", "birthday", 1, 1),
        ("What did I do the week before my wedding?", "wedding", -7, -1),
        ("Two weeks after our wedding anniversary?", "anniversary", 11, 17),
        ("What changed since my wedding?", "wedding", 0, None),
        ("What did I buy before my graduation?", "graduation", None, -1),
        ("Where was I after my graduation?", "graduation", 1, None),
        ("Where was I on my 30th birthday?", "birthday", 0, 0),
        ("Who came around my birthday?", "birthday", -3, 3),
        ("Who called the night before my wedding?", "wedding", -1, -1),
        ("Who came to lunch on my sister's birthday?", "sister's birthday", 0, 0),
        ("Who spoke at Sarah’s wedding?", "sarah's wedding", 0, 0),
        ("A few days before my friend Tom's bday?", "tom's birthday", -5, -2),
        ("Was war zwei Tage vor meinem Geburtstag?", "birthday", -2, -2),
    ],
)
def test_an_event_is_left_to_memories(
    question: str, anchor: str, first: int | None, last: int | None
) -> None:
    """Only memories know the date; the question says how far from it."""
    reference = time_reference(question, NOW)
    assert reference is not None
    assert reference.kind is TimeKind.ANCHOR
    assert (reference.start, reference.end) == (None, None)
    assert (reference.anchor, reference.first_day, reference.last_day) == (anchor, first, last)


def test_ends_are_the_first_and_the_last_moment_in_the_callers_zone() -> None:
    """A day of the caller begins at their midnight, and is told in UTC."""
    reference = time_reference("yesterday", NOW.astimezone(timezone(timedelta(hours=2))))
    assert reference is not None
    assert reference.start == datetime(2023, 5, 28, 22, tzinfo=UTC)
    assert reference.end == datetime(2023, 5, 29, 21, 59, 59, 999_999, tzinfo=UTC)


@pytest.mark.parametrize("now", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)])
def test_times_beyond_the_calendar_are_none(now: datetime) -> None:
    """A reference date at the end of what a calendar has is no reason to fail."""
    asked = (
        "yesterday",
        "the day after tomorrow",
        "last year",
        "999 years ago",
        "since next week",
        "last spring",
    )
    found = [time_reference(text, now) for text in asked]
    assert None in found
    assert all(one is None or one.start is None or one.end is None or one.start <= one.end for one in found)


WORDS = st.lists(
    st.one_of(
        st.sampled_from(sorted(LEXICON)),
        st.sampled_from(
            ["March", "May", "5th", "2022", "3", "7/22", "2023-03-05", "31.12.1999", "Ana's", ",", "-"]
        ),
        st.text(max_size=5),
    ),
    max_size=14,
).map(" ".join)
DATES = st.dates(date(1, 1, 1), date(9999, 12, 31)).map(
    lambda day: datetime(day.year, day.month, day.day, tzinfo=UTC)
)


@given(WORDS, DATES)
def test_any_words_of_time_at_any_date_give_an_ordered_range(text: str, now: datetime) -> None:
    """Whatever the grammar is handed, it does not fail, and what it finds stands in the text and is in order."""
    reference = time_reference(text, now)
    if reference is not None:
        assert reference.text
        assert reference.text in text
        assert reference.anchor or reference.start or reference.end
        assert not (reference.start and reference.end) or reference.start <= reference.end


def test_no_rule_repeats_what_may_repeat() -> None:
    """Rules are rows of words without loops, so that reading takes time in proportion to the text."""
    assert len(RULES) > 30
    assert not [
        rule.pattern for rule in RULES if "*" in rule.pattern or "+" in rule.pattern or "{" in rule.pattern
    ]
