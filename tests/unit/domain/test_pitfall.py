"""How a pitfall stands behind its rule."""

import pytest

from sagacity.domain.memory import pitfall_note


@pytest.mark.parametrize(
    ("pitfall", "note"),
    [
        (None, ""),
        ("  ", ""),
        ("suggesting hotels", "(avoid: suggesting hotels)"),
        ("no tests", "(avoid: no tests)"),
        ("Do not search by name.", "(Do not search by name.)"),
        ("Keine Hotels vorschlagen.", "(Keine Hotels vorschlagen.)"),
        ("Never, ever, guess.", "(Never, ever, guess.)"),
    ],
)
def test_a_prohibition_is_not_avoided(pitfall, note) -> None:
    """What begins as one stands as it is: "avoid: do not" says the opposite."""
    assert pitfall_note(pitfall) == note
