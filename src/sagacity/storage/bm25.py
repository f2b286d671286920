"""Search by term: BM25 over the statistics of the scopes that are searched, and of no others."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.query import Filter
from sagacity.storage.base import Hit, Scope, SearchScope
from sagacity.storage.filters import admitted
from sagacity.storage.keywords import terms_of
from sagacity.storage.tables import search_documents, search_terms

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
    weights = await _weights(scope, scopes, terms, count)
    if not weights:
        return []
    average = max(sum(one.term_count for one in scopes) / count, 1.0)
    posting, column = search_terms.c, search_documents.c
    weight = sa.case(weights, value=posting.term, else_=0.0)
    length = K1 * (1 - B + B * column.term_count / average)
    score = sa.func.sum(weight * posting.frequency * (K1 + 1) / (posting.frequency + length)).label("score")
    best = [
        sa.select(column.document_id, column.owner_id, column.kind, score)
        .join_from(search_terms, search_documents, column.document_id == posting.document_id)
        .where(
            posting.scope_id.in_([one.scope_id for one in scopes if one.kind == kind]),
            posting.term.in_(list(weights)),
            *admitted(wanted),
        )
        .group_by(column.document_id)
        .order_by(score.desc(), column.document_id)
        .limit(limit)
        .subquery()
        for kind in sorted({one.kind for one in scopes})
    ]
    everything = sa.union_all(*(sa.select(one) for one in best)).subquery()
    rows: Sequence[Any] = await scope.all(
        sa.select(everything).order_by(everything.c.score.desc(), everything.c.document_id)
    )
    return [Hit(row.document_id, row.owner_id, row.kind, float(row.score)) for row in rows]


async def _weights(
    scope: Scope, scopes: Sequence[SearchScope], terms: Sequence[str], count: int
) -> Mapping[str, float]:
    """Return the inverse document frequency of each term that occurs."""
    posting = search_terms.c
    rows = await scope.all(
        sa.select(posting.term, sa.func.count().label("documents"))
        .where(posting.scope_id.in_([one.scope_id for one in scopes]), posting.term.in_(terms))
        .group_by(posting.term)
    )
    return {row.term: math.log(1 + (count - row.documents + 0.5) / (row.documents + 0.5)) for row in rows}
