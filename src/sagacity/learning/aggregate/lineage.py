"""Which of today's clusters was which before: by the members that they have in common."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

_FINGERPRINT_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Traced:
    """One of today's clusters, and what it was."""

    members: tuple[int, ...]
    cluster_id: str | None = None
    """None: it is new."""
    overlap: float = 0.0
    """0..1: the share of members in common with what it was (Jaccard); 1 where nothing changed."""

    @property
    def is_unchanged(self) -> bool:
        """Whether it has the members that it had."""
        return self.overlap == 1.0


@dataclass(frozen=True, slots=True)
class Lineage:
    """Today's clusters in the order in which they were given, and the ids of those that are gone."""

    traced: tuple[Traced, ...]
    vanished: tuple[str, ...]


def fingerprint(members: Sequence[int]) -> str:
    """Return 64 bits of SHA-256 over the sorted ids of *members*, as hex: equal for equal members only."""
    text = ",".join(map(str, sorted(members)))
    return hashlib.sha256(text.encode()).hexdigest()[:_FINGERPRINT_DIGITS]


def overlap_of(one: AbstractSet[int], other: AbstractSet[int]) -> float:
    """Return how much two sets have in common, from 0 to 1 (Jaccard)."""
    united = len(one | other)
    return len(one & other) / united if united else 1.0


def trace(found: Sequence[Sequence[int]], known: Mapping[str, AbstractSet[int]]) -> Lineage:
    """
    Match today's clusters with former ones, one to one, those with most in common first.

    A cluster that falls apart lives on in the part that it shares most with, and of several that grow together the one
    lives on that shares most; ties go to the smaller id, so that the result depends on nothing but the members.

    Args:
        found: members of each of today's clusters; no member is in two.
        known: members of each former cluster, by id.
    """
    homes: dict[int, list[str]] = {}
    for cluster_id, members in known.items():
        for member in members:
            homes.setdefault(member, []).append(cluster_id)
    pairs = [
        (-overlap_of(set(members), known[cluster_id]), cluster_id, place)
        for place, members in enumerate(found)
        for cluster_id in Counter(home for member in members for home in homes.get(member, ()))
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
