"""Vector search in PostgreSQL: exact within a user, by pgvector's HNSW over a large organisation."""

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
"""Up to so many documents of a kind every one is compared: 11 ms for 10,000 and 38 ms for 50,000, with nothing missed.
The graph takes 23 ms for 50,000 and, where a filter admits a tenth, finds 0.97 to 0.99 of the ten nearest."""
LEAST_SHARE = 0.05
"""Of what is in the graph, which is over all organisations: the fewer are looked for, the more it walks past others."""
EF_SEARCH = 1_000
"""Candidates the graph keeps while it walks (pgvector's default 40, at most 1,000). Over 100,100 rows, with filters
that admit 1 to 100 %: 0.97 to 0.99 found in 21 to 35 ms; with 400 it was 0.95 to 0.99 in 11 to 29 ms."""
_SCANNED = 100_000
NOT_IN_THE_GRAPH = "interaction"
"""Turns are most of what there is, and are searched for one user at a time: each would take 1.2 kB of the graph, and a
few milliseconds to be put into it."""
_MOST = sa.bindparam("most", type_=sa.Integer)


class PostgresVectors:
    """
    Cosine over half-precision vectors, in the database.

    The number of documents that a question reaches decides how it is answered, kind by kind. Filters hold before the
    nearest are cut off: in the exact search as conditions, in the graph by walking on (iterative scan) until enough
    admitted ones are found. What the graph gives is compared again exactly.
    """

    waits = False

    def __init__(self, *, exact_documents: int = EXACT_DOCUMENTS, least_share: float = LEAST_SHARE) -> None:
        """Choose from how many documents of a kind on, and from which share of the table, the graph is walked."""
        self._exact_documents = exact_documents
        self._least_share = least_share

    def forget(self) -> None:
        """Do nothing: no vector is kept in this process."""

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
        """Search by each of *vectors*, one after the other: the database keeps them, and reads them each time."""
        return [await self.search(scope, scopes, wanted, vector, limit) for vector in vectors]

    async def _worth_the_graph(self, scope: Scope, sizes: dict[str, int], dimension: int) -> set[str]:
        """Return the kinds for which the graph is there and finds enough; it is set up for this transaction then."""
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
    """Whose documents a question is after."""

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
    """Build the statement for questions after these kinds (by the graph, or exactly) by these fields."""
    parts = [
        _by_graph(_reach(kind, whose), fields, dimension) if walks else _exact(_reach(kind, whose), fields)
        for kind, walks in kinds
    ]
    return sa.union_all(*(sa.select(part.subquery()) for part in parts))


def _reach(kind: str, whose: _Whose) -> sa.ColumnElement[bool]:
    """Return the condition of belonging to what is searched; over all users the organisation says it shorter."""
    column = search_documents.c
    if whose is _Whose.ALL:
        return sa.and_(column.org_id == sa.bindparam("org_id"), column.kind == kind)
    return within(kind, column.scope_id, of_user=whose is _Whose.USER)


def _distance(left: sa.ColumnElement[Any], dimension: int | None = None) -> sa.ColumnElement[Any]:
    """Return the cosine to the question with its sign turned round: all vectors are of unit length."""
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
    """Walk the graph for twice as many as are wanted, then compare those exactly."""
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
    """Return the condition of its index: questions repeat it word for word, so that the planner sees that it fits."""
    return f"vector_dims(vector) = {int(dimension)} AND kind <> '{NOT_IN_THE_GRAPH}'"


class _AsItIs(sa.types.UserDefinedType[Any]):
    """A value that the driver knows by itself."""

    cache_ok = True

    def get_col_spec(self, **_options: object) -> str:
        return "halfvec"


class _Named(sa.types.UserDefinedType[Any]):
    """A type of the database by its name."""

    cache_ok = True

    def __init__(self, name: str) -> None:
        self.name = name

    def get_col_spec(self, **_options: object) -> str:
        return self.name
