"""By what a message is searched for."""

import pytest

from sagacity.chat.remember import MOST_ASKED, asked_in


@pytest.mark.parametrize("message", ["Where does Anna live?", "x" * MOST_ASKED])
def test_message_is_searched_for_as_it_is(message: str) -> None:
    assert asked_in(message) == message


def test_of_a_long_message_beginning_and_end_are_searched_for() -> None:
    """In whole words: the question stands before or after what was pasted."""
    pasted = "lorem ipsum dolor " * 2_000
    asked = asked_in(f"What does Anna say here? {pasted} And what does Ben say?")
    assert len(asked) <= MOST_ASKED + 1
    assert asked.startswith("What does Anna say here?")
    assert asked.endswith("And what does Ben say?")
    assert {*asked.split()} <= {*pasted.split(), *"What does Anna say here? And what Ben say?".split()}


def test_long_message_without_spaces_is_cut_by_characters() -> None:
    assert len(asked_in("x" * 32_000)) == MOST_ASKED + 1
