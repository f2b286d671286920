"""How texts are grouped for a model."""

from hypothesis import given
from hypothesis import strategies as st

from sagacity.providers.embedders.batching import batches, readable

sizes = st.lists(st.integers(0, 300), max_size=60)


@given(sizes, st.integers(1, 9))
def test_batches_holds_each_position_once(sizes: list[int], count: int) -> None:
    """Nothing is lost or doubled and no group is over the count."""
    groups = batches(sizes, count=count)
    assert sorted(position for group in groups for position in group) == list(range(len(sizes)))
    assert all(0 < len(group) <= count for group in groups)


@given(sizes, st.integers(1, 600))
def test_batches_respects_padded_total(sizes: list[int], total: int) -> None:
    """Items x largest stays within the total, but for a single item that is larger itself."""
    for group in batches(sizes, count=8, total=total):
        assert len(group) == 1 or len(group) * max(sizes[position] for position in group) <= total


def test_batches_groups_like_sizes() -> None:
    """Short texts are not padded to a long one."""
    assert batches([200, 3, 190, 4], count=2) == [[1, 3], [2, 0]]


def test_readable_cuts_and_replaces() -> None:
    """At most the limit, and text that encodes."""
    assert readable("abcdef", limit=3) == "abc"
    assert readable("a\ud800b", limit=10) == "a?b"
    assert readable("🦉 owl", limit=10) == "🦉 owl"
