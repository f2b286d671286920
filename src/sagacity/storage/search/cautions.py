"""Find one user's cautions, whatever words a question has."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.caution import Caution
from sagacity.domain.kinds import FACT_KINDS
from sagacity.domain.query import Filter
from sagacity.storage.base import Scope, SearchScope
from sagacity.storage.hits import Hit
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.search.filters import SHAPES, admitted, values_of
from sagacity.storage.statements.array_params import among

MOST = 20
"""Cautions of one user that are read, last changed first. Longer lists are documents, not facts."""
_column = search_documents.c


async def cautions_among(
    scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, touched: Collection[Caution]
) -> list[Hit]:
    """
    Return the memories in *scopes* that warn of what is *touched* and that *wanted* admits, with a score of 0.

    At most `MOST`, last changed first.
    """
    reached = [one.scope_id for one in scopes if one.kind in FACT_KINDS]
    if not reached or not touched:
        return []
    values = values_of(wanted)
    given = {
        "org_id": scope.org_id,
        "scopes": reached,
        "cautions": [str(one) for one in touched],
        "most": MOST,
    }
    rows = await scope.all(_cautions(tuple(values)), given | values)
    return [Hit(row.document_id, row.owner_id, row.kind, 0.0) for row in rows]


@lru_cache(maxsize=SHAPES)
def _cautions(fields: tuple[str, ...]) -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(_column.document_id, _column.owner_id, _column.kind)
        .where(
            _column.org_id == sa.bindparam("org_id"),
            among(_column.scope_id, "scopes"),
            _column.caution.is_not(None),  # stated so that the index is used
            among(_column.caution, "cautions"),
            *admitted(fields),
        )
        .order_by(_column.changed_at.desc(), _column.document_id.desc())
        .limit(sa.bindparam("most", type_=sa.Integer))
    )
