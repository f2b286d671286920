"""A storage with a copy of its vectors that only the test fills, and what both sides have."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import sqlalchemy as sa

from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.storage.base import Nearest
from sagacity.storage.replica.copy import VectorCopy
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG, CountingIds, new_memory, unit_rows
from support.qdrant_server import QdrantServer
from support.vector_indexes import with_qdrant

PROFILES = Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA)
ROWS = unit_rows(400)


@asynccontextmanager
async def copied_to(storage: Storage, qdrant: QdrantServer, **options) -> AsyncIterator[Storage]:
    """*storage* with a copy in *qdrant* that only a test fills."""
    one = with_qdrant(storage, qdrant, **{"search_seconds": 10, "rest_seconds": 0, **options})
    plain = Storage(one.backend, clock=one._clock, ids=one._ids, vector_store=one.vector_store)
    try:
        yield plain
    finally:
        await plain.vector_store.close()


def copy_of(storage: Storage, prefix="copy") -> VectorCopy:
    return VectorCopy(storage, storage.vector_store, ids=CountingIds(prefix))


async def add(storage: Storage, rows, *, user_id=ANNA, tenant=ORG) -> list[Memory]:
    new = [new_memory(f"memory {n}", user_id=user_id) for n in range(len(rows))]
    async with storage.begin(tenant) as tx:
        return await tx.memories.add(new, vectors=dict(zip((one.uid for one in new), rows, strict=True)))


async def delete(storage: Storage, memories: list[Memory], *, tenant=ORG) -> None:
    async with storage.begin(tenant) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, ids=[memory.memory_id for memory in memories])


async def search(storage: Storage, row, limit=10, *, wanted=PROFILES, tenant=ORG) -> Nearest:
    async with storage.read(tenant) as snapshot:
        return await snapshot.search.by_vector(wanted, row, limit)


async def found_by_qdrant(storage: Storage, row, limit=10, **where) -> list[int]:
    nearest = await search(storage, row, limit, **where)
    assert nearest.fallback == ""
    return [hit.owner_id for hit in nearest.hits]


async def documents(storage: Storage, *tenants: Tenant) -> set[int]:
    """The numbers of all documents of these tenants that have a vector."""
    numbers: set[int] = set()
    for tenant in tenants or (ORG,):
        async with storage.read(tenant) as snapshot:
            column = search_documents.c
            statement = sa.select(column.document_id).where(
                column.org_id == tenant.org_id, column.vector.is_not(None)
            )
            numbers |= {row.document_id for row in await snapshot.search._scope.all(statement)}
    return numbers


def asked(qdrant: QdrantServer, kind="POST", what="query/batch") -> int:
    return sum(path.startswith(kind) and path.endswith(what) for path in qdrant.paths)
