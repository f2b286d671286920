"""What is said already is not proposed again, and is not looked for in everything."""

import numpy as np

from sagacity.domain.ids import MemoryUid
from sagacity.domain.memory import Provenance
from sagacity.learning.distil.repeats import without_repeats
from sagacity.learning.distil.spec import Draft, Task, Written
from support.parts import unit_rows
from support.work import counted


def written(content: str, vector=None) -> Written:
    """A draft of a new cluster."""
    draft = Draft(trigger="Asked for code", content=content, provenance=Provenance())
    return Written(Task((), ""), MemoryUid(content), content, draft, vector=vector)


def kept(*drafts: Written) -> list[str]:
    """What is left to be said."""
    return [one.draft.content for one in without_repeats(drafts, [], {}) if one.draft is not None]


def test_a_draft_in_the_same_words_goes_even_without_a_vector() -> None:
    """Case and punctuation are no other words."""
    assert kept(written("Write tests."), written("write TESTS"), written("Write docs.")) == [
        "Write tests.",
        "Write docs.",
    ]


def test_a_draft_that_is_near_and_says_no_more_goes() -> None:
    """One that is far away stays, in whatever words."""
    [near, far] = unit_rows(2, 16)
    said = written("Write tests for the parser.", near)
    assert kept(said, written("Write tests for parser", near)) == ["Write tests for the parser."]
    assert len(kept(said, written("Write tests", far))) == 2
    assert len(kept(said, written("Write docs for the parser.", near))) == 2


def test_drafts_are_not_all_compared_with_each_other() -> None:
    """Twice as many take about twice the work: words are looked at of those that are near."""

    def work(count: int) -> int:
        drafts = [written(f"Write {count} tests in {place}.", row) for place, row in enumerate(np.eye(count))]
        left, calls = counted(lambda: without_repeats(drafts, [], {}))
        assert all(one.draft is not None for one in left)
        return calls

    work(10)
    assert work(200) < 3 * work(100)
