"""Rank a replaced memory below the memory that replaced it, however well it matches; pure."""

from collections.abc import Mapping, Sequence

from sagacity.domain.query import Scored


def successors_first(items: Sequence[Scored]) -> tuple[Scored, ...]:
    """Return *items*, best first; a memory that ranks above one that supersedes it moves to the rank right below it."""
    by_number = {int(item.memory.memory_id): item for item in items if item.memory is not None}
    if not any(_successor(item, by_number) for item in items):
        return tuple(items)
    ranked = [(*_place(item, by_number), item) for item in items]
    ranked.sort(key=lambda one: (-one[0], one[1]))
    return tuple(item.model_copy(update={"score": score}) for score, _, item in ranked)


def _place(item: Scored, by_number: Mapping[int, Scored]) -> tuple[float, int]:
    """Return the highest score that *item* may have, and how many of the items succeeded it, one after the other."""
    score, seen = item.score, {id(item)}
    while (later := _successor(item, by_number)) is not None and id(later) not in seen:
        seen.add(id(later))
        item, score = later, min(score, later.score)
    return score, len(seen) - 1


def _successor(item: Scored, by_number: Mapping[int, Scored]) -> Scored | None:
    number = item.memory.superseded_by if item.memory is not None else None
    return None if number is None else by_number.get(int(number))
