"""Exact search over half-precision vectors, with a bounded cache of large scopes."""

import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from sagacity.domain.paced import give_way
from sagacity.domain.query import Filter
from sagacity.storage.base import Nearest, Scope, SearchScope, Vectors
from sagacity.storage.hits import Ids, KindHits, best_of
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.search.filters import PLAIN, SHAPES, admits_plain, admitted, values_of
from sagacity.storage.search.ranked import CHUNK, Ranked, best_admitted, in_parts, off_the_loop, withheld
from sagacity.storage.statements.array_params import among

LARGE_SCOPE = 256
"""Number of documents from which a scope's vectors are kept in memory."""
CACHE_BYTES = 256 * 2**20
_SCORES_AT_ONCE = 2_000_000
"""Scores that are computed at a time: 8 MB."""


@dataclass(frozen=True, slots=True)
class _Matrix:
    """
    A scope's documents as of a revision.

    Arrays are [n]: `ids` int64 ascending, `owners` int64, `plain` bool; and `rows`, the vectors, float32 [n, d].
    """

    revision: int
    kind: str
    ids: Ids
    owners: Ids
    plain: npt.NDArray[np.bool_]
    rows: Vectors


class ExactVectors:
    """
    Cosine similarity to every admitted document, so recall is 1 by construction.

    A small scope is read and scored for each query, which takes less than a millisecond. The vectors of a large scope
    stay in memory, and a query reads only the rows that have changed since: after a write, one row instead of 50,000.
    """

    waits = False

    def __init__(self, capacity_bytes: int = CACHE_BYTES, *, large_scope: int = LARGE_SCOPE) -> None:
        self._capacity = capacity_bytes
        self._large_scope = large_scope
        self._cache: OrderedDict[int, _Matrix] = OrderedDict()
        self._lock = threading.Lock()  # readers of SQLite are threads

    async def search(
        self, scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, vector: Vectors, limit: int
    ) -> Nearest:
        """Return the documents nearest to *vector*; see `VectorIndex`."""
        # Uncommitted rows must not be cached: they may be rolled back.
        least = self._large_scope if not scope.writes else sys.maxsize
        large = [one for one in scopes if one.document_count >= least]
        small = [one for one in scopes if one.document_count < least]
        found: list[KindHits] = []
        if small:
            found += await _best_of_small(scope, small, wanted, vector, limit)
        if large:
            matrices = [await self._matrix(scope, one) for one in large]
            ranked = [await _ranked(one, vector) for one in matrices]
            found += await best_admitted(scope, ranked, wanted, limit)
        return Nearest(best_of(found, limit))

    async def search_many(
        self, scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, vectors: Vectors, limit: int
    ) -> list[Nearest]:
        """Search by several *vectors* (float32 [n, d]) at once, with one matrix product per scope."""
        found: list[list[KindHits]] = [[] for _ in vectors]
        for one in scopes:
            is_kept = one.document_count >= self._large_scope and not scope.writes
            matrix = await self._matrix(scope, one) if is_kept else await _load(scope, one, after=-1)
            for place, hits in enumerate(await _look_up_many(scope, matrix, wanted, vectors, limit)):
                found[place].append(hits)
        return [Nearest(best_of(parts, limit)) for parts in found]

    def forget(self) -> None:
        """Clear the cache."""
        with self._lock:
            self._cache.clear()

    async def _matrix(self, scope: Scope, one: SearchScope) -> _Matrix:
        with self._lock:
            known = self._cache.get(one.scope_id)
            if known is not None:
                self._cache.move_to_end(one.scope_id)
        if known is not None and known.revision == one.revision:
            return known
        usable = known is not None and one.removed_revision <= known.revision <= one.revision
        fresh = await _load(scope, one, after=known.revision if known and usable else -1)
        if known is not None and usable:
            fresh = _merge(known, fresh)
        self._keep(one.scope_id, fresh)
        return fresh

    def _keep(self, scope_id: int, matrix: _Matrix) -> None:
        with self._lock:
            kept = self._cache.get(scope_id)
            if kept is not None and kept.revision > matrix.revision:
                return
            self._cache[scope_id] = matrix
            self._cache.move_to_end(scope_id)
            while (
                sum(one.rows.nbytes for one in self._cache.values()) > self._capacity and len(self._cache) > 1
            ):
                self._cache.popitem(last=False)


async def _best_of_small(
    scope: Scope, small: Sequence[SearchScope], wanted: Filter, vector: Vectors, limit: int
) -> list[KindHits]:
    """Read every admitted document of *small* scopes, some thousands at a time; the best *limit* of each kind."""
    values = values_of(wanted)
    best: list[KindHits] = []
    for part in in_parts(small):
        given = {"scope_ids": [one.scope_id for one in part]} | values
        rows = await scope.all(_of_scopes(tuple(values)), given)
        best = await off_the_loop(len(rows), _best_of, rows, vector, limit, best)
    return best


async def scan(
    scope: Scope, where: Sequence[sa.ColumnElement[bool]], wanted: Filter, vector: Vectors, limit: int
) -> list[KindHits]:
    """Read every admitted document that matches *where*, and return the best *limit* of each kind."""
    values = values_of(wanted)
    statement = _embedded(tuple(values)).where(*where)
    best: list[KindHits] = []
    result = await scope.connection.stream(statement, values)
    async for rows in result.partitions(CHUNK):
        best = await off_the_loop(len(rows), _best_of, rows, vector, limit, best)
    return best


@lru_cache(maxsize=SHAPES)
def _of_scopes(fields: tuple[str, ...]) -> sa.Select[*tuple[Any, ...]]:
    """Build the statement for what these fields admit of some scopes."""
    return _embedded(fields).where(among(search_documents.c.scope_id, "scope_ids"))


def _embedded(fields: tuple[str, ...]) -> sa.Select[*tuple[Any, ...]]:
    column = search_documents.c
    return sa.select(column.document_id, column.owner_id, column.kind, column.vector).where(
        column.vector.is_not(None), *admitted(fields)
    )


async def _load(scope: Scope, one: SearchScope, *, after: int) -> _Matrix:
    column = search_documents.c
    statement = (
        sa.select(column.document_id, column.owner_id, PLAIN.label("is_plain"), column.vector)
        .where(column.scope_id == one.scope_id, column.revision > after, column.vector.is_not(None))
        .order_by(column.document_id)
    )
    rows = (await scope.connection.execute(statement)).all()
    plain = np.fromiter((row.is_plain for row in rows), np.bool_, len(rows))
    ids, owners, matrix = await off_the_loop(len(rows), _unpack, rows)
    return _Matrix(one.revision, one.kind, ids, owners, plain, matrix)


def _unpack(rows: Sequence[Any]) -> tuple[Ids, Ids, Vectors]:
    ids, owners = (np.fromiter((row[place] for row in rows), np.int64, len(rows)) for place in (0, 1))
    if not rows:
        return ids, owners, np.zeros((0, 0), np.float32)
    packed = np.frombuffer(b"".join(row[-1] for row in rows), "<f2")
    return ids, owners, packed.reshape(len(rows), -1).astype(np.float32)


def _merge(known: _Matrix, fresh: _Matrix) -> _Matrix:
    """Replace changed rows and append new ones; ids stay ascending."""
    if not len(fresh.ids):
        return replace(known, revision=fresh.revision)
    if not len(known.ids):
        return fresh
    keep = ~np.isin(known.ids, fresh.ids)
    ids = np.concatenate([known.ids[keep], fresh.ids])
    owners = np.concatenate([known.owners[keep], fresh.owners])
    plain = np.concatenate([known.plain[keep], fresh.plain])
    rows = np.concatenate([known.rows[keep], fresh.rows])
    order = np.argsort(ids, kind="stable")
    return _Matrix(fresh.revision, fresh.kind, ids[order], owners[order], plain[order], rows[order])


def _cosines(rows: Vectors, vector: Vectors) -> Vectors:
    """Return the cosine of each row to *vector*: float32 [n]."""
    return rows @ vector if len(rows) else np.zeros(0, np.float32)


async def _ranked(matrix: _Matrix, vector: Vectors) -> Ranked:
    """Score all documents of a scope."""
    scores = await off_the_loop(len(matrix.ids), _cosines, matrix.rows, vector)
    return Ranked(matrix.kind, matrix.ids, matrix.owners, scores, matrix.plain)


def _best_of(rows: Sequence[Any], vector: Vectors, limit: int, before: Sequence[KindHits]) -> list[KindHits]:
    """Score a chunk of rows, and return the best of these and of those *before*, by kind."""
    ids, owners, matrix = _unpack(rows)
    scores = _cosines(matrix, vector)
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.kind, []).append(place)
    parts = [
        KindHits(kind, ids[some], owners[some], scores[some], np.ones(len(some)))
        for kind, some in places.items()
    ]
    return list(best_of([*before, *parts], limit).parts)


async def _look_up_many(
    scope: Scope, matrix: _Matrix, wanted: Filter, vectors: Vectors, limit: int
) -> list[KindHits]:
    """Rank a cached scope for each of *vectors*; a vector with too few admitted neighbours is searched again, alone."""
    if not len(matrix.ids):
        return [KindHits.of(matrix.kind, ()) for _ in vectors]
    size = min(2 * limit, len(matrix.ids))
    step = max(1, _SCORES_AT_ONCE // len(matrix.ids))
    found: list[KindHits] = []
    trusts = admits_plain(wanted)
    for start in range(0, len(vectors), step):
        asked = vectors[start : start + step]
        scores, places = await off_the_loop(asked.size * len(matrix.ids), _nearest, matrix.rows, asked, size)
        reached = np.unique(places)
        asked_about = reached[~matrix.plain[reached]] if trusts else reached
        out = await withheld(scope, wanted, matrix.ids[asked_about].tolist())
        for vector, near, near_scores in zip(asked, places, scores, strict=True):
            numbers = matrix.ids[near]
            hits = KindHits(matrix.kind, numbers, matrix.owners[near], near_scores, np.ones(len(near)))
            hits = hits.without(out).taken(slice(limit))
            if len(hits) < limit and size < len(matrix.ids):
                [hits] = await best_admitted(scope, [await _ranked(matrix, vector)], wanted, limit)
            found.append(hits)
            await give_way()
    return found


def _nearest(rows: Vectors, vectors: Vectors, size: int) -> tuple[Vectors, Ids]:
    """Return the scores (float32 [n, size]) and row numbers of the *size* rows nearest to each vector, best first."""
    scores = vectors @ rows.T
    places = np.sort(np.argpartition(-scores, size - 1, axis=1)[:, :size], axis=1)  # ties stay in their order
    near = np.take_along_axis(scores, places, axis=1)
    order = np.argsort(-near, axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(places, order, axis=1)
