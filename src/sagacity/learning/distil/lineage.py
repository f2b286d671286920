"""Which cluster continues which previous one: by common members, or by topic."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np

from sagacity.providers.base import Vectors

_FINGERPRINT_DIGITS = 16
_ROWS_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Traced:
    """One of today's clusters, and its predecessor."""

    members: tuple[int, ...]
    cluster_id: str | None = None
    """The id of the predecessor; None if the cluster is new."""
    overlap: float = 0.0
    """0..1: the share of members in common with its predecessor (Jaccard)."""

    @property
    def has_moved(self) -> bool:
        """Whether all of its former members were replaced."""
        return self.cluster_id is not None and not self.overlap


@dataclass(frozen=True, slots=True)
class Lineage:
    """Today's clusters in the given order, and the ids of former clusters without a successor."""

    traced: tuple[Traced, ...]
    vanished: tuple[str, ...]


def fingerprint(members: Mapping[int, str]) -> str:
    """Return 64 bits of SHA-256 over *members*, as hex, which are equal only for equal ids with equal wordings."""
    text = ",".join(f"{number}:{wording}" for number, wording in sorted(members.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:_FINGERPRINT_DIGITS]


def trace(found: Sequence[Sequence[int]], known: Mapping[str, AbstractSet[int]]) -> Lineage:
    """
    Match today's clusters with former ones, one to one, those with most members in common first.

    A cluster that splits continues in the part with which it shares most. If several are joined, the one that shares
    most continues. Ties go to the smaller id, so that the result depends only on the members.

    Args:
        found: members of each of today's clusters; no member is in two.
        known: members of each former cluster, by id.
    """
    homes: dict[int, list[str]] = {}
    for cluster_id, members in known.items():
        for member in members:
            homes.setdefault(member, []).append(cluster_id)
    pairs = [
        (-common / (len(members) + len(known[cluster_id]) - common), cluster_id, place)
        for place, members in enumerate(found)
        for cluster_id, common in Counter(home for one in members for home in homes.get(one, ())).items()
    ]
    matched: dict[int, tuple[str, float]] = {}
    taken: set[str] = set()
    for distance, cluster_id, place in sorted(pairs):
        if place not in matched and cluster_id not in taken:
            matched[place] = (cluster_id, -distance)
            taken.add(cluster_id)
    return Lineage(
        traced=tuple(
            Traced(tuple(sorted(members)), *matched.get(place, (None, 0.0)))
            for place, members in enumerate(found)
        ),
        vanished=tuple(cluster_id for cluster_id in known if cluster_id not in taken),
    )


def moved(
    lineage: Lineage, means: Sequence[Vectors], former: Mapping[str, Vectors], similarity: float
) -> Lineage:
    """
    Match clusters without a common member, one to one, most similar first, if the two would be joined.

    After a rerun, the same rules have other numbers.

    Args:
        lineage: the matches by common members.
        means: float32 [d], the mean of the unit vectors of each of today's clusters, in the order of `lineage.traced`.
        former: float32 [d], the same for former clusters without a successor, by id, if known.
        similarity: 0..1, from which two clusters are joined; the dot product of means is the mean over all pairs.
    """
    places = [place for place, one in enumerate(lineage.traced) if one.cluster_id is None]
    ids = [cluster_id for cluster_id in lineage.vanished if cluster_id in former]
    if not places or not ids:
        return lineage
    before = np.stack([former[one] for one in ids]).T
    pairs: list[tuple[float, str, int]] = []
    for start in range(0, len(places), _ROWS_AT_ONCE):
        block = places[start : start + _ROWS_AT_ONCE]
        scores = np.stack([means[place] for place in block]) @ before
        pairs += [
            (-float(scores[row, column]), ids[column], block[row])
            for row, column in np.argwhere(scores >= similarity).tolist()
        ]
    matched: dict[int, str] = {}
    taken: set[str] = set()
    for _, cluster_id, place in sorted(pairs):
        if place not in matched and cluster_id not in taken:
            matched[place] = cluster_id
            taken.add(cluster_id)
    return Lineage(
        traced=tuple(
            replace(one, cluster_id=matched.get(place, one.cluster_id))
            for place, one in enumerate(lineage.traced)
        ),
        vanished=tuple(cluster_id for cluster_id in lineage.vanished if cluster_id not in taken),
    )
