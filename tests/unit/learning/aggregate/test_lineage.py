"""A cluster keeps its id as long as it keeps members."""

from sagacity.learning.aggregate.direction import directions
from sagacity.learning.aggregate.lineage import fingerprint, overlap_of, trace


def test_fingerprints_know_members_and_not_their_order() -> None:
    """Sixteen hex digits, equal for equal members only."""
    assert fingerprint([3, 1, 2]) == fingerprint([1, 2, 3])
    assert fingerprint([1, 23]) != fingerprint([12, 3])
    assert len(fingerprint([1])) == 16
    assert int(fingerprint([1]), 16) > 0


def test_clusters_are_unchanged_changed_new_or_gone() -> None:
    """Each of today's is one of the first three, and what is left over of the former ones is gone."""
    lineage = trace([[1, 2], [3, 4, 9], [7, 8]], {"a": {1, 2}, "b": {3, 4}, "c": {5, 6}})
    unchanged, changed, new = lineage.traced
    assert (unchanged.cluster_id, unchanged.is_unchanged) == ("a", True)
    assert (changed.cluster_id, changed.is_unchanged, changed.overlap) == ("b", False, 2 / 3)
    assert (new.cluster_id, new.is_unchanged, new.members) == (None, False, (7, 8))
    assert lineage.vanished == ("c",)


def test_a_cluster_that_falls_apart_lives_on_in_its_largest_part() -> None:
    """The other part is new."""
    lineage = trace([[1, 2], [3, 4, 5]], {"a": {1, 2, 3, 4, 5}})
    assert [one.cluster_id for one in lineage.traced] == [None, "a"]
    assert lineage.vanished == ()


def test_of_clusters_that_grow_together_the_nearest_lives_on() -> None:
    """The others are gone; a tie goes to the smaller id, in whatever order they are known."""
    assert trace([[1, 2, 3, 4, 5]], {"a": {1, 2}, "b": {3, 4, 5}}).traced[0].cluster_id == "b"
    for known in ({"a": {1, 2}, "b": {3, 4}}, {"b": {3, 4}, "a": {1, 2}}):
        lineage = trace([[1, 2, 3, 4]], known)
        assert (lineage.traced[0].cluster_id, lineage.vanished) == ("a", ("b",))


def test_the_match_does_not_depend_on_positions() -> None:
    """Today's clusters in another order keep their ids."""
    known = {"a": {1, 2}, "b": {3, 4}, "c": {5, 6}}
    found = [[5, 6], [1, 2], [3, 4]]
    assert [one.cluster_id for one in trace(found, known).traced] == ["c", "a", "b"]


def test_overlap_is_between_none_and_all() -> None:
    """As Jaccard has it."""
    assert (overlap_of({1}, {2}), overlap_of({1, 2}, {1, 2}), overlap_of({1, 2}, {2, 3})) == (0, 1, 1 / 3)


def test_a_majority_shows_and_denials_stand_apart() -> None:
    """What shares words is one direction; what denies the same words is another."""
    contents = [
        "use pnpm for packages",
        "never use pnpm for packages",
        "use pnpm for packages",
        "call the owner",
    ]
    assert directions(contents, 0.6) == [[0, 2], [1], [3]]
    assert directions(["write tests", "write tests first please"], 0.6) == [[0, 1]]
    assert directions([], 0.6) == []
