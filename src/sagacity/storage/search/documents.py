"""Search documents: written with what they represent, and searched by term and by vector."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.caution import Caution
from sagacity.domain.memory import MemoryKind, Visibility
from sagacity.domain.query import Filter
from sagacity.storage.base import Nearest, Scope, SearchScope, Vectors
from sagacity.storage.hits import Hit, Hits, KindHits
from sagacity.storage.schema.tables import search_documents, search_scopes
from sagacity.storage.schema.views import MAX_EMBED_ATTEMPTS
from sagacity.storage.search.bm25 import best_by_terms
from sagacity.storage.search.cautions import cautions_among
from sagacity.storage.search.filters import admitted, kinds_of, users_of, values_of
from sagacity.storage.search.ranking_signals import (
    Newest,
    RankingSignals,
    admitted_memories,
    newest_memories,
    newest_turns,
    signals_of,
    surest_memories,
)
from sagacity.storage.search.scopes import scopes_of
from sagacity.storage.search.sync_status import mark_held, refresh_status
from sagacity.storage.search.writing import Document, lock_scopes, pack, put, remove, unpack
from sagacity.storage.statements.array_params import among, one_of


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A document that waits for its vector."""

    document_id: int
    revision: int
    text: str


class SearchRepository:
    """A tenant's search documents. Every write of a memory or a turn goes through `put` or `remove`."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._reached: dict[Filter, list[SearchScope]] = {}

    async def put(self, documents: Sequence[Document], *, new: bool = False) -> None:
        """Write *documents*, replacing those of the same owners; see `storage/search/writing.py`."""
        self._reached.clear()
        await put(self._scope, documents, new=new)

    async def remove(self, kind: str, owner_ids: Sequence[int]) -> None:
        """Remove the documents of these owners, with their terms."""
        self._reached.clear()
        await remove(self._scope, kind, owner_ids)

    async def refresh_status(self, kind: MemoryKind, moved: sa.Select[tuple[int]]) -> None:
        """Copy the statuses of the memories that *moved* selects to their documents; see `sync_status.py`."""
        self._reached.clear()
        await refresh_status(self._scope, kind, moved)

    async def mark_held(self, kind: str, moved: sa.Select[tuple[int]], *, is_held: bool) -> None:
        """Mark the documents of what *moved* selects as held or not; see `sync_status.py`."""
        self._reached.clear()
        await mark_held(self._scope, kind, moved, is_held=is_held)

    async def by_terms(self, wanted: Filter, text: str, limit: int) -> Hits:
        """Return up to *limit* documents of each kind that share terms with *text*, scored by BM25; see `bm25.py`."""
        return await best_by_terms(self._scope, await self.scopes(wanted), wanted, text, limit=limit)

    async def by_vector(self, wanted: Filter, vector: Vectors, limit: int) -> Nearest:
        """Return up to *limit* documents of each kind near *vector* (float32 [d], unit length), scored by cosine."""
        scopes = await self.scopes(wanted)
        if not scopes:
            return Nearest(Hits())
        return await self._scope.backend.vectors.search(self._scope, scopes, wanted, vector, limit)

    async def by_vectors(self, wanted: Filter, vectors: Vectors, limit: int) -> list[Nearest]:
        """Return what `by_vector` returns for each of *vectors* (float32 [n, d]), in their order."""
        scopes = await self.scopes(wanted)
        if not scopes or not len(vectors):
            return [Nearest(Hits()) for _ in vectors]
        return await self._scope.backend.vectors.search_many(self._scope, scopes, wanted, vectors, limit)

    async def signals_of(self, found: Sequence[KindHits]) -> dict[tuple[str, int], RankingSignals]:
        """Return the ranking signals of the documents found, by kind and owner."""
        return await signals_of(self._scope, found)

    async def admitted(self, wanted: Filter, scores: Mapping[int, float]) -> list[Hit]:
        """Return the memories that *wanted* admits among those with *scores* (by id), best first."""
        return await admitted_memories(self._scope, wanted, scores)

    async def newest_memories(self, wanted: Filter, kind: MemoryKind, limit: int) -> list[Newest]:
        """Return one user's memories of *kind* that *wanted* admits, last changed first."""
        return await newest_memories(self._scope, wanted, kind, limit=limit)

    async def surest_memories(
        self, wanted: Filter, kind: MemoryKind, limit: int, *, newest: int
    ) -> list[Hit]:
        """Return the *limit* with the highest confidence among the *newest* ones that `newest_memories` returns."""
        return await surest_memories(self._scope, wanted, kind, newest=newest, limit=limit)

    async def newest_turns(self, wanted: Filter, limit: int) -> list[Newest]:
        """Return one user's turns that *wanted* admits, newest first."""
        return await newest_turns(self._scope, wanted, limit=limit)

    async def cautions(self, wanted: Filter, touched: Collection[Caution]) -> list[Hit]:
        """Return one user's memories that warn of what is *touched* and that *wanted* admits; see `cautions.py`."""
        if users_of(wanted) != [wanted.user_id]:
            return []
        return await cautions_among(self._scope, await self.scopes(wanted), wanted, touched)

    async def count_withheld(self, wanted: Filter, visibility: Visibility) -> int:
        """Count what *wanted* would admit if it were served, but has *visibility* instead."""
        scopes, column = await self.scopes(wanted), search_documents.c
        if not scopes:
            return 0
        values = values_of(wanted.model_copy(update={"visibility": (visibility,)}))
        statement = (
            sa.select(sa.func.count())
            .select_from(search_documents)
            .where(
                column.org_id == self._scope.org_id,
                column.kind.in_(kinds_of(wanted)),
                column.visibility == str(visibility),  # stated so that the index is used
                column.visibility != str(Visibility.SERVED),
                one_of(column.scope_id, [one.scope_id for one in scopes]),
                *admitted(values),
            )
        )
        return (await self._scope.all(statement, values))[0][0]

    async def scopes(self, wanted: Filter) -> list[SearchScope]:
        """Return the scopes that *wanted* covers: those of some users, or all of the tenant. Read once per snapshot."""
        if wanted not in self._reached:
            self._reached[wanted] = await scopes_of(self._scope, wanted)
        return self._reached[wanted]

    async def unembedded(self, limit: int) -> list[Unembedded]:
        """Return up to *limit* documents without a vector, oldest first."""
        rows = await self._scope.all(_unembedded(), {"org_id": self._scope.org_id, "limit": limit})
        return [Unembedded(row.document_id, row.revision, row.text) for row in rows]

    async def set_vectors(self, waiting: Sequence[Unembedded], vectors: Vectors) -> None:
        """Store the vectors (float32 [n, d]) of documents; one that has changed since it was read keeps waiting."""
        self._reached.clear()
        given = {"org_id": self._scope.org_id, "ids": [item.document_id for item in waiting]}
        rows = await self._scope.all(_places(), given)
        current = {row.document_id: (row.scope_id, row.revision) for row in rows}
        revisions = await self._advance({row.scope_id for row in rows})
        changed = [
            {
                "d": item.document_id,
                "was": item.revision,
                "v": pack(vector),
                "r": revisions[current[item.document_id][0]],
            }
            for item, vector in zip(waiting, vectors, strict=True)
            if current.get(item.document_id, (0, -1))[1] == item.revision
        ]
        if changed:
            await self._scope.run(_set_vector(), changed)

    async def _advance(self, scope_ids: set[int]) -> Mapping[int, int]:
        await lock_scopes(self._scope, scope_ids)
        rows = await self._scope.all(_advance(), {"ids": sorted(scope_ids)})
        return {row.scope_id: row.revision for row in rows}

    async def embed_failed(self, waiting: Sequence[Unembedded], error: str) -> None:
        """Record a failed attempt; after the last one, a document can be found by its terms only."""
        column = search_documents.c
        await self._scope.run(
            sa.update(search_documents)
            .where(
                self._scope.owns(search_documents),
                column.document_id.in_([item.document_id for item in waiting]),
            )
            .values(embed_attempts=column.embed_attempts + 1, embed_error=error[:500])
        )

    async def vectors_of(self, kinds: Collection[str], owner_ids: Sequence[int]) -> dict[int, Vectors]:
        """Return the stored vectors (float32 [d]) by owner; owners whose vector is missing are left out."""
        column = search_documents.c
        rows = await self._scope.all(
            sa.select(column.owner_id, column.vector).where(
                column.org_id == self._scope.org_id,
                column.kind.in_(sorted(map(str, kinds))),
                one_of(column.owner_id, owner_ids),
                column.vector.is_not(None),
            )
        )
        return {row.owner_id: unpack(row.vector) for row in rows}

    async def progress(self, kind: str, owner_ids: Sequence[int]) -> tuple[int, int, str]:
        """Return how many of these owners' documents have a vector, how many have been given up, and the last error."""
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


@cache
def _unembedded() -> sa.Select[*tuple[Any, ...]]:
    column = search_documents.c
    return (
        sa.select(column.document_id, column.revision, column.text)
        .where(
            column.org_id == sa.bindparam("org_id"),
            column.vector.is_(None),
            column.embed_attempts < MAX_EMBED_ATTEMPTS,
        )
        .order_by(column.document_id)
        .limit(sa.bindparam("limit"))
    )


@cache
def _places() -> sa.Select[*tuple[Any, ...]]:
    column = search_documents.c
    mine = column.org_id.concat("") == sa.bindparam("org_id")  # as `Scope.owns` does
    return sa.select(column.document_id, column.scope_id, column.revision).where(
        mine, among(column.document_id, "ids")
    )


@cache
def _set_vector() -> sa.Update:
    column = search_documents.c
    it = (column.document_id == sa.bindparam("d"), column.revision == sa.bindparam("was"))
    vector = sa.bindparam("v", type_=column.vector.type)
    revision = sa.bindparam("r", type_=column.revision.type)
    return sa.update(search_documents).where(*it).values(vector=vector, revision=revision, embed_error="")


@cache
def _advance() -> Any:
    column = search_scopes.c
    statement = sa.update(search_scopes).where(among(column.scope_id, "ids"))
    return statement.values(revision=column.revision + 1).returning(column.scope_id, column.revision)
