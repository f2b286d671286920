"""Which rows can match a text: never one too few, and far from all."""

import json
import re
import string
import sys

import pytest

from sagacity.learning.rules.phrasings import PATTERNS
from sagacity.learning.rules.prefilter import TRIGRAMS_PATH, Prefilter, digest, trigrams_in
from sagacity.learning.rules.profile import PROFILE_RULES

ALL = tuple(dict.fromkeys((*(row.pattern for row in PROFILE_RULES), *(row.says for row in PATTERNS))))
SENTENCES = tuple(
    dict.fromkeys(
        sentence for row in (*PROFILE_RULES, *PATTERNS) for sentence in (row.example[0], row.counter)
    )
)


@pytest.fixture(scope="module")
def prefilter() -> Prefilter[str]:
    """Of all patterns."""
    return Prefilter(ALL, str)


def test_every_pattern_is_in_the_file_and_nothing_else() -> None:
    """What `scripts/trigrams` wrote is about the patterns that there are."""
    assert set(json.loads(TRIGRAMS_PATH.read_bytes())) == set(map(digest, ALL))


@pytest.mark.parametrize("written", [str, str.upper], ids=["as written", "in capitals"])
def test_no_row_that_matches_is_left_out(prefilter: Prefilter[str], written: type[str]) -> None:
    """Each row that matches one of the tables' own sentences, wherever in it, is among those to be tried."""
    compiled = [re.compile(pattern, re.IGNORECASE) for pattern in ALL]
    for sentence in map(written, SENTENCES):
        tried = set(prefilter.rows_for(sentence))
        assert {one.pattern for one in compiled if one.search(sentence)} <= tried


def test_rows_come_in_their_order(prefilter: Prefilter[str]) -> None:
    """Of two that match the first wins, so the order is kept."""
    rows = prefilter.rows_for(" ".join(SENTENCES))
    assert list(rows) == [pattern for pattern in ALL if pattern in rows]
    assert len(rows) > len(ALL) / 2


def test_few_rows_are_tried(prefilter: Prefilter[str]) -> None:
    """That is what it is for: one row in ten is tried for a sentence, as a mean."""
    tried = [len(prefilter.rows_for(sentence)) for sentence in SENTENCES]
    assert sum(tried) / len(tried) < len(ALL) / 10


def test_letters_are_folded_as_patterns_fold_them() -> None:
    """Whatever a pattern that ignores case takes for a letter of ASCII has that letter in its trigrams."""
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    alike = re.findall("[a-z]", everything, re.IGNORECASE)
    assert len(alike) > 2 * len(string.ascii_lowercase)
    for one in alike:
        letter = next(it for it in string.ascii_lowercase if re.fullmatch(it, one, re.IGNORECASE))
        assert trigrams_in(f"{one}zz") == {f"{letter}zz"}


def test_row_without_trigrams_is_always_tried() -> None:
    """A pattern that the file does not know may match anything."""
    assert Prefilter(["unknown"], str).rows_for("") == ("unknown",)
