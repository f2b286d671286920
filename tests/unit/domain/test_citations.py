"""Citations leave the text while it streams, wherever its pieces end."""

import pytest

from sagacity.domain.chat import AnswerSource
from sagacity.domain.citations import CitationReader

SHOWN = (
    AnswerSource(citation="p:7", kind="profile", item_id="uid-7"),
    AnswerSource(citation="i:12", kind="interaction", item_id="12"),
)


CODE = "So: [p:7]\n```\nreturn xs[n:10] + s[i:12]; m[p:7][i:12]\n```\nas `s[i:12]` [i:12]"
SHOWN_CODE = "So:\n```\nreturn xs[n:10] + s[i:12]; m[p:7][i:12]\n```\nas `s[i:12]`"


def read(text: str, size: int) -> tuple[str, CitationReader, list[str]]:
    """What is shown of *text* when it comes in pieces of *size* characters."""
    reader = CitationReader(SHOWN)
    shown = [reader.read(text[start : start + size]) for start in range(0, len(text), size)]
    shown.append(reader.finish())
    return "".join(shown), reader, shown


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize(
    ("text", "plain", "cited"),
    [
        ("You avoid peanuts [p:7].", "You avoid peanuts.", [("p:7", 17)]),
        ("You said so [p:7][i:12].", "You said so.", [("p:7", 11), ("i:12", 11)]),
        ("Both [p:7, i:12] hold.", "Both hold.", [("p:7", 4), ("i:12", 4)]),
        ("Rain [p:99] falls.", "Rain falls.", []),
        ("It rains.[p:99][f:3] Yes.", "It rains. Yes.", []),
        ("Peanuts **never**[p:7].", "Peanuts **never**.", [("p:7", 17)]),
        ("他对花生过敏[p:7]。", "他对花生过敏。", [("p:7", 6)]),
        ("return xs[n:10] + s[i:5]", "return xs[n:10] + s[i:5]", []),
        ("`m[p:7][i:12]` and `f(x)[i:12]` [i:12]", "`m[p:7][i:12]` and `f(x)[i:12]`", [("i:12", 31)]),
        ("You avoid peanuts[p:7], not plums[p:99].", "You avoid peanuts, not plums[p:99].", [("p:7", 17)]),
        ("a `[x:5]` and xs[x:7] and f(x)[Q:2]", "a `[x:5]` and xs[x:7] and f(x)[Q:2]", []),
        ("Rain [Q:7] falls [b:2, p:7].", "Rain falls.", [("p:7", 10)]),
        ("You avoid peanuts [P:7].", "You avoid peanuts.", [("p:7", 17)]),
        (
            "You avoid peanuts [p7], said so [I: 12].",
            "You avoid peanuts, said so.",
            [("p:7", 17), ("i:12", 26)],
        ),
        ("Both [p:7 and i:12] hold.", "Both hold.", [("p:7", 4), ("i:12", 4)]),
        (
            "Both [p:7], [i:12]; all [p:7] and [i:12].",
            "Both; all.",
            [("p:7", 4), ("i:12", 4), ("p:7", 9), ("i:12", 9)],
        ),
        ("Both [p:7 i:12 & p:99], and [i:12].", "Both.", [("p:7", 4), ("i:12", 4), ("i:12", 4)]),
        ("All [p:1-p:9], [i:3–40].", "All.", [("p:7", 3), ("i:12", 3)]),
        ("None [p:1 - p:3].", "None.", []),
        (
            "Peanuts (p:7), see (i:5) or f(p:7) or (p7).",
            "Peanuts, see (i:5) or f(p:7) or (p7).",
            [("p:7", 7)],
        ),
        ("Tea.\n\n**Sources:** [p:7], [i:12]", "Tea.\n\n", [("p:7", 6), ("i:12", 6)]),
        ("Sources: none.\nSo it is [p:7], it seems.", "Sources: none.\nSo it is, it seems.", [("p:7", 23)]),
        ("So [[p:7]], [Source: p:7] (see [i:12]).", "So.", [("p:7", 2), ("p:7", 2), ("i:12", 2)]),
        (
            "So **[p:7]** and **so** ([p:7], [i:12]) (see above)",
            "So and **so** (see above)",
            [("p:7", 2), ("p:7", 13), ("i:12", 13)],
        ),
        (f"Many [{', '.join(['p:7'] * 40)}].", "Many.", [("p:7", 4)] * 40),
        ("Peanuts [p:7] and plums, or [p:7]", "Peanuts and plums, or", [("p:7", 7), ("p:7", 21)]),
        ("Turn [A1] and xs[i12] and `[p7]`", "Turn [A1] and xs[i12] and `[p7]`", []),
        ("'[a:1]' stays, so [p:7]['[a:1]']", "'[a:1]' stays, so['[a:1]']", [("p:7", 17)]),
        ("A list [1] and [x] stay.", "A list [1] and [x] stay.", []),
        ("An open [p:7", "An open [p:7", []),
        ("Ends [", "Ends [", []),
        ("[p:7] first", " first", [("p:7", 0)]),
        ("Zwölf Äpfel 🍎 [p:7]", "Zwölf Äpfel 🍎", [("p:7", 13)]),
        ("", "", []),
    ],
)
def test_sources_are_taken_out_and_checked(
    text: str, plain: str, cited: list[tuple[str, int]], size: int
) -> None:
    """The place of each counts the characters before it; what was not shown to the model is dropped, and code stays."""
    shown, reader, _ = read(text, size)
    assert shown == plain
    assert [(one.citation, one.offset) for one in reader.cited] == cited


def test_code_is_the_same_wherever_it_is_cut() -> None:
    """What came in another piece counts as much."""
    for place in range(1, len(CODE)):
        reader = CitationReader(SHOWN)
        assert reader.read(CODE[:place]) + reader.read(CODE[place:]) + reader.finish() == SHOWN_CODE
        assert [(one.citation, one.offset) for one in reader.cited] == [("p:7", 3), ("i:12", len(SHOWN_CODE))]


def test_little_is_held_back() -> None:
    """Only what may still become a citation waits; a bracket that stays open does not hold up the rest."""
    reader = CitationReader(SHOWN)
    assert reader.read("Hello") == "Hello"
    assert reader.read(" there [") == " there"
    assert reader.read("p:7] you") == " you"
    assert reader.read(" [text") == " [text"
    assert reader.read(" (then") == " (then"
    assert len(reader.read("[" + "x" * 500)) > 300
