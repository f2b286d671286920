"""Text to terms."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.storage.search.keywords import (
    MAX_TERM_CHARACTERS,
    asks,
    date_terms,
    first_person_share,
    terms_of,
)

BLNS = Path(__file__).parents[2] / "data" / "hostile" / "blns.json"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("the and of", []),
        ("Walking walks WALKED", ["walk", "walk", "walk"]),
        ("Ana's cat’s", ["ana", "cat"]),
        ("snake_case __init__", ["snake", "case", "init"]),
        ("C3PO v1.2", ["c3po", "v1", "2"]),
        ("Straße", ["strass"]),
        ("ﬁne ①", ["fine", "1"]),
        ("cafe\u0301", ["caf\u00e9"]),
        ("東京都", ["東京", "京都"]),
        ("茶", ["茶"]),
        ("iPhone15を買う", ["iphone15", "を買", "買う"]),
        ("हिन्दी", ["हिन्दी"]),
        ("كِتَاب كتاب", ["كتاب", "كتاب"]),
        ("שָׁלוֹם", ["שלום"]),
        ("ёлка", ["ёлка"]),
        ("1\ufe0f\u20e3 😀", ["1", "😀"]),
        ("🇩🇪🇫🇷 👍🏽 👩‍💻", ["🇩🇪", "🇫🇷", "👍", "👩", "💻"]),
    ],
)
def test_terms_of_text(text: str, terms: list[str]) -> None:
    """Folded, stemmed where English, cut in pairs where no spaces stand."""
    assert terms_of(text) == Counter(terms)


def test_long_run_of_letters_is_one_bounded_term() -> None:
    """No term is longer than the limit, however long the word."""
    assert terms_of("x" * 10_000) == Counter(["x" * MAX_TERM_CHARACTERS])


@given(st.text(max_size=300))
def test_any_text_gives_bounded_terms_and_finds_itself(text: str) -> None:
    """No text raises; terms are never empty nor too long; what is doubled counts double."""
    terms = terms_of(text)
    assert all(0 < len(term) <= MAX_TERM_CHARACTERS for term in terms)
    assert terms_of(f"{text} \n {text}") == Counter({term: 2 * count for term, count in terms.items()})


def test_letters_of_any_script_are_never_dropped() -> None:
    """Every hostile string that holds a letter outside the stop list has a term."""
    for text in json.loads(BLNS.read_text("utf-8")):
        if any(letter.isalpha() and not letter.isascii() for letter in text):
            assert terms_of(text), ascii(text)


@pytest.mark.parametrize(
    ("year", "month", "day", "asked"),
    [
        (2023, 5, 20, "what did I say on Saturday, 20 May 2023"),
        (2024, 1, 1, "Monday January 1 2024"),
        (2026, 11, 8, "Sunday 8 November 2026"),
    ],
)
def test_date_has_the_terms_that_a_question_has(year: int, month: int, day: int, asked: str) -> None:
    """Year, month, day and weekday, as the words of a question become terms."""
    of_date = date_terms(datetime(year, month, day, 23, 59, tzinfo=UTC))
    assert of_date.total() == 4
    assert set(of_date) <= set(terms_of(asked))


def test_every_day_of_a_year_has_four_terms() -> None:
    """No month or weekday is among the words that are left out."""
    days = [date_terms(datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=day)) for day in range(366)]
    assert {one.total() for one in days} == {4}
    assert len({frozenset(one) for one in days}) == 366


def test_share_of_the_first_person() -> None:
    """Who speaks of themself says I, my and we, also in short forms; a general answer does not."""
    assert first_person_share("I've sold my car, and we'll walk.") == pytest.approx(3 / 7)
    assert first_person_share("To sell a car, wash it first. Mine the data, meanwhile.") == pytest.approx(
        1 / 11
    )
    assert first_person_share("Iris saw Amy in Miami.") == 0.0
    assert first_person_share("") == first_person_share("   ") == 0.0


@pytest.mark.parametrize(
    "text", ["And you?", "And you? 😊", "Really?!", "真的吗？", "«Quoi?»", "هل أنت بخير؟", "?"]
)
def test_a_question_ends_a_text(text: str) -> None:
    """In any script; marks and emoji may stand behind it."""
    assert asks(text)


@pytest.mark.parametrize("text", ["", "Who knows? I do.", "Yes", "What? No", "a?b", "?" + " " * 200 + "end"])
def test_a_question_within_a_text_does_not_end_it(text: str) -> None:
    """Nor does a mark within a word."""
    assert not asks(text)


@given(st.text(st.sampled_from("abcXYZ019_' .,-\n\x1f\x7f"), max_size=40))
def test_plain_text_has_the_terms_that_any_text_has(text: str) -> None:
    """Text of ASCII is read by a quicker way; a letter beside it sends the same text the other way."""
    assert [*terms_of(text), "é"] == list(terms_of(f"{text} é"))
    assert terms_of(text) + Counter(["é"]) == terms_of(f"{text} é")
