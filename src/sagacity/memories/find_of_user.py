"""Search a user's memories by the chat contract's formula."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from sagacity.domain.ids import UserId
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Filter, Query, Ranking, Scored, StrategyName, Trace
from sagacity.memories.acting import Acting
from sagacity.memories.search import found_by_kind
from sagacity.memories.usage import note_found


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuery:
    """What to look for, and how."""

    text: str
    kinds: tuple[MemoryKind, ...]
    limit: int
    least_score: float = 0.0
    by_meaning: bool = True
    by_words: bool = True
    start: datetime | None = None
    """When the event in the memory happened or was said: not before this."""
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class FoundOfUser:
    """What was found: best first, each with the strategies that found it."""

    results: Sequence[tuple[Scored, Memory, Sequence[str]]]
    total: int
    """Including those over the limit."""
    milliseconds: float
    trace: Trace


async def find_of_user(acting: Acting, user_id: UserId, wish: MemoryQuery) -> FoundOfUser:
    """Return a user's memories that match a question. Returned memories count as used."""
    started = time.perf_counter()
    asked = {StrategyName.KEYWORD: wish.by_words, StrategyName.VECTOR: wish.by_meaning}
    query = Query(
        text=wish.text,
        wanted=Filter(kinds=wish.kinds, user_id=user_id, event_start=wish.start, event_end=wish.end),
        limit=wish.limit,
        least_score=wish.least_score,
        ranking=Ranking.WEIGHTED,
        strategies=tuple(name for name, is_asked in asked.items() if is_asked),
        keeps_cautions=False,
    )
    by_kind, trace = await found_by_kind(acting, query)
    every = sorted(chain(*by_kind.values()), key=lambda one: -one.score)
    results = [
        (one, one.memory, [str(name) for name in asked if name in one.components])
        for one in every[: wish.limit]
        if one.memory is not None
    ]
    note_found(acting, query.wanted, [one for one, _, _ in results])
    acting.parts.accesses.note(acting.tenant, [memory.memory_id for _, memory, _ in results])
    total = len(every) + trace.dropped.get("over_limit", 0)
    return FoundOfUser(results, total, round((time.perf_counter() - started) * 1000, 3), trace)
