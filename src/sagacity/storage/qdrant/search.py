"""
Vector search in Qdrant, checked against the database: Qdrant names candidates, the database admits and scores them.

A search asks Qdrant for the nearest documents, reads them again in its own snapshot, and scores the admitted ones by
their stored vectors. So it does not matter if the copy has deleted documents or those of others, or rounds differently.
Documents that are not copied yet are read from the database and scored too, so committed documents are found at once.

Qdrant is called while the snapshot is open, the one exception from "no network in a transaction". A document's number
has a meaning only together with the revisions of the same snapshot; with two snapshots, changes in between would have
to be found and repaired. The wait is bounded (`SEARCH_SECONDS`), and nothing waits for a reader. Qdrant is not called
in a transaction that writes, for which others may wait, nor for filters that it cannot apply: tags, metadata, event
times, and what was known at a past time.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import sqlalchemy as sa

from sagacity.domain.errors import VectorStoreError
from sagacity.domain.query import Filter
from sagacity.storage.base import Nearest, Scope, SearchScope, VectorIndex, Vectors
from sagacity.storage.hits import Hits, KindHits, best_of
from sagacity.storage.qdrant.store import QdrantStore, Question, is_expressible
from sagacity.storage.replica.copied import home_of
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.search.exact_vectors import scan
from sagacity.storage.search.filters import users_of

FEW_DOCUMENTS = 256
"""Up to this many documents, the database searches: it compares them faster than a call to Qdrant takes."""
EXACT_DOCUMENTS = 20_000
"""Up to this many documents of a kind, Qdrant compares all, which takes some milliseconds and misses nothing."""
MOST_UNCOPIED = 2_000
"""The most uncopied documents that a search reads besides Qdrant's results; if there are more, the database answers."""
_MOST_SCOPES_BEHIND = 100
_NUMBERS_A_STATEMENT = 8_192


class QdrantVectors:
    """The copy in Qdrant in front of the database's own search, which answers if Qdrant does not."""

    waits = True

    def __init__(
        self,
        store: QdrantStore,
        database: VectorIndex,
        *,
        few: int = FEW_DOCUMENTS,
        exact: int = EXACT_DOCUMENTS,
    ) -> None:
        self._store = store
        self._database = database
        self._few = few
        self._exact = exact

    def forget(self) -> None:
        """Clear the cache of the database's own search."""
        self._database.forget()

    async def search(
        self, scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, vector: Vectors, limit: int
    ) -> Nearest:
        """Return the documents nearest to *vector*; see `VectorIndex`."""
        is_small = sum(one.document_count for one in scopes) <= self._few
        if scope.writes or is_small or not is_expressible(wanted):
            return await self._database.search(scope, scopes, wanted, vector, limit)
        try:
            return Nearest(await self._ask(scope, scopes, wanted, vector, limit))
        except VectorStoreError as error:
            nearest = await self._database.search(scope, scopes, wanted, vector, limit)
            return Nearest(nearest.hits, f"{error}; the database answered")

    async def search_many(
        self, scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, vectors: Vectors, limit: int
    ) -> list[Nearest]:
        """Search by each of *vectors* in the database: many are searched only in background work, which can wait."""
        return await self._database.search_many(scope, scopes, wanted, vectors, limit)

    async def _ask(
        self, scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, vector: Vectors, limit: int
    ) -> Hits:
        uncopied = await _uncopied(scope, scopes)
        home = await home_of(scope)
        if home is None:
            raise VectorStoreError("no embedder has claimed the search index yet")
        questions = _questions(scope, scopes, wanted, limit, exact=self._exact)
        found = await self._store.nearest(home.name, questions, vector) if questions else []
        parts = await _checked(scope, questions, found, vector, limit)
        if uncopied is not None:
            parts += await scan(scope, [uncopied], wanted, vector, limit)
        once = {hit.document_id: hit for part in parts for hit in part}  # changed documents may be in both
        return best_of(Hits.of(once.values()).parts, limit)


def _questions(
    scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, limit: int, *, exact: int
) -> list[Question]:
    """Return a question for each kind, so that each gets its share; for a few more hits, as some may be deleted."""
    by_kind: dict[str, list[SearchScope]] = defaultdict(list)
    for one in scopes:
        if one.copied_revision:
            by_kind[one.kind].append(one)
    return [
        Question(
            org_id=scope.org_id,
            kind=kind,
            scope_ids=None if users_of(wanted) is None else tuple(one.scope_id for one in of_kind),
            wanted=wanted,
            limit=limit + limit // 4 + 1,
            exact=users_of(wanted) is not None or sum(one.document_count for one in of_kind) <= exact,
        )
        for kind, of_kind in sorted(by_kind.items())
    ]


async def _checked(
    scope: Scope, questions: Sequence[Question], found: Sequence[Sequence[int]], vector: Vectors, limit: int
) -> list[KindHits]:
    """Score Qdrant's candidates by the vectors of the snapshot, without those that may not be found."""
    parts: list[KindHits] = []
    column = search_documents.c
    for question, numbers in zip(questions, found, strict=True):
        whose = [scope.owns(search_documents), column.kind.concat("") == question.kind]
        if question.scope_ids is not None:
            whose.append((column.scope_id + 0).in_(question.scope_ids))  # + 0: not by the index on scopes
        for start in range(0, len(numbers), _NUMBERS_A_STATEMENT):
            named = column.document_id.in_(numbers[start : start + _NUMBERS_A_STATEMENT])
            parts += await scan(scope, [named, *whose], question.wanted, vector, question.limit)
    admitted = Counter[str]()
    for part in parts:
        admitted[part.kind] += len(part)
    for question, numbers in zip(questions, found, strict=True):
        if admitted[question.kind] < limit and len(numbers) == question.limit:
            raise VectorStoreError("the vector store is behind: too many of its results no longer exist")
    return parts


async def _uncopied(scope: Scope, scopes: Sequence[SearchScope]) -> sa.ColumnElement[bool] | None:
    """
    Return the condition that a document is not copied yet; None if all are copied.

    Raises:
        VectorStoreError: too many are not copied.
    """
    behind = [one for one in scopes if one.copied_revision < one.revision]
    if not behind:
        return None
    too_many = VectorStoreError("the vector store is behind: too much is not copied yet")
    if len(behind) > _MOST_SCOPES_BEHIND:
        raise too_many
    column = search_documents.c
    condition = sa.or_(
        *(sa.and_(column.scope_id == one.scope_id, column.revision > one.copied_revision) for one in behind)
    )
    if sum(one.document_count for one in behind) > MOST_UNCOPIED:
        some = (
            sa.select(sa.literal(1)).select_from(search_documents).where(condition).limit(MOST_UNCOPIED + 1)
        )
        count = (await scope.all(sa.select(sa.func.count()).select_from(some.subquery())))[0][0]
        if count > MOST_UNCOPIED:
            raise too_many
    return condition
