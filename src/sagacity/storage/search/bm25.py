"""Search by term: BM25 over the statistics of the scopes that are searched, and of no others."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.query import Filter
from sagacity.storage.base import Hit, Scope, SearchScope
from sagacity.storage.schema.tables import search_documents, search_terms
from sagacity.storage.search.filters import SHAPES, admitted, scopes_by_kind, values_of, within
from sagacity.storage.search.keywords import terms_of
from sagacity.storage.statements.array_params import among, found_by

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
    values, of_user = values_of(wanted), wanted.user_id is not None
    statement = _best(tuple(sorted({one.kind for one in scopes})), tuple(values), of_user=of_user)
    given = {
        "terms": terms,
        "scopes": [one.scope_id for one in scopes],
        "document_count": count,
        "average_length": max(sum(one.term_count for one in scopes) / count, 1.0),
        "most": limit,
    }
    rows = await scope.all(statement, given | scopes_by_kind(scopes, of_user=of_user) | values)
    return [Hit(*row) for row in rows]


@lru_cache(maxsize=SHAPES)
def _best(kinds: tuple[str, ...], fields: tuple[str, ...], *, of_user: bool) -> sa.Select[*tuple[Any, ...]]:
    """Build the statement for questions after these kinds by these fields."""
    posting, column, weights = search_terms.c, search_documents.c, _weights()
    length = K1 * (1 - B + B * column.term_count / sa.bindparam("average_length", type_=sa.Double))
    part = weights.c.weight * posting.frequency * (K1 + 1) / (posting.frequency + length)
    score = sa.func.sum(part).label("score")
    # the join says so too, but only of this is every database sure that it is worth looking the words up
    said = sa.select(weights.c.term).scalar_subquery()
    best = [
        sa.select(column.document_id, column.owner_id, column.kind, score)
        .join_from(search_terms, search_documents, column.document_id == posting.document_id)
        .join(weights, weights.c.term == posting.term)
        .where(
            within(kind, posting.scope_id, of_user=of_user),
            found_by(posting.term, said),
            *admitted(fields),
        )
        .group_by(column.document_id)
        .order_by(score.desc(), column.document_id)
        .limit(sa.bindparam("most", type_=sa.Integer))
        .subquery()
        for kind in kinds
    ]
    everything = sa.union_all(*(sa.select(one) for one in best)).subquery()
    # of a document without length that says all terms that there are for ever
    ceiling = sa.select((K1 + 1) * sa.func.sum(weights.c.weight)).scalar_subquery().label("ceiling")
    return sa.select(everything, ceiling).order_by(everything.c.score.desc(), everything.c.document_id)


def _weights() -> sa.CTE:
    """Return the inverse document frequency of each term that occurs."""
    posting, having = search_terms.c, sa.func.count()
    others = sa.bindparam("document_count", type_=sa.Double) - having
    weight = sa.func.ln(1 + (others + 0.5) / (having + 0.5), type_=sa.Double).label("weight")
    return (
        sa.select(posting.term, weight)
        .where(among(posting.scope_id, "scopes"), among(posting.term, "terms"))
        .group_by(posting.term)
        .cte("weights")
    )
