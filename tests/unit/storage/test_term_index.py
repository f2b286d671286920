"""Terms in memory: what segments find is what counting from scratch finds, however they came about."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.storage.search.term_index import ScopeTerms, pack_terms, term_numbers

WORDS = ("tea", "coffee", "water", "東京")
ROWS = st.dictionaries(
    st.integers(1, 30), st.dictionaries(st.sampled_from(WORDS), st.integers(1, 400), max_size=4), max_size=12
)
Contents = Mapping[int, Mapping[str, int]]


def rows_of(contents: Contents) -> list[tuple[int, int, int, bytes, bool]]:
    """Rows as the database gives them: number, owner, length, packed terms, and plain where the length is even."""
    lengths = {key: sum(terms.values()) for key, terms in contents.items()}
    return [
        (key, -key, lengths[key], pack_terms(terms), lengths[key] % 2 == 0) for key, terms in contents.items()
    ]


def held_by(indexed: ScopeTerms, words: Sequence[str] = WORDS) -> Counter[tuple[int, int, str, int, int]]:
    """All that an index finds: document, owner, word, frequency and length."""
    found: Counter[tuple[int, int, str, int, int]] = Counter()
    for segment in indexed.segments:
        matches = segment.find(term_numbers(words))
        if matches is None:
            continue
        documents = segment.documents
        for term, place, frequency in zip(matches.terms, matches.places, matches.frequencies, strict=True):
            number, owner = int(documents.ids[place]), int(documents.owners[place])
            length = int(documents.lengths[place])
            assert documents.plain[place] == (length % 2 == 0)
            found[number, owner, words[term], int(frequency), length] += 1
    return found


def counted(contents: Contents) -> Counter[tuple[int, int, str, int, int]]:
    """The same from scratch."""
    return Counter(
        (key, -key, word, min(count, 255), sum(terms.values()))
        for key, terms in contents.items()
        for word, count in terms.items()
    )


@given(st.lists(ROWS, max_size=8))
def test_every_change_is_found_and_nothing_that_was_there_before(changes: list[Contents]) -> None:
    """Documents come, come again with other terms, and with none; each is found once, as it was written last."""
    indexed, now = ScopeTerms(0, ()), dict[int, Mapping[str, int]]()
    for revision, change in enumerate(changes, 1):
        before, was = held_by(indexed), indexed
        indexed = indexed.with_changes(rows_of(change), revision)
        now |= change
        assert indexed.revision == revision
        assert held_by(indexed) == counted(now)
        assert held_by(was) == before  # whoever still searches it finds what was there


def test_many_small_changes_leave_few_segments() -> None:
    """Each is at most half as large as the one before it, so that a search looks into few."""
    indexed = ScopeTerms(0, ())
    for number in range(1, 500):
        indexed = indexed.with_changes(rows_of({number: {"tea": 1}}), number)
    sizes = [one.live_count for one in indexed.segments]
    assert sum(sizes) == 499
    assert all(2 * after <= before for before, after in pairwise(sizes))


def test_a_rewritten_scope_keeps_no_dead_documents() -> None:
    """Documents that all came again, one by one, are not there twice."""
    indexed = ScopeTerms(0, ()).with_changes(rows_of({number: {"tea": 1} for number in range(64)}), 1)
    for number in range(64):
        indexed = indexed.with_changes(rows_of({number: {"coffee": 1}}), number + 2)
    assert sum(len(one.live) for one in indexed.segments) < 2 * 64
    assert held_by(indexed, ["tea"]) == Counter()


@pytest.mark.parametrize("count", [1, 255, 256, 70_000])
def test_frequencies_are_kept_up_to_255(count: int) -> None:
    """In nine bytes a term."""
    packed = pack_terms({"tea": count})
    assert len(packed) == 9
    assert packed[8] == min(count, 255)
    assert pack_terms({}) == b""


def test_a_term_has_the_same_number_everywhere() -> None:
    """It is stored: another process, release or machine must know it by the same."""
    numbers = term_numbers(["tea", "東京"])
    assert numbers.dtype == np.uint64
    assert numbers.tolist() == [
        int.from_bytes(pack_terms({term: 1})[:8], "little") for term in ("tea", "東京")
    ]
    assert numbers.tolist() == [10431608578837538234, 17306041243353289198]
