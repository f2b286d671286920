"""What was scored in memory, cut down to what may be found: the database says of the best ones which may not."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from operator import attrgetter
from typing import ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from sagacity.domain.paced import is_on_a_loop
from sagacity.domain.query import Filter
from sagacity.storage.base import Hit, Scope
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.search.filters import SHAPES, admitted, values_of
from sagacity.storage.statements.array_params import among

Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.floating]
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

CHUNK = 8_192
"""Documents that are read, or asked about, at a time."""
_WORTH_A_THREAD = 4_000
_DOCUMENT, _SCORE = attrgetter("document_id"), attrgetter("score")


@dataclass(frozen=True, slots=True)
class Ranked:
    """Documents of one kind with their scores: ids int64 [n] ascending, owners int64 [n], scores [n]."""

    kind: str
    ids: Ids
    owners: Ids
    scores: Scores

    def page(self, start: int, size: int) -> tuple[list[int], list[int], list[float]]:
        """Return the ids, owners and scores of *size* rows from place *start* on, best first, ties by id."""
        order = best_first(self.scores, start + size)[start : start + size]
        return self.ids[order].tolist(), self.owners[order].tolist(), self.scores[order].tolist()


def best_first(scores: Scores, count: int) -> Ids:
    """Return the numbers of at least *count* rows, if there are so many, best first: only those are sorted."""
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        if not np.isnan(least):
            near = np.flatnonzero(scores >= least)
            return near[np.argsort(-scores[near], kind="stable")]
    return np.argsort(-scores, kind="stable")


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Return *hits* best first, ties by document. Sorted twice, as to make a key of both for each takes longer."""
    ordered = sorted(hits, key=_DOCUMENT)
    ordered.sort(key=_SCORE, reverse=True)
    return ordered


async def best_admitted(
    scope: Scope, ranked: Sequence[Ranked], wanted: Filter, limit: int, *, ceiling: float = 1.0
) -> list[Hit]:
    """
    Return the best *limit* of each of *ranked* that *wanted* admits; no score is higher than *ceiling*.

    The database is asked, best first, which of them may not be found: mostly few, so that one question is enough.
    """
    found: list[list[Hit]] = [[] for _ in ranked]
    start, size = 0, limit + limit // 4
    while short := [i for i, one in enumerate(ranked) if start < len(one.ids) and len(found[i]) < limit]:
        parts = {i: ranked[i].page(start, size) for i in short}
        out = await withheld(scope, wanted, [number for ids, *_ in parts.values() for number in ids])
        for i, part in parts.items():
            hits = Hit.of_rows(zip(*part[:2], repeat(ranked[i].kind), part[2], repeat(ceiling), strict=False))
            found[i] += [hit for hit in hits if hit.document_id not in out] if out else hits
        start, size = start + size, min(size * 4, CHUNK)
    return [hit for hits in found for hit in hits[:limit]]


async def withheld(scope: Scope, wanted: Filter, ids: Sequence[int]) -> set[int]:
    """Return those of the documents *ids* that *wanted* does not admit."""
    values, numbers = values_of(wanted), set[int]()
    if not values:
        return numbers
    for start in range(0, len(ids), CHUNK):
        given = {"ids": ids[start : start + CHUNK]} | values
        numbers.update(row[0] for row in await scope.all(_not_admitted(tuple(values)), given))
    return numbers


@lru_cache(maxsize=SHAPES)
def _not_admitted(fields: tuple[str, ...]) -> sa.Select[*tuple[int]]:
    """Build the statement for documents of given numbers that these fields do not admit, or say nothing of."""
    column = search_documents.c
    return sa.select(column.document_id).where(
        among(column.document_id, "ids"), sa.and_(*admitted(fields)).is_not(sa.true())
    )


async def off_the_loop(
    rows: int, work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Run *work* in a thread where others would notice its time; here where that costs more, or is a thread already."""
    if rows < _WORTH_A_THREAD or not is_on_a_loop():
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)
