"""The search documents: written with what they stand for, found by term and by vector."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
import sqlalchemy as sa

from sagacity.domain.memory import Approval, MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.storage.base import Hit, Nearest, Scope, SearchScope, Vectors
from sagacity.storage.bm25 import best_by_terms
from sagacity.storage.keywords import terms_of
from sagacity.storage.lists import among
from sagacity.storage.tables import search_documents, search_scopes, search_terms
from sagacity.storage.views import MAX_EMBED_ATTEMPTS

_KEYS_A_STATEMENT = 5_000
_TENANT_KINDS = (MemoryKind.AGENT_PLAYBOOK, MemoryKind.SKILL)


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


def kinds_of(wanted: Filter) -> list[str]:
    """Return the document kinds that *wanted* asks for."""
    return [str(kind) for kind in wanted.kinds] + (["interaction"] if wanted.interactions else [])


def _grow_scope(insert: Callable[[sa.Table], Any]) -> Any:
    row, column = insert(search_scopes), search_scopes.c
    return row.on_conflict_do_update(
        index_elements=[column.org_id, column.kind, column.user_id],
        set_={
            "document_count": column.document_count + row.excluded.document_count,
            "term_count": column.term_count + row.excluded.term_count,
            "revision": column.revision + 1,
        },
    ).returning(column.scope_id, column.kind, column.user_id, column.revision)


@cache
def _reached(*, of_user: bool) -> sa.Select[*tuple[Any, ...]]:
    """Build the statement for scopes of given kinds that hold anything: one user's and the tenant's, or all."""
    column = search_scopes.c
    statement = sa.select(*(column[field] for field in SearchScope.__dataclass_fields__)).where(
        column.org_id == sa.bindparam("org_id"), among(column.kind, "kinds"), column.document_count > 0
    )
    if of_user:
        is_tenants = column.kind.in_([str(kind) for kind in _TENANT_KINDS])
        statement = statement.where(
            sa.or_(
                sa.and_(column.user_id == sa.bindparam("user_id"), sa.not_(is_tenants)),
                sa.and_(column.user_id == "", is_tenants),
            )
        )
    return statement.order_by(column.scope_id)


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
            if kind != "interaction":  # a turn is never edited, so it can not be there yet
                await self.remove(kind, owners)
        terms = [terms_of(document.text) for document in documents]
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
            "text": document.text,
            "term_count": counts.total(),
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
            self._scope.upsert(_grow_scope),
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
            .returning(column.scope_id, column.document_id, column.text, column.term_count)
        )
        if not rows:
            return
        keys = [
            {"s": row.scope_id, "t": term, "d": row.document_id}
            for row in rows
            for term in terms_of(row.text)
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

    async def by_terms(self, wanted: Filter, text: str, limit: int) -> list[Hit]:
        """Return up to *limit* of each kind that share terms with *text*, scored by BM25; see `storage/bm25.py`."""
        return await best_by_terms(self._scope, await self.scopes(wanted), wanted, text, limit=limit)

    async def by_vector(self, wanted: Filter, vector: Vectors, limit: int) -> Nearest:
        """Return up to *limit* of each kind nearest to *vector* (float32 [d], unit length), scored by the cosine."""
        scopes = await self.scopes(wanted)
        if not scopes:
            return Nearest([])
        return await self._scope.backend.vectors.search(self._scope, scopes, wanted, vector, limit)

    async def scopes(self, wanted: Filter) -> list[SearchScope]:
        """Return the scopes that *wanted* reaches: one user's, or all of the tenant's. Asked for once a snapshot."""
        if wanted not in self._reached:
            self._reached[wanted] = await self._scopes(wanted)
        return self._reached[wanted]

    async def _scopes(self, wanted: Filter) -> list[SearchScope]:
        given: dict[str, Any] = {"org_id": self._scope.org_id, "kinds": kinds_of(wanted)}
        if wanted.user_id is not None:
            given["user_id"] = wanted.user_id
        statement = _reached(of_user=wanted.user_id is not None)
        return [SearchScope(*row) for row in await self._scope.all(statement, given)]

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
        return {row.owner_id: np.frombuffer(row.vector, "<f2").astype(np.float32) for row in rows}

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
