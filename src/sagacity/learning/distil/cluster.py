"""Cluster similar rows by average linkage, in memory linear in the number of rows."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sagacity.providers.base import Vectors

Places = npt.NDArray[np.int64]

PIECE_ROWS = 4_096
"""The most rows that are linked at once: linking takes quadratic time, so more rows are first linked in pieces."""
_BLOCK_CELLS = 1 << 24
_AXIS_ROUNDS = 8


def clusters(
    vectors: Vectors,
    *,
    similarity: float,
    min_size: int,
    former: Sequence[Sequence[int]] = (),
    piece_rows: int = PIECE_ROWS,
) -> list[list[int]]:
    """
    Cluster rows whose average similarity is *similarity* or more.

    Clusters are joined, the most similar two first, as long as the mean cosine over all pairs between them reaches
    *similarity*. Average linkage never joins rows that no chain of such pairs connects, so each connected component is
    linked separately, which is exact. In a component of more than *piece_rows* rows, very similar rows are first joined
    in pieces, and the result is linked as a whole; the order of some joins may then differ.

    A *former* cluster stays together and only grows, as long as the mean cosine over its own pairs reaches
    *similarity*.

    Args:
        vectors: float32 [n, d], unit rows, so that a dot product is the cosine.
        similarity: 0..1, where joining stops.
        min_size: smaller clusters are dropped.
        former: row numbers of former clusters; no row is in two.
        piece_rows: the most rows that are linked at once in the first pass.

    Returns:
        Row numbers, ascending within a cluster; clusters by their first row.

    Source: the nearest-neighbour chain of Benzécri (1982), by Murtagh, The Computer Journal 26(4), 1983. The mean of
    all dot products between two sets is the dot product of their means, so no matrix of all pairs is needed.
    """
    held = [np.array(one) for one in former if len(one) > 1 and _cohesion(vectors[list(one)]) >= similarity]
    found = [
        group
        for part in _components(vectors, similarity, held)
        if len(part) >= min_size
        for group in _gathered(vectors, part, held, similarity, piece_rows)
        if len(group) >= min_size
    ]
    return sorted(np.sort(group).tolist() for group in found)


def medoid(vectors: Vectors) -> int:
    """Return the row that is on average most similar to all *vectors* (float32 [n, d], n > 0)."""
    return int((vectors @ vectors.sum(axis=0)).argmax())


def _cohesion(rows: Vectors) -> float:
    """Return the mean cosine over all pairs of different *rows* (float32 [n, d], n > 1)."""
    count, total = len(rows), rows.sum(axis=0, dtype=np.float64)
    return float((total @ total - count) / (count * (count - 1)))


def _components(vectors: Vectors, similarity: float, held: Sequence[Places]) -> list[Places]:
    """Split rows into the connected components of the graph of pairs that reach *similarity* or are *held* together."""
    count = len(vectors)
    labels = np.arange(count)
    block = max(1, _BLOCK_CELLS // max(1, count))
    for start in range(0, count, block):
        for one in vectors[start : start + block] @ vectors.T >= similarity:
            joined = labels[one]
            if len(joined) and (joined != joined[0]).any():
                labels[np.isin(labels, np.unique(joined))] = joined.min()
    for group in held:
        joined = labels[group]
        labels[np.isin(labels, np.unique(joined))] = joined.min()
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if count else []


def _gathered(
    vectors: Vectors, part: Places, held: Sequence[Places], similarity: float, piece_rows: int
) -> list[Places]:
    """Link the rows of one component, with *held* rows as one group; link a large component in pieces first."""
    within = [group for group in held if np.isin(group[0], part)]
    single = np.setdiff1d(part, np.concatenate(within)) if within else part
    groups = [np.array([place]) for place in single]
    if len(single) > piece_rows:
        pieces = [[np.array([place]) for place in piece] for piece in _pieces(vectors, single, piece_rows)]
        close = (
            1 + similarity
        ) / 2  # only very similar rows, so that a cut between pieces separates no cluster for good
        groups = [group for piece in pieces for group in _linked(vectors, piece, close)]
    return _linked(vectors, [*within, *groups], similarity)


def _pieces(vectors: Vectors, part: Places, piece_rows: int) -> list[Places]:
    """Halve rows along the axis on which they differ most, until each piece is small enough."""
    if len(part) <= piece_rows:
        return [part]
    rows = vectors[part] - vectors[part].mean(axis=0)
    axis = rows[np.abs(rows).sum(axis=1).argmax()]
    for _ in range(_AXIS_ROUNDS):  # power iteration approximates the first principal axis
        axis = (rows @ axis) @ rows
        axis = axis / max(float(np.linalg.norm(axis)), np.finfo(np.float32).tiny)
    order = part[np.argsort(rows @ axis, kind="stable")]
    half = len(order) // 2
    return [*_pieces(vectors, order[:half], piece_rows), *_pieces(vectors, order[half:], piece_rows)]


def _linked(vectors: Vectors, groups: list[Places], similarity: float) -> list[Places]:
    """
    Join *groups* by average linkage until no two reach *similarity*.

    A chain goes from a group to its nearest, then to that one's nearest, until two are nearest to each other; these are
    joined. If the nearest group is too far, a group is finished, because a join of others is never nearer than its
    nearest part was.
    """
    groups = list(groups)
    means = np.stack([vectors[group].mean(axis=0) for group in groups])
    alive = np.ones(len(groups), bool)
    finished: list[Places] = []
    chain: list[int] = []
    while alive.any():
        if not chain:
            groups, means, alive = _compact(groups, means, alive)
            chain = [int(alive.argmax())]
        tip, before = chain[-1], chain[-2] if len(chain) > 1 else None
        near = np.where(alive, means @ means[tip], -np.inf)
        back = -np.inf if before is None else near[before]
        near[chain] = -np.inf  # only rounding errors could make an earlier link of the chain the nearest
        nearest = int(near.argmax())
        if before is not None and back >= near[nearest]:
            ours, theirs = len(groups[tip]), len(groups[before])
            means[before] = (ours * means[tip] + theirs * means[before]) / (ours + theirs)
            groups[before] = np.concatenate([groups[before], groups[tip]])
            alive[tip] = False
            del chain[-2:]
        elif near[nearest] < similarity:
            finished.append(groups[tip])
            alive[tip] = False
            chain.pop()
        else:
            chain.append(nearest)
    return finished


def _compact(
    groups: list[Places], means: Vectors, alive: npt.NDArray[np.bool_]
) -> tuple[list[Places], Vectors, npt.NDArray[np.bool_]]:
    """Drop joined and finished groups once they are half of all, so that each step gets cheaper."""
    kept = np.flatnonzero(alive)
    if 2 * len(kept) > len(alive):
        return groups, means, alive
    return [groups[place] for place in kept], means[kept], np.ones(len(kept), bool)
