"""Every row of every table: its example gives what it says, its look-alike nothing."""

import pytest

from sagacity.learning.rules.engine import Rule
from sagacity.learning.rules.instructions import instructions
from sagacity.learning.rules.pattern import Pattern
from sagacity.learning.rules.phrasings import LISTED, PATTERNS
from sagacity.learning.rules.profile import PROFILE_RULES, facts


@pytest.mark.parametrize("row", PROFILE_RULES, ids=lambda row: row.name)
def test_profile_row_reads_its_example(row: Rule) -> None:
    """The documented sentence gives the documented content, by this very row."""
    sentence, content = row.example
    assert (row.name, content) in [(draft.rule, draft.content) for draft in facts(sentence)]


@pytest.mark.parametrize("row", PROFILE_RULES, ids=lambda row: row.name)
def test_profile_row_leaves_its_counter_example(row: Rule) -> None:
    """The sentence that looks alike gives nothing by this row."""
    assert row.name not in [draft.rule for draft in facts(row.counter)]


def test_profile_rows_have_names_of_their_own() -> None:
    """A name identifies a row."""
    names = [row.name for row in PROFILE_RULES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("row", PATTERNS, ids=lambda row: row.name)
def test_phrasing_reads_its_example(row: Pattern) -> None:
    """The documented sentence gives the documented rule."""
    sentence, content = row.example
    assert [found.content for found in instructions(sentence, answered=True)] == [content]


@pytest.mark.parametrize("row", PATTERNS, ids=lambda row: row.name)
def test_phrasing_leaves_its_counter_example(row: Pattern) -> None:
    """The sentence that looks alike gives no rule."""
    assert list(instructions(row.counter, answered=True)) == []


@pytest.mark.parametrize("row", [row for row in PATTERNS if row.corrects], ids=lambda row: row.name)
def test_correction_needs_an_answer_before_it(row: Pattern) -> None:
    """What only makes sense as a correction is a plain request in a first turn."""
    assert list(instructions(row.example[0], answered=False)) == []


def test_listed_item_counts_only_in_a_list() -> None:
    """An imperative is a standing rule after "for next time", and a plain request elsewhere."""
    sentence, content = LISTED.example
    assert [
        found.content for found in instructions(f"A few things for next time. {sentence}", answered=True)
    ] == [content]
    assert list(instructions(sentence, answered=True)) == []
    assert list(instructions(f"A few things for next time. {LISTED.counter}", answered=True)) == []
