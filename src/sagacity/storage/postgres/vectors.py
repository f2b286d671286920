"""Vector search in PostgreSQL: exact within a user, by pgvector's HNSW index across a large organisation."""

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np
import sqlalchemy as sa
from pgvector import HalfVector

from sagacity.domain.query import Filter
from sagacity.storage.base import Nearest, Scope, SearchScope, Vectors
from sagacity.storage.hits import Hit, Hits, best_of
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.search.filters import SHAPES, admitted, scopes_by_kind, users_of, values_of, within

EXACT_DOCUMENTS = 60_000
"""Up to this many documents of a kind, all are compared: 11 ms for 10,000 and 38 ms for 50,000, with nothing missed.
The graph takes 23 ms for 50,000 and, if a filter admits a tenth, finds 0.97 to 0.99 of the ten nearest."""
LEAST_SHARE = 0.05
"""The least share of the graph's documents to search by it. The graph has all organisations, so a search for a small
share walks past many others."""
EF_SEARCH = 1_000
"""Candidates that the graph search keeps (pgvector's default is 40, at most 1,000). Over 100,100 rows, with filters
that admit 1 to 100 %, it found 0.97 to 0.99 in 21 to 35 ms; with 400 it found 0.95 to 0.99 in 11 to 29 ms."""
_SCANNED = 100_000
NOT_IN_THE_GRAPH = "interaction"
"""Turns are not in the graph: most documents are turns, they are searched for one user at a time, and each would take
1.2 kB of the graph and a few milliseconds to insert."""
_MOST = sa.bindparam("most", type_=sa.Integer)


class PostgresVectors:
    """
    Cosine over half-precision vectors, in the database.

    For each kind, the number of documents to search decides between an exact search and the graph. Filters apply before
    the list is cut: as conditions in the exact search, and by iterative scan in the graph, which continues until enough
    admitted documents are found. The graph's results are compared again exactly.
    """

    waits = False

    def __init__(self, *, exact_documents: int = EXACT_DOCUMENTS, least_share: float = LEAST_SHARE) -> None:
        """Set from how many documents of a kind, and from which share of the table, the graph is used."""
        self._exact_documents = exact_documents
        self._least_share = least_share

    def forget(self) -> None:
        """Do nothing: this process caches no vectors."""

    async def search(
        self, scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, vector: Vectors, limit: int
    ) -> Nearest:
        """Return the documents nearest to *vector*; see `VectorIndex`."""
        sizes: dict[str, int] = {}
        for one in scopes:
            sizes[one.kind] = sizes.get(one.kind, 0) + one.document_count
        large = {
            kind: size
            for kind, size in sizes.items()
            if size > self._exact_documents and kind != NOT_IN_THE_GRAPH
        }
        walked = await self._worth_the_graph(scope, large, len(vector)) if large else set[str]()
        values = values_of(wanted)
        statement = _nearest(
            tuple(sorted((kind, kind in walked) for kind in sizes)),
            tuple(values),
            len(vector),
            whose=_whose(wanted),
        )
        whose: dict[str, Any] = {"org_id": scope.org_id}
        if users_of(wanted) is not None:
            whose = scopes_by_kind(scopes, of_user=wanted.user_id is not None)
        question = HalfVector(vector.astype(np.float16))
        rows = await scope.all(statement, {"question": question, "most": limit} | whose | values)
        hits = Hits.of(Hit(row.document_id, row.owner_id, row.kind, -float(row.distance)) for row in rows)
        return Nearest(best_of(hits.parts, limit))

    async def search_many(
        self, scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, vectors: Vectors, limit: int
    ) -> list[Nearest]:
        """Search by each of *vectors*, one after the other; the database reads the documents each time."""
        return [await self.search(scope, scopes, wanted, vector, limit) for vector in vectors]

    async def _worth_the_graph(self, scope: Scope, sizes: dict[str, int], dimension: int) -> set[str]:
        """Return the kinds to search by the graph, and configure the transaction for it."""
        statement = sa.text(
            "SELECT greatest(reltuples, 1) FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid "
            "WHERE pg_class.oid = to_regclass(:name) AND indisvalid"
        )
        total = await scope.all(statement, {"name": index_name(dimension)})
        kinds = {kind for kind, size in sizes.items() if total and size >= self._least_share * total[0][0]}
        if kinds:
            await scope.connection.exec_driver_sql(
                f"SET LOCAL hnsw.ef_search = {EF_SEARCH}; SET LOCAL hnsw.iterative_scan = relaxed_order; "
                f"SET LOCAL hnsw.max_scan_tuples = {_SCANNED}; "
                "SET LOCAL plan_cache_mode = auto"  # without its limit a walk looks dearer than to compare all
            )
        return kinds


class _Whose(Enum):
    """Whose documents are searched."""

    ALL = 0
    USERS = 1
    USER = 2


def _whose(wanted: Filter) -> _Whose:
    if wanted.user_id is not None:
        return _Whose.USER
    return _Whose.USERS if wanted.user_ids else _Whose.ALL


@lru_cache(maxsize=SHAPES)
def _nearest(
    kinds: tuple[tuple[str, bool], ...], fields: tuple[str, ...], dimension: int, *, whose: _Whose
) -> sa.CompoundSelect[Any]:
    """Build the statement that searches these kinds, by the graph or exactly, filtered by these fields."""
    parts = [
        _by_graph(_reach(kind, whose), fields, dimension) if walks else _exact(_reach(kind, whose), fields)
        for kind, walks in kinds
    ]
    return sa.union_all(*(sa.select(part.subquery()) for part in parts))


def _reach(kind: str, whose: _Whose) -> sa.ColumnElement[bool]:
    """Return the condition that a document is to be searched: across all users, by organisation instead of scope."""
    column = search_documents.c
    if whose is _Whose.ALL:
        return sa.and_(column.org_id == sa.bindparam("org_id"), column.kind == kind)
    return within(kind, column.scope_id, of_user=whose is _Whose.USER)


def _distance(left: sa.ColumnElement[Any], dimension: int | None = None) -> sa.ColumnElement[Any]:
    """Return the negated cosine to the question; all vectors have unit length."""
    kind = "halfvec" if dimension is None else f"halfvec({dimension})"
    question = sa.cast(sa.bindparam("question", type_=_AsItIs()), _Named(kind))
    return left.op("<#>", return_type=sa.Float())(question)


def _exact(reach: sa.ColumnElement[bool], fields: Sequence[str]) -> sa.Select[*tuple[Any, ...]]:
    column = search_documents.c
    distance = _distance(sa.type_coerce(column.vector, _AsItIs())).label("distance")
    return (
        sa.select(column.document_id, column.owner_id, column.kind, distance)
        .where(reach, column.vector.is_not(None), *admitted(fields))
        .order_by(distance, column.document_id)
        .limit(_MOST)
    )


def _by_graph(
    reach: sa.ColumnElement[bool], fields: Sequence[str], dimension: int
) -> sa.Select[*tuple[Any, ...]]:
    """Take twice as many documents as wanted from the graph, then compare those exactly."""
    column = search_documents.c
    typed = sa.cast(column.vector, _Named(f"halfvec({dimension})"))
    near = (
        sa.select(
            column.document_id, column.owner_id, column.kind, _distance(typed, dimension).label("distance")
        )
        .where(reach, sa.text(in_the_graph(dimension)), *admitted(fields))
        .order_by(_distance(typed, dimension))
        .limit(2 * _MOST)
        .subquery()
    )
    return sa.select(near).order_by(near.c.distance, near.c.document_id).limit(_MOST)


def index_name(dimension: int) -> str:
    """Return the name of the graph for vectors of *dimension* numbers."""
    return f"ix_search_documents_hnsw_{dimension}"


def in_the_graph(dimension: int) -> str:
    """Return the index's condition; queries repeat it literally, so that the planner can use the index."""
    return f"vector_dims(vector) = {int(dimension)} AND kind <> '{NOT_IN_THE_GRAPH}'"


class _AsItIs(sa.types.UserDefinedType[Any]):
    """A value that the driver converts itself."""

    cache_ok = True

    def get_col_spec(self, **_options: object) -> str:
        return "halfvec"


class _Named(sa.types.UserDefinedType[Any]):
    """A type of the database, by name."""

    cache_ok = True

    def __init__(self, name: str) -> None:
        self.name = name

    def get_col_spec(self, **_options: object) -> str:
        return self.name
