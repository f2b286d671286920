"""A storage on each way of searching by vector, one on the real clock, and the servers behind them."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from redis.asyncio import Redis

from sagacity.domain.clock import SystemClock
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.memories.acting import Parts
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.transaction import Storage
from support.acting import parts_of
from support.learning import WordEmbedder
from support.parts import CountingIds, StoppedClock, opened
from support.qdrant_server import QdrantServer, qdrant_server
from support.s3_server import S3Server, running_s3
from support.vector_copies import copied_to
from support.vector_indexes import DIMENSION, EXTREMES, VECTOR_INDEXES, searching


@pytest.fixture
def parts(storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds) -> Parts:
    """What commands on memories work with."""
    return parts_of(storage, embedder, clock, ids)


@pytest.fixture
def quick(storage: Storage, clock: StoppedClock, ids: CountingIds) -> tuple[Any, ...]:
    """What learning is made of, with an embedder that costs nothing: for tests about order and failure."""
    return storage, WordEmbedder(), clock, ids


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    """To look into the queue, as an operator or an intruder may, and to slow its server down."""
    redis = Redis.from_url(redis_url)
    yield redis
    await redis.aclose()


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """An S3 server with an empty bucket; each test takes a prefix of its own."""
    with running_s3() as server:
        yield server


@pytest.fixture
def qdrant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantServer]:
    """Qdrant's engine behind its REST interface, without any collection."""
    with qdrant_server(tmp_path_factory.mktemp("qdrant")) as server:
        yield server


@pytest.fixture(
    params=[pytest.param(way, marks=pytest.mark.full if way in EXTREMES else ()) for way in VECTOR_INDEXES]
)
async def vectors_storage(request: pytest.FixtureRequest, storage: Storage) -> AsyncIterator[Storage]:
    """A storage that searches by vector in each way that there is."""
    async with searching(storage, request) as one:
        yield one


@pytest.fixture
async def live_storage(database_url: str, ids: CountingIds) -> AsyncIterator[Storage]:
    """A storage on the real clock, with the local organisation in it, whose lease the sweep needs."""
    async with opened(database_url, SystemClock(), ids) as storage:
        async with storage.begin(Tenant(org_id=LOCAL_ORG)) as tx:
            await tx.organisation.ensure()
        yield storage


@pytest.fixture
async def copying(storage: Storage, qdrant: QdrantServer) -> AsyncIterator[Storage]:
    """A storage with a copy of its vectors in Qdrant that only the test fills."""
    await storage.claim_index("test", DIMENSION)
    async with copied_to(storage, qdrant) as one:
        yield one
