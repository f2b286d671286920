"""The user's own name in a question."""

from datetime import UTC, datetime

import pytest

from sagacity.domain.graph import USER, Entity, EntityId, EntityType
from sagacity.domain.ids import UserId
from sagacity.retrieval.query.own_name import by_pronoun, may_name_the_user, own_names

AT = datetime(2026, 3, 1, tzinfo=UTC)


def entity(name: str, *aliases: str) -> Entity:
    return Entity(
        entity_id=EntityId(1),
        user_id=UserId("u"),
        name=name,
        normalized_name=name.casefold(),
        entity_type=EntityType.PERSON,
        aliases=aliases,
        created_at=AT,
        updated_at=AT,
    )


def test_user_is_called_by_the_whole_and_the_first_name() -> None:
    """Nicknames are aliases too; without one there is nothing to replace."""
    assert own_names([entity(USER, "Priya Sharma", "Pri"), entity("Harrods")]) == (
        "Priya Sharma",
        "Priya",
        "Pri",
    )
    assert own_names([entity(USER)]) == ()
    assert own_names([entity("Priya")]) == ()


def test_name_that_another_bears_is_not_taken_for_the_users() -> None:
    """A sister of the same first name is asked about as herself."""
    assert own_names([entity(USER, "Anna Berg"), entity("Anna")]) == ("Anna Berg",)
    assert own_names([entity(USER, "Anna"), entity("Annette", "Anna")]) == ()


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Where does Priya work?", "Where does they work?"),
        ("What is Priya Sharma's job?", "What is their job?"),
        ("priya’s address", "their address"),
        ("Does Priyanka like tea?", "Does Priyanka like tea?"),
        ("Priya", "Priya"),
        ("Who is Priya Sharma?", "Who is Priya Sharma?"),
        ("Where is the office?", "Where is the office?"),
    ],
)
def test_name_becomes_a_pronoun(text: str, asked: str) -> None:
    """Whole words only, in any letter case."""
    assert by_pronoun(text, ("Priya Sharma", "Priya")) == asked
    assert by_pronoun(text, ()) == text


def test_name_with_signs_is_text_and_no_pattern() -> None:
    """What users call themselves is not run."""
    assert by_pronoun("Where does J. (R work?", ("J. (R",)) == "Where does they work?"
    assert by_pronoun("Where does A+ work?", ("A.*",)) == "Where does A+ work?"


def test_questions_without_a_name_look_nothing_up() -> None:
    """Most have none."""
    assert may_name_the_user("Where does Priya work?")
    assert not may_name_the_user("Where does she work?")
