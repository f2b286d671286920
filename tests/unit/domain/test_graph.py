"""Names as they are kept, compared, and looked for in text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.graph import (
    MAX_NAME_CHARACTERS,
    EntityMention,
    RelationshipMention,
    clean_name,
    names_within,
    normalized,
    relation_word,
)
from sagacity.domain.ids import MAX_KEY_BYTES


@given(st.text(max_size=600))
def test_any_text_becomes_a_name_that_stays_one(text):
    """One line, bounded, storable, and the same when it is cleaned again."""
    name = clean_name(text)
    assert len(name) <= MAX_NAME_CHARACTERS
    assert clean_name(name) == name
    assert "\n" not in name
    assert "\x00" not in name
    assert len(normalized(text).encode()) <= MAX_KEY_BYTES
    assert normalized(normalized(text)) == normalized(text)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ana  Silva", "ANA silva"),
        ("Straße", "STRASSE"),
        ("\uff21na", "Ana"),
        ("Jose\u0301", "José"),
        ("Ana\u202e", "ana"),
    ],
)
def test_names_that_look_alike_are_the_same(first, second):
    """Case, spacing, width, composition and what is not seen make no difference."""
    assert normalized(first) == normalized(second)


def test_emoji_and_persian_keep_their_joiners():
    """A family is one sign, and a joiner in Persian is spelling."""
    assert clean_name("👩‍👩‍👧") == "👩‍👩‍👧"
    assert clean_name("می‌خواهم") == "می‌خواهم"


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("Works at", "works_at"),
        ("sister-of", "sister_of"),
        (" KNOWS! ", "knows"),
        ("住在", "住在"),
        ("--", ""),
    ],
)
def test_words_of_relationships_are_written_one_way(said, word):
    """Lower case with underscores, in any script."""
    assert relation_word(said) == word
    assert RelationshipMention(source="a", target="b", relationship_type=said).relationship_type == word


def test_names_within_a_text_are_runs_of_words():
    """Up to five in a row, each once; asked for as names, none that begins in lower case."""
    found = names_within("My sister Ana Silva-Costa moved to São Paulo")
    assert {"ana silva-costa", "são paulo", "my sister", "moved"} <= set(found)
    assert len(found) == len(set(found))
    named = names_within("My sister Ana Silva-Costa moved to São Paulo", as_names=True)
    assert "ana silva-costa" in named
    assert "são paulo" in named
    assert "moved" not in named
    assert "安娜" in names_within("我妹妹安娜在西门子工作", as_names=True)
    assert "안나" in names_within("내 여동생 안나는", as_names=True)
    assert len(names_within("安" * 9_999)) <= 2_000
    assert len(names_within("word " * 9 + " ".join(f"W{n}" for n in range(9_999)))) == 2_000


def test_a_mention_is_cleaned():
    """Whatever a model calls someone."""
    assert EntityMention(name=" Ana\n\tSilva ").name == "Ana Silva"
