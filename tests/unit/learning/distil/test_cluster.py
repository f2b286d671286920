"""Average linkage: exact, whole, and good at telling users' rules apart."""

import itertools

import numpy as np
import pytest
from cluster_metrics import completeness, homogeneity, labels_of
from playbook_corpus import playbooks

from sagacity.learning.distil.cluster import clusters, medoid
from sagacity.providers.embedders.minilm import MiniLM
from support.parts import unit_rows


def _around(centre_count: int, each: int, *, spread: float, seed: int = 3):
    """Rows around known centres, shuffled, and the centre of each."""
    rng = np.random.default_rng(seed)
    centres = unit_rows(centre_count, 24, seed=seed)
    labels = rng.permutation(np.repeat(np.arange(centre_count), each))
    rows = centres[labels] + spread * rng.standard_normal((len(labels), 24)) / np.sqrt(24)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), labels.tolist()


def _by_definition(rows, similarity: float, min_size: int) -> list[list[int]]:
    """Join the two nearest clusters as long as their mean similarity over all pairs is enough."""
    groups = [[place] for place in range(len(rows))]
    cosines = rows.astype(np.float64) @ rows.T.astype(np.float64)
    while len(groups) > 1:
        nearest = max(
            itertools.combinations(range(len(groups)), 2),
            key=lambda pair: cosines[np.ix_(groups[pair[0]], groups[pair[1]])].mean(),
        )
        one, other = nearest
        if cosines[np.ix_(groups[one], groups[other])].mean() < similarity:
            break
        groups[one] += groups.pop(other)
    return sorted(sorted(group) for group in groups if len(group) >= min_size)


@pytest.mark.parametrize("similarity", [0.2, 0.5, 0.7])
def test_clusters_are_those_of_average_linkage(similarity: float) -> None:
    """Components and chains only save work: what is found is what the definition says."""
    rows, _ = _around(5, 9, spread=0.9)
    assert clusters(rows, similarity=similarity, min_size=2) == _by_definition(rows, similarity, 2)


def test_equal_rows_make_no_trouble() -> None:
    """Ties are joined in some order, and no row gets lost or counted twice."""
    rows = np.repeat(unit_rows(4, 16), 25, axis=0)
    found = clusters(rows, similarity=0.9, min_size=1)
    assert found == [list(range(start, start + 25)) for start in range(0, 100, 25)]


def test_every_row_is_in_one_cluster_at_the_most() -> None:
    """Nothing is counted twice, small clusters are left out, and order is by row."""
    rows, _ = _around(30, 10, spread=1.4)
    everything = clusters(rows, similarity=0.5, min_size=1)
    assert sorted(itertools.chain(*everything)) == list(range(300))
    assert clusters(rows, similarity=0.5, min_size=3) == [one for one in everything if len(one) >= 3]


def test_a_component_too_large_for_one_go_gives_as_good_clusters() -> None:
    """Linked in pieces and then as a whole, clusters that lie across a cut are found again."""
    rows, known = _around(12, 60, spread=0.7)
    found = clusters(rows, similarity=0.3, min_size=2, piece_rows=64)
    labels = labels_of(found, len(rows))
    assert homogeneity(known, labels) > 0.99
    assert completeness(known, labels) > 0.99


def test_nothing_gives_no_clusters() -> None:
    """No rows, one row, and rows of zeros are fine."""
    assert clusters(np.zeros((0, 8), np.float32), similarity=0.5, min_size=2) == []
    assert clusters(unit_rows(1), similarity=0.5, min_size=2) == []
    assert clusters(np.zeros((3, 8), np.float32), similarity=0.5, min_size=2) == []


def test_the_medoid_is_the_most_typical_row() -> None:
    """Not the first, not the one at the edge."""
    rows = np.array([[1, 0], [0.8, 0.6], [0, 1]], np.float32)
    assert medoid(rows) == 1


def _at(*degrees: float):
    """Rows at angles, so that what is how near can be seen."""
    angles = np.deg2rad(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_a_cluster_keeps_its_members_when_others_come() -> None:
    """Two new rows, nearer to one of three members than the others are, take it away from nobody."""
    rows = _at(0, 22, 44, 60, 70)
    assert clusters(rows[:3], similarity=0.82, min_size=2) == [[0, 1, 2]]
    assert clusters(rows, similarity=0.82, min_size=2) == [[0, 1], [2, 3, 4]]
    assert clusters(rows, similarity=0.82, min_size=2, former=[[0, 1, 2]]) == [[0, 1, 2], [3, 4]]
    assert clusters(rows, similarity=0.82, min_size=2, former=[[0, 1, 2]], piece_rows=2) == [
        [0, 1, 2],
        [3, 4],
    ]


def test_a_cluster_grows_by_what_is_new() -> None:
    """A new row joins the former cluster that it is like."""
    assert clusters(_at(0, 20, 10), similarity=0.9, min_size=2, former=[[0, 1]]) == [[0, 1, 2]]


def test_a_cluster_that_no_longer_holds_together_is_made_anew() -> None:
    """As with a stricter similarity, or reworded rules."""
    rows = _at(0, 5, 80, 85)
    assert clusters(rows, similarity=0.9, min_size=2, former=[[0, 1, 2, 3]]) == [[0, 1], [2, 3]]


async def test_rules_of_many_users_are_told_apart(embedder: MiniLM) -> None:
    """Ten rules in forty wordings each, among rules of nobody else, with the real embedder and the default limit."""
    given = playbooks(10, 40, 40)
    vectors = await embedder.embed([one.text for one in given])
    found = labels_of(clusters(vectors, similarity=0.5, min_size=2), len(given))
    pairs = [(one.cluster, label) for one, label in zip(given, found, strict=True) if one.cluster >= 0]
    known, labels = zip(*pairs, strict=True)
    assert homogeneity(known, labels) > 0.99
    assert completeness(known, labels) > 0.9
    mixed = {label for one, label in zip(given, found, strict=True) if one.cluster < 0} & set(labels)
    assert not mixed
