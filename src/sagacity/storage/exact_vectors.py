"""Exact search by vector over half-precision blobs, with a bounded cache of large scopes."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from sagacity.domain.query import Filter
from sagacity.storage.base import Hit, Scope, SearchScope, Vectors
from sagacity.storage.repositories.search import admitted
from sagacity.storage.tables import search_documents

Ids = npt.NDArray[np.int64]

LARGE_SCOPE = 2_000
"""Documents from which a scope's vectors are worth keeping in memory."""
CACHE_BYTES = 256 * 2**20
_CHUNK = 8_192
_FIRST_LOOK = 256


@dataclass(frozen=True, slots=True)
class _Matrix:
    """A scope's vectors as they were at a revision: ids int64 [n] ascending, rows float32 [n, d]."""

    revision: int
    ids: Ids
    rows: Vectors


class ExactVectors:
    """
    Cosine over every admitted document: recall is 1 by construction.

    Small scopes are read and scored at each query: for some hundred rows that takes less than a millisecond. A large
    scope's vectors stay in memory, and each query reads only what has changed since, so that a write costs a user of
    50,000 memories one row, not all.
    """

    def __init__(self, capacity_bytes: int = CACHE_BYTES, *, large_scope: int = LARGE_SCOPE) -> None:
        self._capacity = capacity_bytes
        self._large_scope = large_scope
        self._cache: OrderedDict[int, _Matrix] = OrderedDict()

    async def search(
        self, scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, vector: Vectors, limit: int
    ) -> list[Hit]:
        """Return the documents nearest to *vector*; see `VectorIndex`."""
        # What a transaction has not committed must not be kept: it may be rolled back.
        large = [one for one in scopes if one.document_count >= self._large_scope and not scope.writes]
        small = [one for one in scopes if one not in large]
        found: list[Hit] = []
        if small:
            found += await self._scan(scope, small, wanted, vector, limit)
        for one in large:
            found += await self._look_up(scope, one, wanted, vector, limit)
        return _top(found, limit)

    async def _scan(
        self, scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, vector: Vectors, limit: int
    ) -> list[Hit]:
        column = search_documents.c
        statement = sa.select(column.document_id, column.owner_id, column.kind, column.vector).where(
            column.scope_id.in_([one.scope_id for one in scopes]),
            column.vector.is_not(None),
            *admitted(wanted),
        )
        best: list[Hit] = []
        result = await scope.connection.stream(statement)
        async for rows in result.partitions(_CHUNK):
            best = await asyncio.to_thread(_best_of, rows, vector, limit, best)
        return best

    async def _look_up(
        self, scope: Scope, one: SearchScope, wanted: Filter, vector: Vectors, limit: int
    ) -> list[Hit]:
        matrix = await self._matrix(scope, one)
        scores, order = await asyncio.to_thread(_rank, matrix.rows, vector)
        found: list[Hit] = []
        start, size = 0, max(_FIRST_LOOK, 4 * limit)
        while start < len(order) and len(found) < limit:
            part = order[start : start + size]
            found += await _admit(scope, wanted, matrix.ids[part], scores[part])
            start, size = start + size, min(size * 4, _CHUNK)
        return found[:limit]

    async def _matrix(self, scope: Scope, one: SearchScope) -> _Matrix:
        known = self._cache.get(one.scope_id)
        if known is not None and known.revision >= one.revision:
            self._cache.move_to_end(one.scope_id)
            if known.revision == one.revision:
                return known
        usable = known is not None and one.removed_revision <= known.revision <= one.revision
        fresh = await _load(scope, one, after=known.revision if known and usable else -1)
        if known is not None and usable:
            fresh = _merge(known, fresh)
        self._keep(one.scope_id, fresh)
        return fresh

    def _keep(self, scope_id: int, matrix: _Matrix) -> None:
        kept = self._cache.get(scope_id)
        if kept is not None and kept.revision > matrix.revision:
            return
        self._cache[scope_id] = matrix
        self._cache.move_to_end(scope_id)
        while sum(one.rows.nbytes for one in self._cache.values()) > self._capacity and len(self._cache) > 1:
            self._cache.popitem(last=False)


async def _load(scope: Scope, one: SearchScope, *, after: int) -> _Matrix:
    column = search_documents.c
    statement = (
        sa.select(column.document_id, column.vector)
        .where(column.scope_id == one.scope_id, column.revision > after, column.vector.is_not(None))
        .order_by(column.document_id)
    )
    rows = (await scope.connection.execute(statement)).all()
    ids, matrix = await asyncio.to_thread(_unpack, rows)
    return _Matrix(one.revision, ids, matrix)


def _unpack(rows: Sequence[Any]) -> tuple[Ids, Vectors]:
    ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    if not rows:
        return ids, np.zeros((0, 0), np.float32)
    packed = np.frombuffer(b"".join(row[-1] for row in rows), "<f2")
    return ids, packed.reshape(len(rows), -1).astype(np.float32)


def _merge(known: _Matrix, fresh: _Matrix) -> _Matrix:
    """Put changed rows in the place of the old and new ones behind; ids stay ascending."""
    if not len(fresh.ids):
        return _Matrix(fresh.revision, known.ids, known.rows)
    if not len(known.ids):
        return fresh
    keep = ~np.isin(known.ids, fresh.ids)
    ids = np.concatenate([known.ids[keep], fresh.ids])
    rows = np.concatenate([known.rows[keep], fresh.rows])
    order = np.argsort(ids, kind="stable")
    return _Matrix(fresh.revision, ids[order], rows[order])


def _rank(rows: Vectors, vector: Vectors) -> tuple[Vectors, Ids]:
    """Score every row; returns the scores float32 [n] and the row numbers, best first."""
    if not len(rows):
        return np.zeros(0, np.float32), np.zeros(0, np.int64)
    scores = rows @ vector
    return scores, np.argsort(-scores, kind="stable")


def _best_of(rows: Sequence[Any], vector: Vectors, limit: int, before: Sequence[Hit]) -> list[Hit]:
    """Score a chunk of rows and keep the best of it and of those *before*."""
    _, matrix = _unpack(rows)
    scores, order = _rank(matrix, vector)
    counts: Counter[str] = Counter()
    hits: list[Hit] = []
    for i in order.tolist():
        row = rows[i]
        if counts[row.kind] < limit:
            counts[row.kind] += 1
            hits.append(Hit(row.document_id, row.owner_id, row.kind, float(scores[i])))
    return _top([*before, *hits], limit)


def _top(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """Keep the best *limit* of each kind, best first, ties by document."""
    counts: Counter[str] = Counter()
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (-hit.score, hit.document_id)):
        if counts[hit.kind] < limit:
            counts[hit.kind] += 1
            kept.append(hit)
    return kept


async def _admit(scope: Scope, wanted: Filter, ids: Ids, scores: Vectors) -> list[Hit]:
    """Keep of *ids* (best first) what *wanted* admits."""
    column = search_documents.c
    statement = sa.select(column.document_id, column.owner_id, column.kind).where(
        column.document_id.in_(ids.tolist()), *admitted(wanted)
    )
    rows = {row.document_id: row for row in await scope.all(statement)}
    return [
        Hit(number, rows[number].owner_id, rows[number].kind, float(score))
        for number, score in zip(ids.tolist(), scores.tolist(), strict=True)
        if number in rows
    ]
