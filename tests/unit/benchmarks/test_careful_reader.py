"""The replayed reader answers from the turns and memories that a prompt shows, and from nothing else."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from learning.careful_reader import Scenario, Turn, answer, drafts, load, says, verdicts

ANSWERS = sorted(Path(__file__).parents[3].joinpath("benchmarks/learning/answers").glob("*.yaml"))
AT = datetime(2026, 1, 1, tzinfo=UTC)
OLD = {"content": "User lives in Boston.", "ends": []}
NEW = {"content": "User lives in Austin.", "ends": ["lives in boston!no longer"]}
SCENARIO = Scenario(
    name="move",
    user_id="anna",
    sessions=(
        (Turn("User", "I live in Boston.", AT, (OLD,)), Turn("User", "I moved to Austin.", AT, (NEW,))),
    ),
    expected=(),
    stale=(),
)
PROMPT = """Remembered already:

K1 (said 2026-01-01) User lives in Boston.
K2 (said 2026-01-01) User no longer lives in Boston.

EARLIER
[#1 user 00:00] I live in Boston.
NEW
[#2 user 00:00] I moved to Austin.
"""
ITEMS = """The facts:

N1 (new, said 2026-01-01 00:00, resembles E1, E2)
    says: User lives in Austin.
E1 (remembered, said 2026-01-01 00:00)
    says: User lives in Boston.
E2 (remembered, said 2026-01-01 00:00)
    says: User likes tea.
"""


def test_a_pattern_asks_for_words_and_forbids_some() -> None:
    """`a+b!c`: both of the first, at the beginnings of words, and not the last."""
    assert says("Wohnt in Nürnberg, seit März", ["nurnberg+seit"])
    assert not says("No longer lives in Boston", ["lives+boston!no longer"])
    assert says("Likes tea", ["coffee", "tea"])
    assert not says("Likes tea", [])


def test_only_turns_that_are_new_teach() -> None:
    """The number is the prompt's own, and what a note ends are the labels beside the memories it fits."""
    assert drafts(SCENARIO, PROMPT, "facts") == [
        {"content": "User lives in Austin.", "evidence": [2], "ends": ["K1"]}
    ]
    assert drafts(SCENARIO, PROMPT, "rules") == []


def test_what_a_later_new_turn_ends_is_not_noted() -> None:
    """As the prompts ask; what ends it is noted with no label, as it ends nothing that was remembered."""
    both = (
        PROMPT.split("\nK1", maxsplit=1)[0]
        + "\nNEW\n[#1 user 00:00] I live in Boston.\n[#2 user 00:00] I moved to Austin.\n"
    )
    assert drafts(SCENARIO, both, "facts") == [{**NEW, "evidence": [2], "ends": []}]


def test_of_two_that_exclude_one_another_either_may_be_the_new_one() -> None:
    """Which of them holds is not for the reader to say."""
    wanted = [{"item": "N1", "reason": "as noted", "action": "replace", "targets": ["E1"]}]
    assert verdicts(SCENARIO, ITEMS) == wanted
    swapped = ITEMS.replace("Austin", "X").replace("Boston", "Austin").replace("X", "Boston")
    assert verdicts(SCENARIO, swapped) == wanted


def test_a_prompt_for_which_nothing_was_noted_has_no_answer() -> None:
    """So that a new kind of prompt does not pass unseen."""
    assert answer(SCENARIO, PROMPT, {"poem"}) is None
    assert answer(SCENARIO, PROMPT, {"profiles", "playbooks"}) == {
        "profiles": drafts(SCENARIO, PROMPT, "facts"),
        "playbooks": [],
    }


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
def test_what_is_expected_was_noted(path: Path) -> None:
    """Each pattern of a scenario fits something in it, turns are told apart by how they begin, and time is given."""
    scenario = load(path)
    noted = [
        f"{note.get('trigger', '')} {note['content']}"
        for turn in scenario.turns
        for note in (*turn.facts, *turn.rules)
    ]
    patterns = [*scenario.stale, *(one.pattern for one in scenario.expected)]
    assert [pattern for pattern in patterns if not any(says(text, [pattern]) for text in noted)] == []
    assert all(any(one.source in turn.text for turn in scenario.turns) for one in scenario.expected)
    assert len({turn.head for turn in scenario.turns}) == len(scenario.turns)
    assert all(turn.at.tzinfo is not None for turn in scenario.turns)
