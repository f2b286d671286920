"""Filter a ranking that was computed in memory: ask the database which of the best may not be returned."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from sagacity.domain.paced import is_on_a_loop
from sagacity.domain.query import Filter
from sagacity.storage.base import Scope, SearchScope
from sagacity.storage.hits import Ids, KindHits, Scores, joined
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.search.filters import SHAPES, admits_plain, admitted, values_of
from sagacity.storage.statements.array_params import among

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

CHUNK = 8_192
"""Documents that are read or checked at a time."""
_WORTH_A_THREAD = 4_000


@dataclass(frozen=True, slots=True)
class Ranked:
    """Scored documents of one kind. Arrays are [n]: `ids` int64 ascending, `owners` int64, `scores`, `plain` bool."""

    kind: str
    ids: Ids
    owners: Ids
    scores: Scores
    plain: npt.NDArray[np.bool_]
    ceiling: float = 1.0
    """The highest possible score."""

    def page(self, start: int, size: int) -> tuple[KindHits, Ids]:
        """Return *size* rows from rank *start*, best first, ties by id; and the ids of those that are not plain."""
        order = best_first(self.scores, start + size)[start : start + size]
        ceilings = np.full(len(order), self.ceiling)
        ids = self.ids[order]
        hits = KindHits(self.kind, ids, self.owners[order], self.scores[order], ceilings)
        return hits, ids[~self.plain[order]]


def in_parts(scopes: Iterable[SearchScope]) -> Iterator[list[SearchScope]]:
    """Split *scopes* into parts of at most `CHUNK` documents each, or of one larger scope."""
    part: list[SearchScope] = []
    documents = 0
    for one in scopes:
        if part and documents + one.document_count > CHUNK:
            yield part
            part, documents = [], 0
        part.append(one)
        documents += one.document_count
    if part:
        yield part


def best_first(scores: Scores, count: int) -> Ids:
    """Return the numbers of the *count* best rows or a few more, best first; only these are sorted."""
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        if not np.isnan(least):
            near = np.flatnonzero(scores >= least)
            return near[np.argsort(-scores[near], kind="stable")]
    return np.argsort(-scores, kind="stable")


async def best_admitted(scope: Scope, ranked: Sequence[Ranked], wanted: Filter, limit: int) -> list[KindHits]:
    """
    Return the best *limit* documents of each of *ranked* that *wanted* admits.

    The database is asked, best first, which of them are not admitted; about plain ones only if *wanted* does not admit
    all of these. Most searches need one statement or none.
    """
    trusts = admits_plain(wanted)
    found: list[list[KindHits]] = [[] for _ in ranked]
    start, size = 0, limit + limit // 4
    while short := [
        i for i, one in enumerate(ranked) if start < len(one.ids) and sum(map(len, found[i])) < limit
    ]:
        pages = {i: ranked[i].page(start, size) for i in short}
        asked = [others if trusts else page.ids for page, others in pages.values()]
        out = await withheld(scope, wanted, np.concatenate(asked).tolist())
        for i, (page, _) in pages.items():
            found[i].append(page.without(out))
        start, size = start + size, min(size * 4, CHUNK)
    return [joined(pages).taken(slice(limit)) for pages in found if pages]


async def withheld(scope: Scope, wanted: Filter, ids: Sequence[int]) -> set[int]:
    """Return the documents among *ids* that *wanted* does not admit."""
    values, numbers = values_of(wanted), set[int]()
    if not values:
        return numbers
    for start in range(0, len(ids), CHUNK):
        given = {"ids": ids[start : start + CHUNK]} | values
        numbers.update(row[0] for row in await scope.all(_not_admitted(tuple(values)), given))
    return numbers


@lru_cache(maxsize=SHAPES)
def _not_admitted(fields: tuple[str, ...]) -> sa.Select[*tuple[int]]:
    """Build the statement for documents of given numbers that these fields do not admit, or for which they are null."""
    column = search_documents.c
    return sa.select(column.document_id).where(
        among(column.document_id, "ids"), sa.and_(*admitted(fields)).is_not(sa.true())
    )


async def off_the_loop(
    rows: int, work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Run *work* in a thread if it takes long; here if a thread would cost more, or if this is one already."""
    if rows < _WORTH_A_THREAD or not is_on_a_loop():
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)
