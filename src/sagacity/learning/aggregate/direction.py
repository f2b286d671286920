"""Members of one cluster that ask for the same thing stand together, so that a majority shows."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from sagacity.learning.sameness import read


def directions(contents: Sequence[str], threshold: float) -> list[list[int]]:
    """
    Group texts by the words that they share, those denied alike.

    A text joins the first group whose first text shares enough words with it; otherwise it starts a group.

    Args:
        contents: what each member asks for.
        threshold: 0..1, the share of the shorter text's words that have to be common.

    Returns:
        Positions in *contents*; the largest group first, of equal ones the one that began first.
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
