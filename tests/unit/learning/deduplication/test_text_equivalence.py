"""Which texts say the same, more, or the opposite."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.learning.deduplication.text_equivalence import (
    covers,
    denies,
    is_about,
    normalised,
    read,
    same_words,
    shares_cognate,
    shares_word,
)

SAME_TEXT = [
    ("User lives in Lyon.", "the user  LIVES in lyon"),
    ("Lives in Lyon.", "User lives in Lyon"),
    ("Likes “green” tea!", "likes green tea"),
    ("我住在北京。", "我住在北京"),
    ("Doesn\u2019t eat fish", "doesn't eat fish"),
]
OTHER_TEXT = [
    ("prefers C", "prefers C++"),
    ("prefers C", "prefers C#"),
    ("waits 3.5 hours", "waits 35 hours"),
    ("stores it at -5 degrees", "stores it at 5 degrees"),
    ("likes 🐶", "likes 🐱"),
    ("pays in $", "pays in €"),
    ("喜欢鱼", "不喜欢鱼"),
    ("lives in Lyon", "lived in Lyon"),
]


@pytest.mark.parametrize(("one", "other"), SAME_TEXT)
def test_wording_that_does_not_matter(one, other):
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(("one", "other"), OTHER_TEXT)
def test_signs_that_do_matter(one, other):
    assert normalised(one) != normalised(other)


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ("User lives in Lyon", "The user is living in Lyon"),
        ("User loves green tea", "User likes green tea"),
        ("User lives in Lyon with two cats", "User lives in Lyon"),
        ("Never eats fish", "Does not eat fish"),
    ],
)
def test_one_covers_the_other(whole, part):
    assert covers(whole, part)


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ("User lives in Lyon", "User lives in Lyon with two cats"),
        ("The sister of the user is Ana", "The sister of the user is Anna"),
        ("Takes the pill at 8", "Takes the pill at 9"),
        ("Moved from Paris to Lyon", "Moved from Lyon to Paris"),
        ("Run the tests before the merge", "Run the tests after the merge"),
        ("Eats fish", "Does not eat fish"),
        ("Likes coffee", "Dislikes coffee"),
        ("Has no cats and no dogs", "Has cats and no dogs"),
        ("Works at Globex", "Worked at Globex"),
        ("takes metformin", "takes methotrexate"),
        ("住在北京", "住在上海"),
        ("anything", "the user"),
    ],
)
def test_one_does_not_cover_the_other(whole, part):
    assert not covers(whole, part)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs", "Don't use tabs"),
        ("Use tabs", "Never use tabs"),
        ("Use tabs", "Avoid using tabs"),
        ("Always use tabs", "Do not use tabs"),
        ("Lives in Paris", "No longer lives in Paris"),
        ("Lives in Paris", "Used to live in Paris"),
        ("Is vegan", "Is not vegan"),
        ("喜欢鱼", "不喜欢鱼"),
        ("Mag Fisch", "Mag keinen Fisch"),
    ],
)
def test_one_denies_the_other(one, other):
    assert denies(one, other)
    assert denies(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs", "Use spaces"),
        ("Never use tabs", "Don't use tabs"),
        ("Use tabs", "Do not use spaces"),
        ("", "not"),
    ],
)
def test_one_does_not_deny_the_other(one, other):
    assert not denies(one, other)


def test_same_words():
    assert same_words("Lives in Lyon.", "User is living in Lyon")
    assert not same_words("Lives in Lyon", "Lives in Lyon near the park")
    assert not same_words("Eats fish", "Does not eat fish")
    assert not same_words("the user", "a user")


def test_topics():
    assert is_about("No longer eats fish", "Likes fish")
    assert not is_about("No longer eats fish", "Likes beef")
    assert shares_word("No longer lives in Berlin, moved out", "Has a flat in Berlin")
    assert not shares_word("No longer works at Globex", "Works at Initech")


def test_cognates_are_words_of_two_languages_that_begin_alike() -> None:
    """Accents and endings aside; a few letters in common are not enough."""
    assert shares_cognate("Is not vegetarian.", "Régime : végétarienne.")
    assert shares_cognate("Ernährt sich nicht mehr so: vegan.", "Est végane.")
    assert not shares_cognate("Is not vegan.", "Régime : végétarienne.")
    assert not shares_cognate("Has a cat.", "Tiene una casa.")


@given(st.text(), st.text())
def test_any_text_can_be_compared(one, other):
    assert denies(one, other) == denies(other, one)
    assert is_about(one, other) == is_about(other, one)
    assert not denies(one, one)


@pytest.mark.parametrize("take_apart", [read, normalised])
def test_what_is_short_is_taken_apart_once(take_apart):
    """A memory is compared with each candidate of its slot; long texts are not kept for that."""
    short, long = "Lives in the north of Lyon", "Lives in Lyon " * 200
    assert take_apart(short) is take_apart(short)
    assert take_apart(long) is not take_apart(long)
    assert take_apart(long) == take_apart(long)
