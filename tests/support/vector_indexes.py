"""
Every way in which vectors are searched, to run one contract on all of them.

A test asks for the fixture `vectors_storage`. Where it has a Qdrant, that is filled by the real job, after each commit
or one commit late, and it must have answered by itself: a search that fell back fails the test.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from sagacity.domain.tenant import Tenant
from sagacity.storage.base import Nearest, VectorIndex
from sagacity.storage.qdrant.search import QdrantVectors
from sagacity.storage.qdrant.store import QdrantStore
from sagacity.storage.replica.copy import VectorCopy
from sagacity.storage.search.exact_vectors import ExactVectors
from sagacity.storage.transaction import Storage, Transaction
from support.parts import CountingIds
from support.qdrant_server import QdrantServer

DIMENSION = 16
"""Of `support.parts.unit_rows`."""


class CopyingStorage(Storage):
    """A storage that copies its vectors at each commit of a tenant's transaction: before it, or after."""

    copy: VectorCopy
    copies_before = False

    @asynccontextmanager
    async def begin(self, tenant: Tenant) -> AsyncIterator[Transaction]:
        if self.copies_before:
            await self.copy.fill()
        async with super().begin(tenant) as transaction:
            yield transaction
        if not self.copies_before:
            await self.copy.fill()


class Watched:
    """Keeps what a vector index said that was wrong."""

    def __init__(self, index: VectorIndex) -> None:
        self.index, self.waits = index, index.waits
        self.fallbacks: list[str] = []

    async def search(self, *question) -> Nearest:
        nearest = await self.index.search(*question)
        if nearest.fallback:
            self.fallbacks.append(nearest.fallback)
        return nearest

    async def search_many(self, *questions) -> list[Nearest]:
        return await self.index.search_many(*questions)


def with_qdrant(storage: Storage, server: QdrantServer, *, few: int = 0, **options) -> CopyingStorage:
    """The same database with a copy in *server*, by which all questions are answered that reach more than *few*."""
    backend = storage.backend
    store = QdrantStore(server.url, server.api_key, **options)
    copying = CopyingStorage(backend, clock=storage._clock, ids=storage._ids, vector_store=store)
    copying.copy = VectorCopy(storage, store, ids=CountingIds("copy"))
    backend.vectors = QdrantVectors(store, backend.vectors, few=few, exact=0)
    return copying


def _own(storage: Storage, request: pytest.FixtureRequest) -> Storage:
    return storage


def _exact(large_scope: int) -> Callable[[Storage, pytest.FixtureRequest], Storage]:
    def exact(storage: Storage, request: pytest.FixtureRequest) -> Storage:
        storage.backend.vectors = ExactVectors(large_scope=large_scope)
        return storage

    return exact


def _copied(*, late: bool) -> Callable[[Storage, pytest.FixtureRequest], Storage]:
    def copied(storage: Storage, request: pytest.FixtureRequest) -> Storage:
        copying = with_qdrant(storage, request.getfixturevalue("qdrant"), search_seconds=10)
        copying.copies_before = late
        copying.backend.vectors = Watched(copying.backend.vectors)
        return copying

    return copied


# Way of searching → how a storage comes to it. To run the contract on one more, add its line.
VECTOR_INDEXES: dict[str, Callable[[Storage, pytest.FixtureRequest], Storage]] = {
    "the database's own": _own,
    "kept": _exact(2),
    "kept from 40": _exact(40),
    "read each time": _exact(100_000),
    "qdrant": _copied(late=False),
    "qdrant, one commit late": _copied(late=True),
}

EXTREMES = {"kept", "read each time"}
"""Both sides of "kept from 40": tried one by one in the full suite only."""


@asynccontextmanager
async def searching(storage: Storage, request: pytest.FixtureRequest) -> AsyncIterator[Storage]:
    """The storage, searching by vector in the way that the test's parameter names."""
    await storage.claim_index("test", DIMENSION)
    one = VECTOR_INDEXES[request.param](storage, request)
    try:
        yield one
        fallbacks = getattr(one.backend.vectors, "fallbacks", [])
        assert fallbacks == []
    finally:
        if one.vector_store is not None:
            await one.vector_store.close()
