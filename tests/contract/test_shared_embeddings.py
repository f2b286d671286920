"""Vectors of questions that one process computed and others find, on every cache."""

import struct
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest
import redis

from sagacity.coordination.base import Cache
from sagacity.coordination.open import open_shared
from sagacity.domain.errors import ProviderError
from sagacity.providers.base import Vectors
from sagacity.providers.embedders.cached import CachedEmbedder
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.embedders.open import EmbedderChoice, open_embedder
from sagacity.providers.embedders.shared_cache import SharedCacheEmbedder

URLS = {"local": lambda request: "", "valkey": lambda request: request.getfixturevalue("redis_url")}


@pytest.fixture(params=list(URLS))
async def cache(request: pytest.FixtureRequest) -> AsyncIterator[Cache]:
    async with open_shared(URLS[request.param](request)) as state:
        yield state.cache


class Counting:
    """An embedder whose vector tells the text's length, with numbers that float32 holds only just."""

    def __init__(self, model: str = "counting", dimension: int = 3) -> None:
        self.model = model
        self.dimension = dimension
        self.calls: list[tuple[str, ...]] = []
        self.failures: list[Exception] = []
        self.warmed = 0

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        self.calls.append(tuple(texts))
        if self.failures:
            raise self.failures.pop()
        rows = np.full((len(texts), self.dimension), np.float32(1 / 3))
        rows[:, 0] = [len(text) for text in texts]
        return rows

    async def warm(self) -> None:
        self.warmed += 1


class Spy:
    """A cache that remembers what was written through it."""

    def __init__(self, inner: Cache) -> None:
        self.inner = inner
        self.written: dict[str, bytes] = {}

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        return await self.inner.get_many(keys)

    async def set_many(self, values, seconds: float) -> None:
        self.written |= values
        await self.inner.set_many(values, seconds)


async def test_what_one_process_computed_another_finds(cache: Cache) -> None:
    """To the last bit, in order, repeated texts included; only what is missing is computed, once."""
    one, other = Counting(), Counting()
    computed = await SharedCacheEmbedder(one, cache, seconds=60).embed(["tea", "coffee"])
    found = await SharedCacheEmbedder(other, cache, seconds=60).embed(["a", "coffee", "tea", "a", "coffee"])
    assert (one.calls, other.calls) == ([("tea", "coffee")], [("a",)])
    assert found[:, 0].tolist() == [1, 6, 3, 1, 6]
    assert found.dtype == np.float32
    assert np.array_equal(found[[2, 1]], computed)


async def test_background_calls_pass_by(cache: Cache) -> None:
    """Texts that are indexed neither fill the cache nor ask it."""
    inner = Counting()
    embedder = SharedCacheEmbedder(inner, cache, seconds=60)
    await embedder.embed(["tea"], background=True)
    await embedder.embed(["tea"])
    await embedder.embed(["tea"], background=True)
    await embedder.embed(["tea"])
    assert inner.calls == [("tea",)] * 3


@pytest.mark.parametrize(
    "value",
    [b"", b"\x00" * 11, b"\x00" * 13, b"\x00" * 24, struct.pack("<3f", 1, float("nan"), 0)],
    ids=["empty", "short", "long", "double", "no number"],
)
async def test_what_can_not_be_a_vector_is_computed_again(cache: Cache, value: bytes) -> None:
    """And what is right takes its place."""
    spy = Spy(cache)
    await SharedCacheEmbedder(Counting(), spy, seconds=60).embed(["tea"])
    [key] = spy.written
    await cache.set_many({key: value}, 60)
    inner = Counting()
    embedder = SharedCacheEmbedder(inner, cache, seconds=60)
    assert (await embedder.embed(["tea"]))[0, 0] == 3
    assert (await embedder.embed(["tea"]))[0, 0] == 3
    assert inner.calls == [("tea",)]


async def test_embedders_do_not_find_each_others_vectors(cache: Cache) -> None:
    """Another model or another dimension is another key."""
    for inner in (
        Counting(),
        Counting(model="counting-2"),
        Counting(dimension=4),
        Counting(model="3 counting"),
    ):
        vectors = await SharedCacheEmbedder(inner, cache, seconds=60).embed(["tea"])
        assert vectors.shape == (1, inner.dimension)
        assert inner.calls == [("tea",)]


async def test_a_failure_is_not_kept(cache: Cache) -> None:
    """The caller is told, and the next call computes."""
    inner = Counting()
    inner.failures.append(ProviderError("down"))
    embedder = SharedCacheEmbedder(inner, cache, seconds=60)
    with pytest.raises(ProviderError):
        await embedder.embed(["tea"])
    assert (await embedder.embed(["tea"]))[0, 0] == 3


async def test_odd_texts_and_none_at_all(cache: Cache) -> None:
    """Whatever a user asks has a key."""
    embedder = SharedCacheEmbedder(Counting(), cache, seconds=60)
    assert (await embedder.embed([])).shape == (0, 3)
    for text in ("", "\ud800", "\x00", "x" * 100_000):
        assert [(await embedder.embed([text]))[0, 0] for _ in range(2)] == [len(text)] * 2


async def test_the_text_is_nowhere_on_the_server(redis_url: str) -> None:
    """Keys are hashes, values are little-endian float32 and nothing else."""
    async with open_shared(redis_url) as state:
        await SharedCacheEmbedder(Counting(), state.cache, seconds=60).embed(["my secret question"])
    with redis.Redis.from_url(redis_url) as admin:
        [key] = admin.scan_iter()
        assert b"secret" not in key
        assert b"counting" not in key
        assert admin.get(key) == struct.pack("<3f", 18, 1 / 3, 1 / 3)
        assert 0 < admin.pttl(key) <= 60_000


async def test_it_stands_between_memory_and_model(cache: Cache, embedder: MiniLM) -> None:
    """What the real model gave one process, another takes from the cache and then from its memory."""
    choice = EmbedderChoice(shared_cache_seconds=60)
    first, second = open_embedder(choice, cache), open_embedder(choice, cache)
    assert isinstance(second, CachedEmbedder)
    assert isinstance(second._inner, SharedCacheEmbedder)
    assert (second.model, second.dimension) == (embedder.model, 384)
    computed = await first.embed(["Where do I live?"])
    assert np.array_equal(await second.embed(["Where do I live?"]), computed)
    assert second.counts.misses == 1
    assert np.array_equal(await second.embed(["Where do I live?"]), computed)
    assert second.counts.hits == 1
    assert isinstance(open_embedder(EmbedderChoice(cache_entries=0), cache), MiniLM)
