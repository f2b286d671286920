"""One of a thing is one of it, however a sentence is put together."""

import pytest

from sagacity.domain.amounts import counted


@pytest.mark.parametrize(
    ("count", "noun", "said"),
    [
        (0, "user", "0 users"),
        (1, "agent playbook", "1 agent playbook"),
        (2_000, "user", "2,000 users"),
        (1, "memory", "1 memory"),
        (3, "memory", "3 memories"),
        (2, "day", "2 days"),
    ],
)
def test_number_and_noun_agree(count: int, noun: str, said: str) -> None:
    """The plural is formed as English does it."""
    assert counted(count, noun) == said
