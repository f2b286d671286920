"""What a candidate comes from: the least trusted turn that says it."""

import pytest

from sagacity.domain.cursor import Outcome
from sagacity.domain.memory import MemoryKind
from sagacity.learning.windows.result import WindowResult, attributed
from support.windows import FIRST_ID, candidate, turn, window

TURNS = {"User": None, "Assistant": None, "tool": None, "pasted": "web_page", "moved": "imported"}
RULE, FACT = MemoryKind.USER_PLAYBOOK, MemoryKind.PROFILE


@pytest.mark.parametrize(
    ("kind", "evidence", "origin", "is_unconfirmed"),
    [
        (RULE, (0,), "user", False),
        (RULE, (0, 1), "agent", False),
        (RULE, (1,), "agent", False),
        (RULE, (0, 1, 2), "tool", True),
        (RULE, (0, 3), "web_page", True),
        (RULE, (4,), "imported", True),
        (FACT, (1,), "agent", True),
        (FACT, (3,), "web_page", True),
        (FACT, (0, 2), "tool", False),
        (FACT, (4,), "imported", False),
    ],
)
def test_a_rule_of_low_trust_and_a_fact_that_no_person_said_wait(kind, evidence, origin, is_unconfirmed):
    turns = [turn(role, "Always do it.", origin=said) for role, said in TURNS.items()]
    read = WindowResult(None, window(*turns), Outcome.LEARNED)
    found = attributed(
        read, candidate("Do it.", kind=kind, evidence=[FIRST_ID + place for place in evidence])
    )
    assert (found.origin, found.is_unconfirmed) == (origin, is_unconfirmed)


def test_a_rule_that_a_tool_gave_waits_though_the_agents_turn_says_it():
    read = WindowResult(None, window(turn("Assistant", "Always do it.")), Outcome.LEARNED)
    found = attributed(read, candidate("Do it.", kind=RULE, evidence=[FIRST_ID], origin="tool"))
    assert (found.origin, found.is_unconfirmed) == ("tool", True)
