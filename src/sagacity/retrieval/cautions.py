"""Add cautions to the results, and keep them when the list is cut."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sagacity.domain.caution import cautions_touched
from sagacity.domain.query import Query, Scored
from sagacity.retrieval.evidence import Key
from sagacity.storage.transaction import Transaction

Item = TypeVar("Item")


async def cautions_for(snapshot: Transaction, query: Query) -> frozenset[Key]:
    """Return the user's cautions that the question touches, whether a strategy found them or not."""
    touched = cautions_touched(query.text)
    hits = await snapshot.search.cautions(query.wanted, touched) if touched else ()
    return frozenset((hit.kind, hit.owner_id) for hit in hits)


def within_limit(items: Sequence[Item], limit: int, is_caution: Callable[[Item], bool]) -> list[Item]:
    """Return up to *limit* of *items*, in order. All cautions are kept; the last other items make room for them."""
    warnings = min(sum(map(is_caution, items)), limit)
    if not warnings:
        return list(items[:limit])
    room = {True: warnings, False: limit - warnings}
    kept: list[Item] = []
    for one in items:
        if room[warns := is_caution(one)]:
            room[warns] -= 1
            kept.append(one)
    return kept


def is_caution(item: Scored) -> bool:
    """Whether *item* is a caution that the question touches."""
    return item.is_caution
