"""Which words carry a question, are quoted, name its topic or are excluded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.retrieval.query.words import keywords_of, negated_in, phrases_of, topics_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where does Sarah work?", ("sarah", "work")),
        ("What's the AI model on my TV?", ("ai", "model", "tv")),
        ("Did I go to the US?", ("go", "us")),
        ("Can you tell us more?", ("tell",)),
        ("Sarah’s dog and Sarah's cat", ("sarah", "dog", "cat")),
        ("I don't like it, isn't it?", ("like",)),
        ("mysql user_name", ("mysql", "user", "name")),
        ("我住在东京", ("我住", "住在", "在东", "东京")),
        ("猫", ("猫",)),
        ("iPhone手机", ("iphone", "手机")),
        ("Где работает Анна?", ("где", "работает", "анна")),
        ("أين تعمل سارة؟", ("أين", "تعمل", "سارة")),
        ("मेरी किताब", ("मेरी", "किताब")),
        ("Wo arbeitet meine Schwester?", ("arbeitet", "schwester")),
        ("the of and", ()),
        ("?! 🎉", ()),
    ],
)
def test_keywords_carry_the_question(text: str, expected: tuple[str, ...]) -> None:
    """Lower case, in order, short words and every script included."""
    assert keywords_of(text) == expected


def test_keywords_are_at_most_fifteen_different_ones() -> None:
    """The contract's number."""
    assert keywords_of(" ".join(f"w{n} w{n}" for n in range(40))) == tuple(f"w{n}" for n in range(15))


@given(st.text(max_size=200))
def test_keywords_occur_in_the_text(text: str) -> None:
    """Nothing is made up, in any script."""
    found = keywords_of(text)
    assert len(set(found)) == len(found) <= 15
    assert all(word in text.replace("_", " ").lower() for word in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Did I finish 'Sapiens'?", ("Sapiens",)),
        ("'The Crown' or “Game of Thrones”?", ("The Crown", "Game of Thrones")),
        ('He said "don\'t stop" and "go"', ("don't stop", "go")),
        ("'Don't Look Up', please", ("Don't Look Up",)),
        ("„Der Prozess“ und «Candide»", ("Der Prozess", "Candide")),
        ("Sarah's dog and Tom's cat", ()),
        ('an open " mark', ()),
        ('""', ()),
    ],
)
def test_quoted_phrases_are_found_as_written(text: str, expected: tuple[str, ...]) -> None:
    """An apostrophe is no quotation mark."""
    assert phrases_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did I say about my garden?", ("garden",)),
        ("Tell me about front-end development and more", ("front-end development",)),
        ("regarding the Vienna trip, what is left?", ("vienna trip",)),
        ("What about it?", ()),
        ("all about 'Dune'", ("dune",)),
    ],
)
def test_topics_are_phrases_and_what_follows_about(text: str, expected: tuple[str, ...]) -> None:
    """One or two words that carry something."""
    assert tuple(topic for topic in topics_of(text, phrases_of(text)) if topic) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A recipe without nuts or dairy", ("nuts", "dairy")),
        ("A recipe without nuts, but with cream", ("nuts",)),
        ("Restaurants other than Luigi's and bars", ("luigi",)),
        ("Which cities except Rome did I visit?", ("rome", "visit")),
        ("A place that is not Italian", ("italian",)),
        ("Anyone besides Anna?", ("anna",)),
        ("Ein Rezept ohne Nüsse", ("nüsse",)),
        ("Why did I not go to Paris?", ()),
        ("I would not say so", ()),
        ("not only Rome", ()),
        ("a knot in the note", ()),
        ("without", ()),
    ],
)
def test_excluded_words_are_those_in_the_clause(text: str, expected: tuple[str, ...]) -> None:
    """A few words after the exclusion; a negated verb excludes nothing."""
    assert negated_in(text) == expected
