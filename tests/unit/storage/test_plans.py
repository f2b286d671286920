"""How SQLite finds rows: by their number where a number is given, and never by reading all of an organisation."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite as dialect

from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds
from sagacity.domain.tenant import Tenant
from sagacity.storage.bm25 import _best
from sagacity.storage.open import open_storage
from sagacity.storage.tables import interactions, memories, search_documents

ORG = Tenant(org_id="org-a")


@pytest.mark.parametrize(
    "column", [memories.c.memory_id, interactions.c.interaction_id, search_documents.c.document_id], ids=str
)
async def test_rows_are_looked_up_by_their_number(tmp_path: Path, column: sa.Column[int]) -> None:
    """Also without statistics, and however many numbers there are."""
    url = f"sqlite:///{tmp_path / 'sagacity.db'}"
    storage = await open_storage(url, clock=SystemClock(), ids=TimeOrderedIds())
    async with storage.read(ORG) as snapshot:
        scope = snapshot.memories._scope
        statement = sa.select(column.table).where(column.in_(range(50)), scope.owns(column.table))
        text = statement.compile(dialect=dialect.dialect(), compile_kwargs={"literal_binds": True})
        plan = await scope.all(sa.text(f"EXPLAIN QUERY PLAN {text}"))
    await storage.close()
    assert [row.detail for row in plan] == [f"SEARCH {column.table.name} USING INTEGER PRIMARY KEY (rowid=?)"]


@pytest.mark.parametrize("of_user", [True, False], ids=["of a user", "of all"])
async def test_words_are_looked_up_within_their_scopes(tmp_path: Path, of_user: bool) -> None:  # noqa: FBT001
    """The postings of the words that were asked for are read, and not all of a scope's."""
    url = f"sqlite:///{tmp_path / 'sagacity.db'}"
    storage = await open_storage(url, clock=SystemClock(), ids=TimeOrderedIds())
    async with storage.read(ORG) as snapshot:
        scope = snapshot.memories._scope
        profiles, semantic = (1, 2) if of_user else ([1], [2])
        given = {"terms": ["tea"], "scopes": [1, 2], "scopes_profile": profiles, "scopes_semantic": semantic}
        values = {"document_count": 9.0, "average_length": 9.0, "most": 5, "statuses": ["current"]}
        statement = _best(("profile", "semantic"), ("statuses",), of_user=of_user).params(given | values)
        text = statement.compile(dialect=dialect.dialect(), compile_kwargs={"literal_binds": True})
        plan = await scope.all(sa.text(f"EXPLAIN QUERY PLAN {text}"))
    await storage.close()
    reads = [row.detail for row in plan if "search_terms" in row.detail]
    assert reads == ["SEARCH search_terms USING PRIMARY KEY (scope_id=? AND term=?)"] * 3
