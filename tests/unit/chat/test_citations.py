"""Citations leave the text while it streams, wherever its pieces end."""

import pytest

from sagacity.chat.citations import CitationReader
from sagacity.domain.chat import Use

SHOWN = (
    Use(citation="p:7", kind="profile", item_id="uid-7"),
    Use(citation="i:12", kind="interaction", item_id="12"),
)


def read(text: str, size: int) -> tuple[str, CitationReader, list[str]]:
    """What is shown of *text* when it comes in pieces of *size* characters."""
    reader = CitationReader(SHOWN)
    shown = [reader.read(text[start : start + size]) for start in range(0, len(text), size)]
    shown.append(reader.finish())
    return "".join(shown), reader, shown


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize(
    ("text", "plain", "cited", "unknown"),
    [
        ("You avoid peanuts [p:7].", "You avoid peanuts.", [("p:7", 17)], 0),
        ("You said so [p:7][i:12].", "You said so.", [("p:7", 11), ("i:12", 11)], 0),
        ("Both [p:7, i:12] hold.", "Both hold.", [("p:7", 4), ("i:12", 4)], 0),
        ("Rain [p:99] falls.", "Rain falls.", [], 1),
        ("A list [1] and [x] stay.", "A list [1] and [x] stay.", [], 0),
        ("An open [p:7", "An open [p:7", [], 0),
        ("Ends [", "Ends [", [], 0),
        ("[p:7] first", " first", [("p:7", 0)], 0),
        ("Zwölf Äpfel 🍎 [p:7]", "Zwölf Äpfel 🍎", [("p:7", 13)], 0),
        ("", "", [], 0),
    ],
)
def test_sources_are_taken_out_and_checked(
    text: str, plain: str, cited: list[tuple[str, int]], unknown: int, size: int
) -> None:
    """The place of each counts the characters before it; what was not shown to the model is counted."""
    shown, reader, _ = read(text, size)
    assert shown == plain
    assert [(one.citation, one.offset) for one in reader.cited] == cited
    assert reader.unknown == unknown


def test_little_is_held_back() -> None:
    """Only what may still become a citation waits; a bracket that stays open does not hold up the rest."""
    reader = CitationReader(SHOWN)
    assert reader.read("Hello") == "Hello"
    assert reader.read(" there [") == " there"
    assert reader.read("p:7] you") == " you"
    assert len(reader.read("[" + "x" * 500)) > 300
