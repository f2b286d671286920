"""What the demo plays, and how it quotes."""

from pathlib import Path

import pytest

from sagacity.cli.demo.conversations import data_folder, load_script
from sagacity.cli.demo.draw import QUOTE_CHARACTERS, best_sentence
from sagacity.cli.demo.story import still_said
from sagacity.domain.errors import InvalidInput


def test_script_holds_the_example_conversations() -> None:
    """Several users of support, one who changes their mind, and questions with their evidence."""
    script = load_script(data_folder(None))
    users = {talk.user_id for talk in script.first}
    assert {"priya", "marcus", "elena", "raj", "jo", "user-1"} <= users
    assert {talk.user_id for talk in script.later} == {"jo"}
    assert {question.user_id for question in script.questions} == {"user-1", "user-2", "user-3"}
    for question in script.questions:
        said = {
            turn["content"]
            for talk in script.first
            if talk.user_id == question.user_id
            for turn in talk.turns
        }
        assert question.evidence
        assert question.evidence <= said


def test_tool_calls_are_published_with_their_results() -> None:
    """What the agent did belongs to the evidence."""
    script = load_script(data_folder(None))
    used = [call for talk in script.first for turn in talk.turns for call in turn.get("tools_used", [])]
    assert any(call["tool_name"] == "check_order_status" and call["tool_data"]["output"] for call in used)


def test_missing_data_is_said(tmp_path: Path) -> None:
    """A folder without the conversations is named as the mistake it is."""
    with pytest.raises(InvalidInput, match="--data"):
        data_folder(tmp_path)


def test_broken_data_is_said(tmp_path: Path) -> None:
    """A folder with other files in it does not end in a traceback."""
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "x.yaml").write_text("participants: 3")
    with pytest.raises(InvalidInput, match="cannot be used"):
        load_script(data_folder(tmp_path))


@pytest.mark.parametrize(
    ("content", "quotes", "sentence"),
    [
        ("Lives in Lyon.", ["Hi! I live in Lyon. It rains."], "I live in Lyon."),
        ("Has a cat.", ["No pets.", "I do have a cat, Momo."], "I do have a cat, Momo."),
        ("Has a neighbor.", ["I met my neighbor Mrs. Johnson. Fine."], "I met my neighbor Mrs. Johnson."),
        ("Anything.", [], ""),
    ],
)
def test_quote_is_the_sentence_that_says_it(content: str, quotes: list[str], sentence: str) -> None:
    """Of long turns only the words that matter are shown."""
    assert best_sentence(content, quotes) == sentence


def test_what_was_made_more_precise_did_not_end() -> None:
    """Only what a newer memory contradicts is shown as past."""
    holds = {"Works as a junior developer at NovaTech.", "Lives in Austin, Texas."}
    assert still_said("Works as a developer at NovaTech.", holds)
    assert still_said("Lives in Austin, Texas.", holds)
    assert not still_said("Lives in San Francisco.", holds)


def test_long_quote_is_cut() -> None:
    """A sentence without end does not fill the screen."""
    assert len(best_sentence("x", ["x " * 500])) <= QUOTE_CHARACTERS
