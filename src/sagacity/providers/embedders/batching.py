"""Split texts into the batches that a model takes at a time."""

from collections.abc import Sequence


def batches(sizes: Sequence[int], *, count: int, total: int | None = None) -> list[list[int]]:
    """
    Group items of similar size, so that padding each group to its largest item wastes little.

    Args:
        sizes: one per item, in characters or tokens.
        count: the most items in a group, 1 or more.
        total: the largest padded size of a group (items x largest item); a larger item gets its own group.

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
    """Return at most *limit* characters of *text*, with lone surrogates replaced, which no tokenizer accepts."""
    return text[:limit].encode("utf-8", "replace").decode("utf-8")
