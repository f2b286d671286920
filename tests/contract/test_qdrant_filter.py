"""What Qdrant is asked to let through is what the database lets through, on Qdrant's own engine."""

from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa

from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Filter
from sagacity.storage.qdrant.store import QdrantStore, Question, filter_of, is_expressible, payload_of
from sagacity.storage.replica.copy import VectorCopy
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.search.filters import admitted, values_of
from sagacity.storage.transaction import Storage
from support.filters import asked_for, furnished
from support.parts import ORG, CountingIds, unit_rows
from support.qdrant_server import QdrantServer

ANY = Filter(kinds=(MemoryKind.PROFILE,), statuses=())


@pytest.fixture
async def copied(storage: Storage, qdrant: QdrantServer) -> AsyncIterator[Storage]:
    """Memories of every sort, all of them in Qdrant."""
    await storage.claim_index("test", 16)
    storage.vector_store = QdrantStore(qdrant.url, search_seconds=30)
    rows = furnished()
    vectors = dict(zip((row.uid for row in rows), unit_rows(len(rows)), strict=True))
    async with storage.begin(ORG) as tx:
        await tx.memories.add(rows, vectors=vectors)
    await VectorCopy(storage, storage.vector_store, ids=CountingIds()).fill()
    yield storage
    await storage.vector_store.close()


async def test_qdrant_lets_through_what_the_database_does(copied: Storage, qdrant: QdrantServer) -> None:
    """For every kind and filter the same documents, asked of each directly: neither makes up for the other."""
    [collection] = qdrant.collections
    vector = unit_rows(1, seed=5)[0]
    column = search_documents.c
    counts: list[int] = []
    async with copied.read(ORG) as snapshot:
        for wanted in filter(is_expressible, asked_for()):
            questions = [
                Question(ORG.org_id, str(kind), None, wanted, 1_000, exact=True) for kind in MemoryKind
            ]
            found = await copied.vector_store.nearest(collection, questions, vector)
            for question, numbers in zip(questions, found, strict=True):
                values = values_of(question.wanted)
                statement = sa.select(column.document_id).where(
                    column.org_id == ORG.org_id, column.kind == question.kind, *admitted(values)
                )
                rows = await snapshot.search._scope.all(statement, values)
                assert set(numbers) == {row.document_id for row in rows}, question
                counts.append(len(numbers))
    assert sum(count > 0 for count in counts) > 50


async def test_scopes_narrow_the_question(copied: Storage, qdrant: QdrantServer) -> None:
    """Only documents of the scopes that are named are found."""
    [collection] = qdrant.collections
    async with copied.read(ORG) as snapshot:
        scopes = await snapshot.search.scopes(ANY)
        assert len(scopes) == 2
        for one in scopes:
            there = {
                d.document_id for d in await snapshot.copies.changed(one.scope_id, 0, after=0, limit=1_000)
            }
            question = Question(ORG.org_id, one.kind, (one.scope_id,), ANY, 1_000, exact=True)
            [found] = await copied.vector_store.nearest(collection, [question], unit_rows(1)[0])
            assert set(found) == there != set()


async def test_times_keep_their_microseconds(copied: Storage) -> None:
    """Times go over as whole microseconds, and what is empty is left out."""
    async with copied.read(ORG) as snapshot:
        [scope, *_] = await snapshot.search.scopes(ANY)
        documents = await snapshot.copies.changed(scope.scope_id, 0, after=0, limit=1_000)
    for document in documents:
        payload = payload_of(ORG.org_id, document)
        assert payload["changed_at"] == round(document.changed_at.timestamp() * 1_000_000)
        assert ("expires_at" in payload) == (document.expires_at is not None)
        assert set(payload) - {"expires_at", "request_id"} == {
            "organisation", "scope", "kind", "status", "approval", "visibility", "held", "agent_version", "name", "source", "changed_at",
        }  # fmt: skip
    assert {document.expires_at is None for document in documents} == {True, False}


def test_an_organisation_is_always_named() -> None:
    """No question leaves out whose documents are asked for."""
    for kind in MemoryKind:
        conditions = filter_of(
            Question(ORG.org_id, str(kind), None, Filter(), 5, exact=True)
        ).model_dump_json()
        assert f'"key":"organisation","match":{{"value":"{ORG.org_id}"}}' in conditions
