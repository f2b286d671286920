"""How to reach a user is in no profile, unless the tenant says so."""

import pytest

from sagacity.domain.change import Candidate
from sagacity.domain.extraction import Rejection
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import Extraction
from sagacity.learning.writing.contact_data import without_contact_data


def profile(content: str, slot: str = "") -> Candidate:
    return Candidate(kind=MemoryKind.PROFILE, content=content, slot=slot, evidence=(1,))


def left(*candidates: Candidate) -> tuple[tuple[Candidate, ...], dict[Rejection, int]]:
    """What stays of *candidates*, and how many were dropped, by why."""
    kept = without_contact_data(Extraction(candidates=candidates, method="rules"))
    return kept.candidates, kept.dropped


@pytest.mark.parametrize(
    "content",
    [
        "Email address is ana@example.org.",
        "Uses ana.b+c@mail.example.co.uk for work.",
        "Phone number is 030 1234567.",
        "Can be reached at +49 (30) 1234-567.",
        "User's mobile number is 555 123 4567.",
        "Home address is 12 Mill Road, Leeds.",
        "Lives at 12 Mill Road.",
    ],
)
def test_contact_data_is_left_out(content: str) -> None:
    """By its form, whoever proposes it."""
    assert left(profile(content)) == ((), {Rejection.CONTACT_DATA: 1})


def test_a_slot_says_so_too() -> None:
    """The rules name what they found."""
    assert left(profile("Is at the usual place.", "contact.address"))[0] == ()


@pytest.mark.parametrize(
    ("content", "slot"),
    [
        ("User prefers updates by SMS rather than e-mail.", "contact.channel"),
        ("User wants to be called after 18:00.", "contact.phone"),
    ],
)
def test_how_a_user_wants_to_be_reached_stays(content: str, slot: str) -> None:
    """It is a preference, whatever slot a model files it under."""
    assert left(profile(content, slot)) == ((profile(content, slot),), {})
    assert left(profile("Reach me at 555 123 4567.", slot))[0] == ()


@pytest.mark.parametrize(
    "content",
    [
        "Lives in Leeds.",
        "Was born on 2001-02-03.",
        "Has the user ID ana_5901.",
        "Follows @ana on social media.",
        "Phone is a Pixel 8.",
        "Started on 2026-01-02 at 10:00.",
        "Order number is 4711-0815-99.",
        "Runs 10 km in 50 minutes.",
    ],
)
def test_other_facts_stay(content: str) -> None:
    """Numbers and names are not contact data by themselves."""
    assert left(profile(content)) == ((profile(content),), {})


def test_rules_for_the_agent_stay() -> None:
    """Where a report goes is a rule that the user gave, not a fact about them."""
    rule = Candidate(
        kind=MemoryKind.USER_PLAYBOOK,
        content="Send the report to ana@example.org.",
        trigger="Reports",
        evidence=(1,),
    )
    assert left(rule) == ((rule,), {})
