"""Which facts of a chat are semantic, and what telling them again does to them."""

import pytest

from sagacity.domain.change import Candidate
from sagacity.domain.graph import RelationshipMention
from sagacity.domain.memory import MemoryKind
from sagacity.learning.windows.fact_kinds import is_of_the_world
from sagacity.learning.writing.apply import corroborated


def _fact(slot: str = "", *ties: tuple[str, str]) -> Candidate:
    return Candidate(
        kind=MemoryKind.PROFILE,
        content="a fact",
        slot=slot,
        evidence=(1,),
        relationships=tuple(
            RelationshipMention(source=one, target=other, relationship_type="knows") for one, other in ties
        ),
    )


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (_fact("relation.sister.home"), True),
        (_fact("project.apollo"), True),
        (_fact("location.home"), False),
        (_fact("work.employer", ("Acme", "Oslo")), False),
        (_fact("", ("Sarah", "Acme")), True),
        (_fact("", ("Sarah", "user")), False),
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
