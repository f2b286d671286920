"""What users state becomes a question that does not say its answer; what they ask, order or paste does not."""

import math
from pathlib import Path

import pytest

from sagacity.domain.errors import InvalidInput
from sagacity.quality.ir_metrics import paired_interval, share_interval
from sagacity.quality.questions import question_of
from sagacity.quality.report import Saved, read_saved


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("My favourite band is Khruangbin.", "What is my favourite band?"),
        ("Hi there! By the way, I'm allergic to peanuts and walnuts.", "What am I allergic to?"),
        ("I work as a nurse at St Thomas' Hospital.", "Where do I work as a nurse?"),
        (
            "We bought a red canoe for the regatta in Lyon.",
            "What was it that I bought for the regatta in Lyon?",
        ),
        ("Ich spiele jeden Dienstag Schach im Verein am Hafen.", "spiele jeden Dienstag?"),
        ("i play sunday league football as a goalkeeper", "play sunday league?"),
    ],
)
def test_a_statement_becomes_a_question(said: str, asked: str) -> None:
    found = question_of(said)
    assert found is not None
    assert found.text == asked
    assert found.statement in said


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Thanks a lot!",
        "Where should I buy a red canoe for the regatta?",
        "If I lived in Lyon I would buy a canoe.",
        "The river is wide and deep in spring.",
        "```\nmy value is stored in this register here\n```",
        "a " * 50_000,
        "\x00" * 100 + "()[]{}" * 1_000,
    ],
    ids=range(8),
)
def test_what_states_nothing_becomes_no_question(said: str) -> None:
    assert question_of(said) is None


def test_intervals_hold_what_they_say() -> None:
    """Wilson's has a width where all is right, and differences of pairs need no spread of their own."""
    assert share_interval([1.0] * 30) == (pytest.approx(30 / (30 + 1.96**2)), 1.0)
    assert share_interval([0, 1] * 50) == (pytest.approx(0.4038, abs=1e-4), pytest.approx(0.5962, abs=1e-4))
    assert paired_interval([0.2, 0.9], [0.1, 0.8]) == (
        pytest.approx(-0.1),
        pytest.approx(-0.1),
        pytest.approx(-0.1),
    )
    mean, low, high = paired_interval([1, 1, 1, 1], [0, 1, 1, 1])
    assert (mean, high) == (-0.25, pytest.approx(-0.25 + 1.96 * 0.25))
    assert math.isclose(low + high, 2 * mean)


@pytest.mark.parametrize(
    "changed",
    ['"limit": 0', '"ranking": "best"', '"surplus": 1', '"user_id": "a\\u0000b"', '"format": "other"', "]"],
)
def test_a_file_that_nobody_saved_is_refused(tmp_path: Path, changed: str) -> None:
    """With what is wrong, and without its content."""
    whole = '{"at": "2026-05-01T10:00:00Z", "org_id": "a", "seed": 1, "limit": 9, "ranking": "rrf", "embedder": "", '
    file = tmp_path / "file.json"
    file.write_text(f'{whole}"outcomes": []}}')
    assert isinstance(read_saved(file), Saved)
    file.write_text(f'{whole}"outcomes": [], {changed}}}')
    with pytest.raises(InvalidInput, match=r"file\.json") as refused:
        read_saved(file)
    assert "best" not in str(refused.value)
    with pytest.raises(InvalidInput):
        read_saved(tmp_path)
