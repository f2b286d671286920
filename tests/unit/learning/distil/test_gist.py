"""A rule is compared by what it says, not by the examples that it gives."""

import pytest

from sagacity.learning.distil.cluster import clusters
from sagacity.learning.distil.gist import gist
from sagacity.providers.embedders.minilm import MiniLM

SEARCHES = (
    'When the user asks about a feature\nSearch the docs with the exact term first, for example "refund webhook retry".',
    'When a question is about the product\nSearch the documentation with the exact words, like "invoice footer colour".',
    "When asked about an error code\nSearch the docs by the exact code first (e.g. ERR-40417 or ERR-51200).",
    'When the user needs help with a setting\nFirst search the docs for the exact name of it, such as "dark mode".',
    'When the customer Priya Sharma reports a problem\nAlways search the docs for the exact wording first: "login loop".',
    "When a user asks how something works\nSearch the docs with the exact term before answering, e.g. SSO for Okta.",
)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Search the docs by the exact term (e.g. refunds, fees) first.", "Search the docs by the exact term first."),
        ('Search the docs for the exact words, like "dark mode".', "Search the docs for the exact words."),
        ("Check the order's state first, for example 4711-22; then answer.", "Check the order's state first; then answer."),
        ("Never promise the customer Ada Lovelace a date.", "Never promise the customer a date."),
        ("Use pnpm.", "Use pnpm."),
        ('Call me "Captain" in all answers.', 'Call me "Captain" in all answers.'),
        ("Write Python, not Java.", "Write Python, not Java."),
        ('"Never give up"', '"Never give up"'),
        ("", ""),
    ],
)  # fmt: skip
def test_examples_are_left_out(said: str, left: str) -> None:
    """What tells two rules apart stays: a short line is left as it is."""
    assert gist(said) == left


def test_a_hostile_text_takes_no_time() -> None:
    """Every pattern reads a text once, whatever it is made of."""
    for text in ('"' * 20_000, "(e.g. " * 5_000, "user A" * 5_000, "for example " * 3_000, "1" * 20_000):
        assert len(gist(text)) <= len(text)


async def test_six_phrasings_of_one_rule_are_one_cluster(embedder: MiniLM) -> None:
    """Each with an example of its own, beside a rule that asks for something else, at the default similarity."""
    rules = [
        *SEARCHES,
        "When writing a summary\nKeep it under five lines.",
        "In every answer\nUse metric units.",
    ]
    vectors = await embedder.embed([gist(one) for one in rules])
    assert clusters(vectors, similarity=0.5, min_size=2) == [[0, 1, 2, 3, 4, 5]]
