"""What a model thinks before its answer is no part of it, wherever the pieces end."""

import pytest

from sagacity.providers.llm.thoughts import ThoughtFilter


@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>Peanuts? {no}</think>\n\nNo peanuts.", "No peanuts."),
        ("\n<think>\n\n</think>Hello, <b>you</b>.", "Hello, <b>you</b>."),
        ("<think>It never ends", ""),
        ("<think>All is thought.</think>\n", ""),
        ("Say <think>x</think> to it.", "Say <think>x</think> to it."),
        (" <thin", " <thin"),
        ("<b>Hello</b>", "<b>Hello</b>"),
        ("", ""),
    ],
)
def test_thoughts_are_left_out(text: str, shown: str, size: int) -> None:
    """At the beginning only; elsewhere the marks are text."""
    read = ThoughtFilter()
    pieces = [read.read(text[start : start + size]) for start in range(0, len(text), size)]
    assert "".join([*pieces, read.finish()]) == shown
