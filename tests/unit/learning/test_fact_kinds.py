"""Which facts of a chat are semantic, and what telling them again does to them."""

import pytest

from sagacity.domain.change import Candidate
from sagacity.domain.graph import EntityMention, EntityType
from sagacity.domain.memory import MemoryKind
from sagacity.learning.windows.fact_kinds import is_of_the_world
from sagacity.learning.writing.apply import corroborated


def _fact(slot: str = "", content: str = "a fact", *people: str) -> Candidate:
    return Candidate(
        kind=MemoryKind.PROFILE,
        content=content,
        slot=slot,
        evidence=(1,),
        entities=tuple(EntityMention(name=one, entity_type=EntityType.PERSON) for one in people),
    )


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (_fact("relation.sister.home"), True),
        (_fact("project.apollo"), True),
        (_fact("location.home"), False),
        (_fact("work.boss", "User's boss is Sarah", "Sarah"), False),
        (_fact("", "User's sister Sarah lives in Oslo", "user", "Sarah"), True),
        (_fact("", "User met Sarah in Oslo", "user", "Sarah"), False),
        (_fact("", "Mag Tee", "user"), False),
        (_fact(), False),
    ],
)
def test_facts_of_others_are_told_from_those_of_the_user(fact, expected) -> None:
    """By what they answer; without a slot, by whom they name."""
    assert is_of_the_world(fact) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"), [(0.9, 0.9, 0.945), (0.6, 0.9, 0.93), (0.5, 0.0, 0.5), (1.0, 0.9, 1.0)]
)
def test_what_is_said_again_is_surer(one, other, expected) -> None:
    """More than either alone, never more than certain, and the order does not matter."""
    assert corroborated(one, other) == corroborated(other, one) == expected
