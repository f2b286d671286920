"""
Search by vector in Qdrant, checked against the database: Qdrant says which, the database says whether and how near.

A search asks Qdrant for the nearest documents, reads them again in its own snapshot, and scores what is admitted by the
stored vector. So what the copy still has and the database has no more, what belongs to another, and what Qdrant rounds
differently change nothing. Documents that are not copied yet are read from the database and scored beside them: what is
committed is found at once.

Qdrant is asked while the snapshot is open, which is the one exception from "no network in a transaction". The number of
a document means something only together with the revisions of the same moment; in two steps, what changes between them
would have to be found and repaired. The wait is bounded (`SEARCH_SECONDS`) and nothing waits for a reader. In a
transaction that writes, for which others may wait, Qdrant is not asked. Nor is it for what it has nothing of to filter
by: tags, metadata, when things happened, and what was known at a moment of the past.
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
"""Up to so many the database is asked right away: it compares them in less than the way to Qdrant takes."""
EXACT_DOCUMENTS = 20_000
"""Up to so many of a kind Qdrant compares every one, which takes it some milliseconds and misses nothing."""
MOST_UNCOPIED = 2_000
"""Documents that a search reads beside Qdrant's; where more are not copied, the database answers alone."""
_MOST_SCOPES_BEHIND = 100
_NUMBERS_A_STATEMENT = 8_192


class QdrantVectors:
    """The copy in Qdrant, in front of the database's own search, which answers whenever Qdrant does not."""

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
        """Let go of what the database's own search keeps in memory."""
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
        """Have the database search by each of *vectors*: many are asked in the background, where nobody waits."""
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
        once = {hit.document_id: hit for part in parts for hit in part}  # what changed since may be in both
        return best_of(Hits.of(once.values()).parts, limit)


def _questions(
    scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, limit: int, *, exact: int
) -> list[Question]:
    """One question a kind, so that each gets its share; a few more than asked for, as some may be gone meanwhile."""
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
    """Score what Qdrant named by the vectors of the snapshot, leaving out what may not be found there."""
    parts: list[KindHits] = []
    column = search_documents.c
    for question, numbers in zip(questions, found, strict=True):
        whose = [scope.owns(search_documents), column.kind.concat("") == question.kind]
        if question.scope_ids is not None:
            whose.append((column.scope_id + 0).in_(question.scope_ids))  # by number, not by the scope's index
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
    Return the condition of not being copied yet; None if all is.

    Raises:
        VectorStoreError: it is true of too many.
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
