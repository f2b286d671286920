"""Texts that contain others are found without comparing all."""

import pytest

from sagacity.learning.deduplication.containment import Wholes, contains

TEXTS = (
    "Likes tea.",
    "Likes tea, and coffee.",
    "The user's favourite drink is tea.",
    "Works as a senior engineer at Siemens.",
    "Lives in Munich since 10:30, and likes it there very much indeed every day of the week.",
    "Has a dog named Rex, who is old.",
    "Uses pnpm, not npm.",
    "",
)


@pytest.mark.parametrize(
    "part",
    [
        "Likes tea.",
        "Has a dog",
        "Works as an engineer.",
        "Uses pnpm.",
        "Lives in Munich since 10:30.",
        "Lives in Munich since 10:30, and likes it there very much indeed",
        "Likes cake.",
        "",
    ],
)
def test_the_first_that_contains_a_text_is_found(part: str) -> None:
    """The same as if each were asked."""
    expected = next((place for place, text in enumerate(TEXTS) if contains(text, part)), None)
    assert Wholes(TEXTS).first_with(part) == expected


def test_most_of_these_are_contained_somewhere() -> None:
    """So that the test above looks at each way to contain a text."""
    found = [
        Wholes(TEXTS[1:]).first_with(part) for part in ("Likes tea.", "Works as an engineer.", "Has a dog")
    ]
    assert found == [0, 2, 4]
    assert Wholes(TEXTS[2:3]).first_with("Likes tea.") == 0
