"""
The inverted index: stored packed with each document, and built in memory for the scopes that are searched.

A document's terms take a few hundred bytes of its row. A search builds segments of a scope from them, each with its
postings sorted by term. A segment never changes. Documents written later form a new segment and replace their former
versions, and small segments are merged. So after a write to a scope of 50,000 documents, the next search reads a few
of them and not all (a log-structured merge tree: O'Neil et al. 1996).
"""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from sagacity.storage.base import Scope, SearchScope
from sagacity.storage.hits import Ids
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.search.filters import PLAIN
from sagacity.storage.search.ranked import in_parts, off_the_loop
from sagacity.storage.statements.array_params import among

CACHE_BYTES = 128 * 2**20
"""For one process: the terms of 400,000 turns of 24 terms."""
_OVERHEAD_BYTES = 1_500
"""Memory of a segment besides its arrays."""
_FEW = 16
"""Most cached scopes that are read one by one; a user has fewer, one of each kind."""
_HASH_BYTES = 8
_MOST = 255
"""Highest frequency that is stored, to fit into a byte: BM25 saturates long before."""
_BYTES: Final = tuple(number.to_bytes() for number in range(_MOST + 1))
_PACKED = np.dtype([("term", "<u8"), ("frequency", "u1")])


def pack_terms(terms: Mapping[str, int]) -> bytes:
    """Pack counted terms into nine bytes each: the term's hash, and its frequency up to 255."""
    return b"".join([_hash(term) + _BYTES[min(count, _MOST)] for term, count in terms.items()])


def term_numbers(terms: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return the hashes of *terms* as the index stores them: uint64 [n]."""
    return np.frombuffer(b"".join(map(_hash, terms)), "<u8").astype(np.uint64)


@lru_cache(maxsize=65_536)
def _hash(term: str) -> bytes:
    """Hash a term to 64 bits. Among a million terms, the chance that any two share a hash is 3 in 100 million."""
    return blake2b(term.encode(), digest_size=_HASH_BYTES).digest()


@dataclass(frozen=True, slots=True)
class Matches:
    """Where terms occur in a segment: one row per posting, with term, document and frequency. All arrays are [n]."""

    terms: npt.NDArray[np.int64]
    places: npt.NDArray[np.int32]
    frequencies: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Documents:
    """All arrays are [n]: `ids` int64 ascending, `owners` int64, `lengths` in terms int32, `plain` bool."""

    ids: Ids
    owners: Ids
    lengths: npt.NDArray[np.int32]
    plain: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Postings:
    """Sorted by term: `terms` uint64 [m], `places` among the documents int32 [m], `frequencies` uint8 [m]."""

    terms: npt.NDArray[np.uint64]
    places: npt.NDArray[np.int32]
    frequencies: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Segment:
    """Documents of a scope with their postings; `live` bool [n] is false for those that have changed since."""

    documents: Documents
    postings: Postings
    live: npt.NDArray[np.bool_]
    live_count: int

    @property
    def nbytes(self) -> int:
        """Roughly what it takes in memory."""
        arrays = (
            *(self.documents.ids, self.documents.owners, self.documents.lengths, self.documents.plain),
            self.live,
            *(self.postings.terms, self.postings.places, self.postings.frequencies),
        )
        return _OVERHEAD_BYTES + sum(one.nbytes for one in arrays)

    def find(self, numbers: npt.NDArray[np.uint64]) -> Matches | None:
        """Return where the terms with these hashes (uint64 [n]) occur; None if nowhere."""
        starts = np.searchsorted(self.postings.terms, numbers, "left")
        counts = np.searchsorted(self.postings.terms, numbers, "right") - starts
        total = int(counts.sum())
        if not total:
            return None
        terms = np.repeat(np.arange(len(numbers)), counts)
        found = np.arange(total) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
        places, frequencies = self.postings.places[found], self.postings.frequencies[found]
        if self.live_count == len(self.live):
            return Matches(terms, places, frequencies)
        kept = self.live[places]
        return Matches(terms[kept], places[kept], frequencies[kept])

    def without(self, ids: Ids) -> "Segment":
        """Return the segment with these documents not live."""
        mine = self.documents.ids
        places = np.minimum(np.searchsorted(mine, ids), len(mine) - 1)
        dead = places[(mine[places] == ids) & self.live[places]]
        if not len(dead):
            return self
        live = self.live.copy()
        live[dead] = False
        return replace(self, live=live, live_count=self.live_count - len(dead))


@dataclass(frozen=True, slots=True)
class ScopeTerms:
    """A scope's terms as of a revision."""

    revision: int
    segments: tuple[Segment, ...]

    @property
    def nbytes(self) -> int:
        """Roughly what it takes in memory."""
        return sum(one.nbytes for one in self.segments)

    def with_changes(self, rows: Sequence[Any], revision: int) -> "ScopeTerms":
        """Return the terms with *rows*, the documents written since, added or replaced."""
        if not rows:
            return ScopeTerms(revision, self.segments)
        fresh = segment_of(rows)
        segments = [one.without(fresh.documents.ids) for one in self.segments]
        segments = [*(one for one in segments if one.live_count), fresh]
        while len(segments) > 1 and 2 * segments[-1].live_count > segments[-2].live_count:
            segments[-2:] = [_merged(segments[-2:])]
        return ScopeTerms(revision, tuple(segments))


Found = Mapping[int, ScopeTerms]
_NOTHING: Final = ScopeTerms(-1, ())


class TermIndex:
    """
    A bounded cache of the terms of the scopes that were searched last.

    A search reads only what was written since the previous one. What a writing transaction sees is not cached, as it
    may be rolled back.
    """

    def __init__(self, capacity_bytes: int = CACHE_BYTES) -> None:
        self._capacity = capacity_bytes
        self._kept: OrderedDict[int, ScopeTerms] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()  # readers of SQLite are threads

    async def read(self, scope: Scope, scopes: Sequence[SearchScope]) -> list[ScopeTerms]:
        """Return the terms of *scopes*, in the same order, as the transaction sees them."""
        found = {one.scope_id: self._usable(one) for one in scopes}
        for part in _parts([one for one in scopes if found[one.scope_id].revision < one.revision], found):
            for one, terms in await _brought_up(scope, part, found):
                self._keep(scope, one, terms)
                found[one.scope_id] = terms
        return [found[one.scope_id] for one in scopes]

    def forget(self) -> None:
        """Clear the cache."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def _usable(self, one: SearchScope) -> ScopeTerms:
        """Return what is cached of a scope, if newer documents can be added to it; otherwise empty terms."""
        with self._lock:
            kept = self._kept.get(one.scope_id, _NOTHING)
            if not one.removed_revision <= kept.revision <= one.revision:
                return _NOTHING
            self._kept.move_to_end(one.scope_id)
            return kept

    def _keep(self, scope: Scope, one: SearchScope, terms: ScopeTerms) -> None:
        if scope.writes:
            return
        with self._lock:
            former = self._kept.get(one.scope_id)
            if former is not None and former.revision > terms.revision:
                return
            self._kept[one.scope_id] = terms
            self._kept.move_to_end(one.scope_id)
            self._bytes += terms.nbytes - (0 if former is None else former.nbytes)
            while self._bytes > self._capacity and len(self._kept) > 1:
                self._bytes -= self._kept.popitem(last=False)[1].nbytes


def segment_of(rows: Sequence[Any]) -> Segment:
    """Build a segment of rows: id, owner, length in terms, packed terms, and whether the document is plain."""
    rows = sorted(rows, key=lambda row: row[0])
    packed = [row[3] for row in rows]
    postings = np.frombuffer(b"".join(packed), _PACKED)
    places = np.repeat(np.arange(len(rows), dtype=np.int32), [len(one) // _PACKED.itemsize for one in packed])
    documents = Documents(
        np.array([row[0] for row in rows], np.int64),
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.int32),
        np.array([row[4] for row in rows], np.bool_),
    )
    return _segment(
        documents, Postings(postings["term"].astype(np.uint64), places, postings["frequency"].copy())
    )


def _segment(documents: Documents, postings: Postings) -> Segment:
    """Build a segment of live documents; the postings may be in any order."""
    order = np.argsort(postings.terms, kind="stable")
    by_term = Postings(postings.terms[order], postings.places[order], postings.frequencies[order])
    return Segment(documents, by_term, np.ones(len(documents.ids), np.bool_), len(documents.ids))


def _merged(segments: Sequence[Segment]) -> Segment:
    """Merge the live documents of several segments into one."""
    ids = np.concatenate([one.documents.ids[one.live] for one in segments])
    order = np.argsort(ids, kind="stable")
    place_of = np.empty(len(ids), np.int32)
    place_of[order] = np.arange(len(ids), dtype=np.int32)
    parts: list[Postings] = []
    start = 0
    for one in segments:
        kept = one.live[one.postings.places]
        among_live = np.cumsum(one.live) - 1
        parts.append(
            Postings(
                one.postings.terms[kept],
                place_of[start + among_live[one.postings.places[kept]]],
                one.postings.frequencies[kept],
            )
        )
        start += one.live_count
    documents = Documents(
        ids[order],
        np.concatenate([one.documents.owners[one.live] for one in segments])[order],
        np.concatenate([one.documents.lengths[one.live] for one in segments])[order],
        np.concatenate([one.documents.plain[one.live] for one in segments])[order],
    )
    postings = Postings(
        np.concatenate([one.terms for one in parts]),
        np.concatenate([one.places for one in parts]),
        np.concatenate([one.frequencies for one in parts]),
    )
    return _segment(documents, postings)


def _parts(scopes: Sequence[SearchScope], found: Found) -> Iterator[list[SearchScope]]:
    """
    Split *scopes* into parts that one statement reads.

    Up to `_FEW` cached scopes are read one by one, each from its cached revision. All others are read together, some
    thousand documents at a time, even if part of them is cached.
    """
    changed = [one for one in scopes if found[one.scope_id] is not _NOTHING]
    few = changed if len(changed) <= _FEW else []
    yield from ([one] for one in few)
    yield from in_parts(one for one in scopes if one not in few)


async def _brought_up(
    scope: Scope, scopes: Sequence[SearchScope], found: Found
) -> list[tuple[SearchScope, ScopeTerms]]:
    """Read what was written to *scopes* since the revisions that are cached."""
    given = {
        "scope_ids": [one.scope_id for one in scopes],
        "revision": min(found[one.scope_id].revision for one in scopes),
    }
    rows: dict[int, list[Any]] = defaultdict(list)
    for row in await scope.all(_written_after(), given):
        if row.revision > found[row.scope_id].revision:
            rows[row.scope_id].append(row)

    def built() -> list[tuple[SearchScope, ScopeTerms]]:
        return [(one, found[one.scope_id].with_changes(rows[one.scope_id], one.revision)) for one in scopes]

    return await off_the_loop(sum(one.document_count for one in scopes if one.scope_id in rows), built)


@cache
def _written_after() -> sa.Select[*tuple[Any, ...]]:
    """Build the statement for documents of some scopes that were written after a revision."""
    column = search_documents.c
    shown = (column.document_id, column.owner_id, column.term_count, column.terms, PLAIN.label("is_plain"))
    return sa.select(*shown, column.scope_id, column.revision).where(
        among(column.scope_id, "scope_ids"), column.revision > sa.bindparam("revision")
    )
