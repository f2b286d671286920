"""How SQLite finds rows: by their number where a number is given, and never by reading all of an organisation."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite as dialect

from sagacity.domain.caution import Caution
from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.storage.base import Scope, SearchScope
from sagacity.storage.evidence.turn_windows import rows_beside
from sagacity.storage.open import open_storage
from sagacity.storage.schema.tables import interactions, memories, search_documents
from sagacity.storage.search.cautions import cautions_among
from sagacity.storage.search.ranking_signals import (
    admitted_memories,
    newest_memories,
    newest_turns,
    surest_memories,
)
from sagacity.storage.search.scopes import scopes_of
from sagacity.storage.search.term_index import _written_after
from support.parts import START

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


async def test_terms_are_read_of_their_scopes(tmp_path: Path) -> None:
    """What was written after a revision, of several scopes, too."""
    url = f"sqlite:///{tmp_path / 'sagacity.db'}"
    storage = await open_storage(url, clock=SystemClock(), ids=TimeOrderedIds())
    async with storage.read(ORG) as snapshot:
        statement = _written_after().params(scope_ids=[1, 2], revision=7)
        text = statement.compile(dialect=dialect.dialect(), compile_kwargs={"literal_binds": True})
        plan = await snapshot.memories._scope.all(sa.text(f"EXPLAIN QUERY PLAN {text}"))
    await storage.close()
    [read] = [row.detail for row in plan if "search_documents" in row.detail]
    assert read == "SEARCH search_documents USING INDEX ix_search_documents_scope (scope_id=? AND revision>?)"


class Explaining:
    """In place of the scope of a repository: keeps how its statements would be answered, and answers none."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.org_id = scope.org_id
        self.plan: list[str] = []

    async def all(self, statement: sa.Select, parameters: dict | None = None) -> list:
        given = statement.params(parameters or {})
        text = given.compile(dialect=dialect.dialect(), compile_kwargs={"literal_binds": True})
        plan = await self._scope.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}")
        self.plan += [row.detail for row in plan]
        return []


PROFILES = Filter(kinds=(MemoryKind.PROFILE,), user_id="anna", tags=("tea",))
CURRENT = Filter(kinds=(MemoryKind.PROFILE,), user_id="anna", valid_at=START)
EVERY = Filter(kinds=(MemoryKind.PROFILE,), user_id="anna", statuses=(Status.CURRENT, Status.PENDING))
TURNS = Filter(interactions=True, user_id="anna", valid_at=START)
SCOPES = [SearchScope(1, "profile", 9, 9, 0, 0), SearchScope(2, "semantic", 9, 9, 0, 0)]
BY_USER = "(org_id=? AND user_id=?"
LOOKUPS = {
    "memories of a user": (
        lambda tx: tx.memories.list_wanted(PROFILES, 9),
        "memories USING INDEX ix_memories_org_kind_user (org_id=? AND kind=? AND user_id=? AND status=?)",
    ),
    "turns of a user": (
        lambda tx: tx.interactions.list_wanted(Filter(interactions=True, user_id="anna"), 9),
        f"interactions USING INDEX ux_interactions_log {BY_USER})",
    ),
    "what stands beside": (lambda tx: rows_beside(tx.interactions._scope, [1], 2), f"near USING INDEX ux_interactions_log {BY_USER} AND seq>? AND seq<?)"),
    "newest of a user": (
        lambda tx: newest_memories(tx.interactions._scope, CURRENT, MemoryKind.PROFILE, limit=9),
        "memories USING INDEX ix_memories_org_kind_user (org_id=? AND kind=? AND user_id=? AND status=?)",
    ),
    "newest of several statuses": (
        lambda tx: newest_memories(tx.interactions._scope, EVERY, MemoryKind.PROFILE, limit=9),
        "memories USING INDEX ix_memories_org_kind_user (org_id=? AND kind=? AND user_id=?)",
    ),
    "surest of the newest": (
        lambda tx: surest_memories(
            tx.interactions._scope, CURRENT, MemoryKind.PROFILE, newest=9, limit=2
        ),
        "memories USING INDEX ix_memories_org_kind_user (org_id=? AND kind=? AND user_id=? AND status=?)",
    ),
    "what a user said last": (
        lambda tx: newest_turns(tx.interactions._scope, TURNS, limit=9),
        f"interactions USING COVERING INDEX ux_interactions_log {BY_USER})",
    ),
    "which memories of a user are admitted": (
        lambda tx: admitted_memories(tx.interactions._scope, CURRENT, {1: 1.0, 2: 0.5}),
        "search_documents USING INDEX ux_search_documents_owner (org_id=? AND kind=? AND owner_id=?)",
    ),
    "what a user must not miss": (
        lambda tx: cautions_among(tx.interactions._scope, SCOPES, CURRENT, frozenset(Caution)),
        "search_documents USING INDEX ix_search_documents_cautions (org_id=? AND scope_id=?)",
    ),
    "scopes of users": (
        lambda tx: scopes_of(tx.interactions._scope, PROFILES),
        "search_scopes USING INDEX ux_search_scopes (org_id=? AND kind=? AND user_id=?)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKUPS)
async def test_what_a_user_has_is_found_without_reading_others(tmp_path: Path, name: str) -> None:
    """Also without statistics: by an index that begins with the user, and without sorting all there is."""
    url = f"sqlite:///{tmp_path / 'sagacity.db'}"
    ask, lookup = LOOKUPS[name]
    storage = await open_storage(url, clock=SystemClock(), ids=TimeOrderedIds())
    async with storage.read(ORG) as snapshot:
        scope = Explaining(snapshot.memories._scope)
        snapshot.memories._scope = snapshot.interactions._scope = scope
        await ask(snapshot)
    await storage.close()
    assert f"SEARCH {lookup}" in scope.plan
    if " of a user" in name:
        assert not [step for step in scope.plan if "ORDER BY" in step]
