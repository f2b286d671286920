"""Search by term: BM25 over the statistics of the scopes that are searched, and of no others."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.query import Filter
from sagacity.storage.base import Hit, Scope, SearchScope
from sagacity.storage.schema.tables import search_documents, search_terms
from sagacity.storage.search.filters import SHAPES, admitted, values_of
from sagacity.storage.search.keywords import terms_of
from sagacity.storage.statements.array_params import among

K1 = 1.2
B = 0.75


async def best_by_terms(
    scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, text: str, *, limit: int
) -> list[Hit]:
    """
    Return the documents that share terms with *text*.

    Args:
        scope: the open transaction.
        scopes: where to look; they supply the statistics too, so that nobody else's documents change a score.
        wanted: what may be found.
        text: a question or a few words.
        limit: how many of each kind at the most.

    Returns:
        Best first, ties by document; scores are positive. Empty when no term is left of *text*.

    Source: Robertson & Zaragoza 2009; IDF with the +1 that keeps it above zero (Lucene); k1 1.2, b 0.75.
    """
    terms = list(terms_of(text))
    count = sum(one.document_count for one in scopes)
    if not terms or not count:
        return []
    values, kinds = values_of(wanted), tuple(sorted({one.kind for one in scopes}))
    statement = _best(kinds, tuple(values), lateral=scope.backend.joins_laterally)
    given = {
        "terms": terms,
        "scopes": [one.scope_id for one in scopes],
        "document_count": count,
        "average_length": max(sum(one.term_count for one in scopes) / count, 1.0),
        "most": limit,
    }
    rows = await scope.all(statement, given | values)
    return [Hit(*row) for row in rows]


@lru_cache(maxsize=SHAPES)
def _best(kinds: tuple[str, ...], fields: tuple[str, ...], *, lateral: bool) -> sa.Select[*tuple[Any, ...]]:
    """Build the statement for questions after these kinds by these fields."""
    postings = _postings()
    posting, weights = postings.c, _weights(postings)
    found = _document_of(postings, fields, lateral=lateral)
    length = K1 * (1 - B + B * found.c.term_count / sa.bindparam("average_length", type_=sa.Double))
    part = weights.c.weight * posting.frequency * (K1 + 1) / (posting.frequency + length)
    scored = (
        sa.select(found.c.document_id, found.c.owner_id, found.c.kind, sa.func.sum(part).label("score"))
        .join_from(postings, found, found.c.document_id == posting.document_id)
        .join(weights, weights.c.term == posting.term)
        .group_by(found.c.document_id, found.c.owner_id, found.c.kind)
        .cte("scored")
    )
    best = [
        sa.select(scored)
        .where(scored.c.kind == kind)
        .order_by(scored.c.score.desc(), scored.c.document_id)
        .limit(sa.bindparam("most", type_=sa.Integer))
        .subquery()
        for kind in kinds
    ]
    everything = sa.union_all(*(sa.select(one) for one in best)).subquery()
    # of a document without length that says all terms that there are for ever
    ceiling = sa.select((K1 + 1) * sa.func.sum(weights.c.weight)).scalar_subquery().label("ceiling")
    return sa.select(everything, ceiling).order_by(everything.c.score.desc(), everything.c.document_id)


def _document_of(postings: sa.CTE, fields: tuple[str, ...], *, lateral: bool) -> sa.FromClause:
    """
    Return the document of a posting, if it is admitted by *fields*.

    Where a join can be lateral it says what to do for each posting: look its document up by number. Left to itself,
    PostgreSQL without statistics would read all documents for each.
    """
    column = search_documents.c
    parts = sa.select(column.document_id, column.owner_id, column.kind, column.term_count)
    admitted_ones = parts.where(*admitted(fields))
    if not lateral:
        return admitted_ones.subquery("found")
    of_posting = admitted_ones.where(column.document_id == postings.c.document_id)
    return of_posting.offset(sa.literal_column("0")).lateral("found")


def _postings() -> sa.CTE:
    """
    Return where the terms occur in the scopes: looked up once, term by term.

    Materialised, as PostgreSQL with old statistics takes a scope for one document: it would look all terms up again
    for each that there is, which took minutes for some thousand documents and terms.
    """
    posting = search_terms.c
    found = sa.select(posting.scope_id, posting.term, posting.document_id, posting.frequency)
    return (
        found.where(among(posting.scope_id, "scopes"), among(posting.term, "terms"))
        .cte("postings")
        .prefix_with("MATERIALIZED")
    )


def _weights(postings: sa.CTE) -> sa.CTE:
    """Return the inverse document frequency of each term that occurs in *postings*."""
    having = sa.func.count()
    others = sa.bindparam("document_count", type_=sa.Double) - having
    weight = sa.func.ln(1 + (others + 0.5) / (having + 0.5), type_=sa.Double).label("weight")
    return sa.select(postings.c.term, weight).group_by(postings.c.term).cte("weights")
