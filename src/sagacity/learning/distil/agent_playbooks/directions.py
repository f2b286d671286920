"""Group the members of a cluster that ask for the same, to find what the majority asks for."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from sagacity.domain.memory import Memory
from sagacity.learning.deduplication.text_equivalence import read
from sagacity.learning.distil.cluster import medoid
from sagacity.providers.base import Vectors


@dataclass(frozen=True, slots=True)
class Direction:
    """Members of a cluster that ask for the same, the most typical one first."""

    members: tuple[Memory, ...]

    @property
    def user_count(self) -> int:
        """The number of users behind the members."""
        return user_count(self.members)

    def shares_a_user_with(self, other: "Direction") -> bool:
        """Whether a user is behind both, so that together they have fewer users than the sum."""
        return not {one.user_id for one in self.members}.isdisjoint(one.user_id for one in other.members)


def user_count(members: Sequence[Memory]) -> int:
    """Return the number of users behind *members*; all without a user count as one."""
    return len({member.user_id for member in members})


def directions_of(members: Sequence[Memory], vectors: Vectors, *, overlap: float) -> list[Direction]:
    """
    Group a cluster's members by what they ask for.

    Args:
        members: at least one.
        vectors: float32 [n, d], the members' vectors, unit rows.
        overlap: the share of common words above which two ask for the same.

    Returns:
        At least one group; the one with the most users first.
    """
    found = [
        Direction(tuple(members[place] for place in _typical_first(group, vectors)))
        for group in directions([member.content for member in members], overlap)
    ]
    return sorted(found, key=lambda one: (one.user_count, len(one.members)), reverse=True)


def _typical_first(group: Sequence[int], vectors: Vectors) -> list[int]:
    first = group[medoid(vectors[list(group)])]
    return [first, *(place for place in group if place != first)]


def directions(contents: Sequence[str], threshold: float) -> list[list[int]]:
    """
    Group texts by shared words, taking denials into account.

    A text joins the first group whose first text shares enough words with it; otherwise it starts a group.

    Args:
        contents: what each member asks for.
        threshold: 0..1, the share of the shorter text's words that must be common.

    Returns:
        Positions in *contents*; the largest group first, ties by first position.
    """
    groups: list[list[int]] = []
    heads: list[tuple[frozenset[str], bool]] = []
    for place, content in enumerate(contents):
        statement = read(content)
        words, denied = frozenset(statement.words), statement.denials % 2 == 1
        for group, (others, other_denied) in zip(groups, heads, strict=True):
            if denied == other_denied and _overlap(words, others) >= threshold:
                group.append(place)
                break
        else:
            groups.append([place])
            heads.append((words, denied))
    return sorted(groups, key=len, reverse=True)


def _overlap(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Return the share of the smaller set that is in the other."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else float(one == other)
