"""A cluster keeps its id as long as it keeps members."""

import numpy as np

from sagacity.learning.distil.agent_playbooks.directions import directions
from sagacity.learning.distil.lineage import fingerprint, moved, trace
from support.work import counted


def test_fingerprints_know_members_and_not_their_order() -> None:
    """Sixteen hex digits, equal for equal members that say the same only."""
    assert fingerprint({3: "c", 1: "a"}) == fingerprint({1: "a", 3: "c"})
    assert fingerprint({1: "a", 3: "c"}) != fingerprint({1: "c", 3: "a"})
    assert fingerprint({1: "a"}) != fingerprint({2: "a"})
    assert len(fingerprint({1: "a"})) == 16
    assert int(fingerprint({1: "a"}), 16) > 0


def test_clusters_are_unchanged_changed_new_or_gone() -> None:
    """Each of today's is one of the first three, and what is left over of the former ones is gone."""
    lineage = trace([[1, 2], [3, 4, 9], [7, 8]], {"a": {1, 2}, "b": {3, 4}, "c": {5, 6}})
    unchanged, changed, new = lineage.traced
    assert (unchanged.cluster_id, unchanged.overlap, unchanged.has_moved) == ("a", 1.0, False)
    assert (changed.cluster_id, changed.overlap, changed.has_moved) == ("b", 2 / 3, False)
    assert (new.cluster_id, new.overlap, new.has_moved, new.members) == (None, 0.0, False, (7, 8))
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
    for members, overlap in (([3], 0), ([1, 2], 1), ([2, 3], 1 / 3)):
        assert trace([members], {"a": {1, 2}}).traced[0].overlap == overlap


def test_many_clusters_that_grow_into_one_cost_little() -> None:
    """Each pair costs what it has in common, and not the whole of the two: seconds would hold everybody up."""
    known = {f"c{number:06}": set(range(4 * number, 4 * number + 4)) for number in range(10_000)}
    found, calls = counted(lambda: trace([range(40_000)], known))
    [one] = found.traced
    assert (one.cluster_id, one.overlap) == ("c000000", 4 / 40_000)
    assert calls < 10 * 40_000


def test_clusters_whose_members_were_all_swapped_are_known_by_what_they_are_about() -> None:
    """The most similar first, one to one, and none below the similarity from which clusters are joined."""
    axes = np.eye(3, dtype=np.float32)
    between = (axes[0] + axes[1]) / np.float32(np.sqrt(2))
    lineage = trace([[1, 2], [3, 4], [5, 6], [7]], {"a": {11}, "b": {12}, "c": {13}, "d": {7}})
    former = {"a": axes[0], "b": between, "c": axes[2], "e": axes[1]}
    found = moved(lineage, [axes[0], axes[0], axes[1], axes[2]], former, 0.7)
    assert [one.cluster_id for one in found.traced] == ["a", "b", None, "d"]
    assert [one.has_moved for one in found.traced] == [True, True, False, False]
    assert found.vanished == ("c",)
    assert moved(lineage, [axes[0]] * 4, {}, 0.7) == lineage
    assert moved(lineage, [axes[2]] * 4, {"a": axes[0]}, 0.7) == lineage


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
