"""What a user asks to have remembered is kept, also where no table has a row for it."""

import pytest

from sagacity.learning.rules.instructions import instructions
from sagacity.learning.rules.profile import facts

KEPT = [
    ("Remember that my locker is number 44.", "Their locker is number 44."),
    ("Please remember: the garage code is on the fridge.", "The garage code is on the fridge."),
    ("Please remember that I park on level 3.", "They park on level 3."),
    ("Please keep in mind that my knee is still recovering.", "Their knee is still recovering."),
    ("Don't forget that Ben picks up our kids on Tuesdays.", "Ben picks up their kids on Tuesdays."),
    ("Could you remember that our cleaning lady comes on Fridays?", "Their cleaning lady comes on Fridays."),
    ("Thanks! Remember that we always close at 6 on Sundays.", "They always close at 6 on Sundays."),
]
READ_BY_ROWS = [
    ("Remember that my dog hates thunder.", "Has a dog who hates thunder."),
    ("Remember: I never fly on Mondays.", "Never flies on Mondays."),
    ("Please remember that I prefer tea.", "Prefers tea."),
    ("I told you I don't eat meat.", "Does not eat meat."),
    ("I already told you that I live in Bonn.", "Lives in Bonn."),
    ("Like I said, I'm vegan.", "Is vegan."),
]
NOTHING = [
    "Remember that you promised.",
    "Remember that this is a test.",
    "Remember that time we went to Rome?",
    "Keep in mind that it rains.",
    "Remember to use tabs.",
    "Do you remember that my locker was number 44?",
    "We need a parser. Remember that the list may be empty.",
    "If we remember that my locker is number 44, all is well.",
    "Tom said: remember that my locker is number 44.",
    "Write a story. Remember that my hero is a cat.",
    "Remember that my last answer was the one above.",
    "Tom already told me I live in Bonn.",
    "I said no to that job.",
]


@pytest.mark.parametrize(("text", "content"), KEPT)
def test_what_no_row_reads_is_kept_in_its_own_words(text: str, content: str) -> None:
    """In the third person, as all that is known of a user is."""
    found = list(facts(text))
    assert [(draft.rule, draft.content) for draft in found] == [("remembered", content)]


@pytest.mark.parametrize(("text", "content"), READ_BY_ROWS)
def test_what_a_row_reads_is_read_by_it(text: str, content: str) -> None:
    """Behind the words by which it is asked for, or said once more."""
    assert [draft.content for draft in facts(text)] == [content]


@pytest.mark.parametrize("text", NOTHING)
def test_what_means_nothing_later_is_not_kept(text: str) -> None:
    """What needs its conversation, is about the agent, belongs to a task, or is said by somebody else."""
    assert list(facts(text)) == []


def test_a_later_word_takes_the_place_of_an_earlier_one() -> None:
    """What is said of the same thing has one slot."""
    former, later = (
        next(facts(text))
        for text in ("Remember that my locker is number 44.", "Remember that my locker is in the hall.")
    )
    assert former.slot == later.slot == "remembered.locker"
    assert former.exclusive


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("I said no emojis!", "Do not use emojis."),
        ("I said never call before nine.", "Never call before nine."),
        ("I already told you: keep it short.", "Keep it short."),
        ("Remember that I want short answers.", "Give short answers."),
    ],
)
def test_an_instruction_that_is_said_once_more_is_read(text: str, rule: str) -> None:
    """Whoever has to repeat it means it."""
    assert [found.content for found in instructions(text, answered=True)] == [rule]
