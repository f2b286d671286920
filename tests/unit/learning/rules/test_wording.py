"""Words put into the third person and into shape."""

import pytest

from sagacity.learning.rules.wording import conjugate, finish, keywords, shorten, slug, third_person, trim


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("my brother and me", "their brother and them"),
        ("what I'm doing", "what they are doing"),
        ("our CI", "their CI"),
        ("the US", "the US"),
        ("a Tiger I tank", "a Tiger I tank"),
        ("i.e. my way", "i.e. their way"),
        ("me@example.org", "me@example.org"),
        ("mine", "theirs"),
    ],
)
def test_third_person(said: str, told: str) -> None:
    """Only pronouns of the speaker change."""
    assert third_person(said) == told


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("go", "goes"),
        ("try", "tries"),
        ("play", "plays"),
        ("have", "has"),
        ("watch", "watches"),
        ("wake up", "wakes up"),
    ],
)
def test_conjugate(verb: str, form: str) -> None:
    """The third person singular, irregular ones too."""
    assert conjugate(verb) == form


def test_finish_makes_a_sentence() -> None:
    """Capital, full stop, the right article, no trailing aside."""
    assert finish("has a old bike, by the way") == "Has an old bike."
    assert finish("  ") == ""


def test_trim_keeps_the_phrase() -> None:
    """Asides at the end go, words inside stay."""
    assert trim("tea  or coffee right now") == "tea or coffee"
    assert trim("chickpeas tbh") == "chickpeas"


def test_shorten_cuts_at_a_word() -> None:
    """Never longer than asked, never inside a word."""
    assert shorten("one two three four", 12) == "one two\u2026"
    assert shorten("one two", 12) == "one two"


def test_keywords_are_few_and_distinctive() -> None:
    """Small words are left out, order is kept."""
    assert keywords("Lives in Austin, Texas.") == ("austin", "texas")
    assert slug("the Red wine") == "red_wine"
