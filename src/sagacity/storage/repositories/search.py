"""The search documents: written with what they stand for, found by term and by vector."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from pydantic import JsonValue

from sagacity.domain.interaction import INTERACTION
from sagacity.domain.memory import Approval, MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.storage.base import Hit, Nearest, Scope, SearchScope, Vectors
from sagacity.storage.bm25 import best_by_terms
from sagacity.storage.keywords import date_terms, first_person_share, terms_of
from sagacity.storage.repositories.scopes import grow_scope, scopes_of
from sagacity.storage.restate import restate
from sagacity.storage.standing import (
    Newest,
    Standing,
    admitted_memories,
    newest_memories,
    newest_turns,
    standing_of,
)
from sagacity.storage.tables import search_documents, search_scopes, search_terms
from sagacity.storage.views import MAX_EMBED_ATTEMPTS

_KEYS_A_STATEMENT = 5_000


@dataclass(frozen=True, slots=True)
class Document:
    """What is searched in place of a memory or a turn."""

    kind: str
    owner_id: int
    text: str
    changed_at: datetime
    user_id: str = ""
    """Empty for what belongs to the tenant."""
    status: Status = Status.CURRENT
    approval: Approval = Approval.PENDING
    agent_version: str = ""
    name: str = ""
    source: str = ""
    request_id: str | None = None
    expires_at: datetime | None = None
    created_at: datetime | None = None
    """When it was learned or arrived; None for `changed_at`."""
    event_at: datetime | None = None
    """When it happened; None for when it was learned or arrived."""
    archived_at: datetime | None = None
    facts: Mapping[str, JsonValue] | None = None
    """Tags and metadata to filter by, as `storage/filters.py` reads them; those of a turn are with its request."""
    vector: Vectors | None = None
    """float32 [d], unit length; None puts the document in the queue for embedding."""


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A document that waits for its vector."""

    document_id: int
    revision: int
    text: str


def pack(vector: Vectors) -> bytes:
    """Turn float32 [d] into little-endian half precision: half the bytes, cosine within 0.001."""
    return vector.astype("<f2").tobytes()


def unpack(packed: bytes) -> Vectors:
    """Turn little-endian half precision into float32 [d]."""
    return np.frombuffer(packed, "<f2").astype(np.float32)


def _event_at(document: Document) -> datetime:
    return document.event_at or document.created_at or document.changed_at


def _terms(kind: str, text: str, event_at: datetime | None) -> Counter[str]:
    """Count what a document is found by: the words of its text, and of a turn those of its date."""
    terms = terms_of(text)
    if kind == INTERACTION and event_at is not None:
        terms += date_terms(event_at)
    return terms


class SearchRepository:
    """A tenant's search documents. Every write of a memory or a turn goes through `put` or `remove`."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._reached: dict[Filter, list[SearchScope]] = {}

    async def put(self, documents: Sequence[Document]) -> None:
        """Write *documents* in place of those of the same owners, found by term as soon as this commits."""
        if not documents:
            return
        self._reached.clear()
        by_kind: dict[str, list[int]] = defaultdict(list)
        for document in documents:
            by_kind[document.kind].append(document.owner_id)
        for kind, owners in by_kind.items():
            if kind != INTERACTION:  # a turn is never edited, so it can not be there yet
                await self.remove(kind, owners)
        terms = [_terms(one.kind, one.text, _event_at(one)) for one in documents]
        scopes = await self._grow(documents, terms)
        rows = [
            self._row(document, counts, *scopes[document.kind, document.user_id])
            for document, counts in zip(documents, terms, strict=True)
        ]
        column = search_documents.c
        found = await self._scope.all(
            search_documents.insert().returning(column.document_id, column.kind, column.owner_id), rows
        )
        numbers = {(row.kind, row.owner_id): row.document_id for row in found}
        postings = [
            {
                "scope_id": scopes[document.kind, document.user_id][0],
                "term": term,
                "document_id": numbers[document.kind, document.owner_id],
                "frequency": frequency,
                "org_id": self._scope.org_id,
            }
            for document, counts in zip(documents, terms, strict=True)
            for term, frequency in counts.items()
        ]
        if postings:
            postings.sort(key=lambda one: (one["scope_id"], one["term"]))  # as the table lies on disk
            await self._scope.run(search_terms.insert(), postings)

    def _row(self, document: Document, counts: Counter[str], scope_id: int, revision: int) -> dict[str, Any]:
        return {
            "org_id": self._scope.org_id,
            "scope_id": scope_id,
            "kind": document.kind,
            "owner_id": document.owner_id,
            "status": str(document.status),
            "approval": str(document.approval),
            "agent_version": document.agent_version,
            "name": document.name,
            "source": document.source,
            "request_id": document.request_id,
            "changed_at": document.changed_at,
            "expires_at": document.expires_at,
            "created_at": document.created_at or document.changed_at,
            "event_at": _event_at(document),
            "archived_at": document.archived_at,
            "facts": document.facts,
            "text": document.text,
            "term_count": counts.total(),
            "first_person": first_person_share(document.text) if document.kind == INTERACTION else None,
            "revision": revision,
            "vector": None if document.vector is None else pack(document.vector),
            "embed_attempts": 0,
            "embed_error": "",
        }

    async def _grow(
        self, documents: Sequence[Document], terms: Sequence[Counter[str]]
    ) -> dict[tuple[str, str], tuple[int, int]]:
        """Count the new documents into their scopes; returns each scope's id and new revision."""
        sizes: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        for document, counts in zip(documents, terms, strict=True):
            size = sizes[document.kind, document.user_id]
            size[0] += 1
            size[1] += counts.total()
        rows = await self._scope.all(
            self._scope.upsert(grow_scope),
            [
                {
                    "org_id": self._scope.org_id,
                    "kind": kind,
                    "user_id": user_id,
                    "document_count": count,
                    "term_count": total,
                    "revision": 1,
                }
                for (kind, user_id), (count, total) in sorted(sizes.items())
            ],
        )
        return {(row.kind, row.user_id): (row.scope_id, row.revision) for row in rows}

    async def remove(self, kind: str, owner_ids: Sequence[int]) -> None:
        """Remove the documents of these owners, with their terms."""
        self._reached.clear()
        for start in range(0, len(owner_ids), _KEYS_A_STATEMENT):
            await self._remove(kind, owner_ids[start : start + _KEYS_A_STATEMENT])

    async def _remove(self, kind: str, owner_ids: Sequence[int]) -> None:
        column = search_documents.c
        rows = await self._scope.all(
            sa.delete(search_documents)
            .where(
                column.org_id == self._scope.org_id, column.kind == kind, column.owner_id.in_(list(owner_ids))
            )
            .returning(
                *(column.scope_id, column.document_id, column.text, column.event_at, column.term_count)
            )
        )
        if not rows:
            return
        keys = [
            {"s": row.scope_id, "t": term, "d": row.document_id}
            for row in rows
            for term in _terms(kind, row.text, row.event_at)
        ]
        if keys:
            posting = search_terms.c
            await self._scope.run(
                sa.delete(search_terms).where(
                    posting.scope_id == sa.bindparam("s"),
                    posting.term == sa.bindparam("t"),
                    posting.document_id == sa.bindparam("d"),
                ),
                keys,
            )
        sizes: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        for row in rows:
            sizes[row.scope_id][0] += 1
            sizes[row.scope_id][1] += row.term_count
        scope = search_scopes.c
        await self._lock(sizes)
        await self._scope.run(
            sa.update(search_scopes)
            .where(scope.scope_id == sa.bindparam("s"))
            .values(
                document_count=scope.document_count - sa.bindparam("n"),
                term_count=scope.term_count - sa.bindparam("m"),
                revision=scope.revision + 1,
                removed_revision=scope.revision + 1,
            ),
            [{"s": scope_id, "n": count, "m": total} for scope_id, (count, total) in sizes.items()],
        )

    async def restate(self, kind: MemoryKind, moved: sa.Select[tuple[int]]) -> None:
        """Let the documents of the memories that *moved* selects say their statuses; see `storage/restate.py`."""
        self._reached.clear()
        await restate(self._scope, kind, moved)

    async def by_terms(self, wanted: Filter, text: str, limit: int) -> list[Hit]:
        """Return up to *limit* of each kind that share terms with *text*, scored by BM25; see `storage/bm25.py`."""
        return await best_by_terms(self._scope, await self.scopes(wanted), wanted, text, limit=limit)

    async def by_vector(self, wanted: Filter, vector: Vectors, limit: int) -> Nearest:
        """Return up to *limit* of each kind nearest to *vector* (float32 [d], unit length), scored by the cosine."""
        scopes = await self.scopes(wanted)
        if not scopes:
            return Nearest([])
        return await self._scope.backend.vectors.search(self._scope, scopes, wanted, vector, limit)

    async def standing_of(self, hits: Sequence[Hit]) -> dict[tuple[str, int], Standing]:
        """Return what is known of documents besides how well they match, by kind and owner."""
        return await standing_of(self._scope, hits)

    async def admitted(self, wanted: Filter, scores: Mapping[int, float]) -> list[Hit]:
        """Return those of the memories with *scores*, by id, that *wanted* admits, best first."""
        return await admitted_memories(self._scope, wanted, scores)

    async def newest_memories(self, wanted: Filter, kind: MemoryKind, limit: int) -> list[Newest]:
        """Return one user's memories of *kind* that *wanted* admits, those changed last first."""
        return await newest_memories(self._scope, wanted, kind, limit=limit)

    async def newest_turns(self, wanted: Filter, limit: int) -> list[Newest]:
        """Return one user's turns that *wanted* admits, newest first."""
        return await newest_turns(self._scope, wanted, limit=limit)

    async def scopes(self, wanted: Filter) -> list[SearchScope]:
        """Return the scopes that *wanted* reaches: some users', or all of the tenant's. Asked for once a snapshot."""
        if wanted not in self._reached:
            self._reached[wanted] = await scopes_of(self._scope, wanted)
        return self._reached[wanted]

    async def unembedded(self, limit: int) -> list[Unembedded]:
        """Return documents that wait for their vector, oldest first."""
        column = search_documents.c
        rows = await self._scope.all(
            sa.select(column.document_id, column.revision, column.text)
            .where(
                column.org_id == self._scope.org_id,
                column.vector.is_(None),
                column.embed_attempts < MAX_EMBED_ATTEMPTS,
            )
            .order_by(column.document_id)
            .limit(limit)
        )
        return [Unembedded(row.document_id, row.revision, row.text) for row in rows]

    async def set_vectors(self, waiting: Sequence[Unembedded], vectors: Vectors) -> None:
        """Give documents their vectors (float32 [n, d]); one that changed meanwhile keeps waiting."""
        self._reached.clear()
        column = search_documents.c
        ids = [item.document_id for item in waiting]
        rows = await self._scope.all(
            sa.select(column.document_id, column.scope_id, column.revision).where(
                self._scope.owns(search_documents), column.document_id.in_(ids)
            )
        )
        current = {row.document_id: (row.scope_id, row.revision) for row in rows}
        revisions = await self._advance({row.scope_id for row in rows})
        changed = [
            {"d": item.document_id, "v": pack(vector), "r": revisions[current[item.document_id][0]]}
            for item, vector in zip(waiting, vectors, strict=True)
            if current.get(item.document_id, (0, -1))[1] == item.revision
        ]
        if changed:
            await self._scope.run(
                sa.update(search_documents)
                .where(column.document_id == sa.bindparam("d"))
                .values(vector=sa.bindparam("v"), revision=sa.bindparam("r"), embed_error=""),
                changed,
            )

    async def _lock(self, scope_ids: Iterable[int]) -> None:
        """Keep others from changing these scopes, always in one order, so that no two wait for each other."""
        column = search_scopes.c
        statement = (
            sa.select(column.scope_id)
            .where(column.scope_id.in_(sorted(scope_ids)))
            .order_by(column.kind, column.user_id)
        )
        await self._scope.all(self._scope.locked(statement))

    async def _advance(self, scope_ids: set[int]) -> Mapping[int, int]:
        column = search_scopes.c
        await self._lock(scope_ids)
        rows = await self._scope.all(
            sa.update(search_scopes)
            .where(column.scope_id.in_(sorted(scope_ids)))
            .values(revision=column.revision + 1)
            .returning(column.scope_id, column.revision)
        )
        return {row.scope_id: row.revision for row in rows}

    async def embed_failed(self, waiting: Sequence[Unembedded], error: str) -> None:
        """Record a failed try; after the last one a document stays findable by its terms only."""
        column = search_documents.c
        await self._scope.run(
            sa.update(search_documents)
            .where(
                self._scope.owns(search_documents),
                column.document_id.in_([item.document_id for item in waiting]),
            )
            .values(embed_attempts=column.embed_attempts + 1, embed_error=error[:500])
        )

    async def vector_of(self, kind: str, owner_ids: Sequence[int]) -> dict[int, Vectors]:
        """Return the stored vectors (float32 [d]) of these owners, where there are any yet."""
        column = search_documents.c
        rows = await self._scope.all(
            sa.select(column.owner_id, column.vector).where(
                column.org_id == self._scope.org_id,
                column.kind == kind,
                column.owner_id.in_(list(owner_ids)),
                column.vector.is_not(None),
            )
        )
        return {row.owner_id: unpack(row.vector) for row in rows}

    async def progress(self, kind: str, owner_ids: Sequence[int]) -> tuple[int, int, str]:
        """Return how many of these owners' documents have a vector, how many gave up, and the last error."""
        column = search_documents.c
        given_up = sa.and_(column.vector.is_(None), column.embed_attempts >= MAX_EMBED_ATTEMPTS)
        statement = sa.select(
            sa.func.count(column.vector),
            sa.func.sum(sa.case((given_up, 1), else_=0)),
            sa.func.max(column.embed_error),
        ).where(
            column.org_id == self._scope.org_id, column.kind == kind, column.owner_id.in_(list(owner_ids))
        )
        embedded, failed, error = (await self._scope.all(statement))[0]
        return embedded, failed or 0, error or ""
