"""Split texts into the batches that a model takes at a time."""

from collections.abc import Sequence


def batches(sizes: Sequence[int], *, count: int, total: int | None = None) -> list[list[int]]:
    """
    Group items of like size, so that padding each group to its largest member wastes little.

    Args:
        sizes: one per item, in characters or tokens.
        count: items a group at most, 1 or more.
        total: padded size of a group at most (items x largest); a larger item is a group of its own.

    Returns:
        Positions in *sizes*, each exactly once, smallest items first.
    """
    groups: list[list[int]] = []
    for position in sorted(range(len(sizes)), key=sizes.__getitem__):
        last = groups[-1] if groups else []
        fits = total is None or (len(last) + 1) * sizes[position] <= total
        if last and len(last) < count and fits:
            last.append(position)
        else:
            groups.append([position])
    return groups


def readable(text: str, *, limit: int) -> str:
    """Return at most *limit* characters of *text*, lone surrogates replaced: no tokenizer takes them."""
    return text[:limit].encode("utf-8", "replace").decode("utf-8")
