"""Text to terms."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sagacity.storage.keywords import MAX_TERM_CHARACTERS, terms_of

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
        ("1\ufe0f\u20e3 😀", ["1"]),
    ],
)
def test_terms_of_text(text: str, terms: list[str]) -> None:
    """Folded, stemmed where English, cut in pairs where no spaces stand."""
    assert terms_of(text) == Counter(terms)


def test_long_run_of_letters_is_one_bounded_term() -> None:
    """No term is longer than the limit, however long the word."""
    assert terms_of("x" * 10_000) == Counter(["x" * MAX_TERM_CHARACTERS])


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
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
