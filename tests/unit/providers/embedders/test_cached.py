"""The cache before an embedder: what is computed, how often, and what is kept."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from sagacity.domain.errors import ProviderError
from sagacity.providers.base import Vectors
from sagacity.providers.embedders.cached import CachedEmbedder


class Counting:
    """An embedder whose vector is the text's length, and which waits at a gate."""

    model = "counting"
    dimension = 2

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.background_calls: list[tuple[str, ...]] = []
        self.failures: list[Exception] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.warmed = 0

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        (self.background_calls if background else self.calls).append(tuple(texts))
        await self.gate.wait()
        if self.failures:
            raise self.failures.pop()
        return np.array([[len(text), 1] for text in texts], np.float32).reshape(-1, 2)

    async def warm(self) -> None:
        self.warmed += 1


async def test_second_call_is_a_hit() -> None:
    """A text is computed once."""
    inner = Counting()
    cached = CachedEmbedder(inner, capacity=10)
    assert (await cached.embed(["tea"])).tolist() == [[3, 1]]
    assert (await cached.embed(["tea"])).tolist() == [[3, 1]]
    assert inner.calls == [("tea",)]
    assert (cached.counts.hits, cached.counts.misses, cached.counts.entries) == (1, 1, 1)


async def test_mixed_batch_computes_the_missing_once_and_keeps_order() -> None:
    """Hits, misses and duplicates in one call."""
    inner = Counting()
    cached = CachedEmbedder(inner, capacity=10)
    await cached.embed(["aa", "bbbb"])
    vectors = await cached.embed(["ccc", "aa", "d", "ccc", "bbbb"])
    assert vectors[:, 0].tolist() == [3, 2, 1, 3, 4]
    assert inner.calls == [("aa", "bbbb"), ("ccc", "d")]
    assert (cached.counts.hits, cached.counts.misses) == (3, 4)


async def test_ten_concurrent_calls_compute_once() -> None:
    """Single flight."""
    inner = Counting()
    inner.gate.clear()
    cached = CachedEmbedder(inner, capacity=10)
    calls = [asyncio.create_task(cached.embed(["tea", f"{n % 2}"])) for n in range(10)]
    await asyncio.sleep(0.01)
    inner.gate.set()
    answers = await asyncio.gather(*calls)
    assert [answer[:, 0].tolist() for answer in answers] == [[3, 1]] * 10
    assert inner.calls == [("tea", "0"), ("1",)]
    assert (cached.counts.hits, cached.counts.misses) == (17, 3)


async def test_failure_reaches_all_waiters_and_is_not_kept() -> None:
    """Who waited gets the error; who comes later gets a vector."""
    inner = Counting()
    inner.gate.clear()
    inner.failures.append(ProviderError("down"))
    cached = CachedEmbedder(inner, capacity=10)
    calls = [asyncio.create_task(cached.embed(["tea"])) for _ in range(5)]
    await asyncio.sleep(0.01)
    inner.gate.set()
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [str(outcome) for outcome in outcomes] == ["down"] * 5
    assert (await cached.embed(["tea"])).tolist() == [[3, 1]]
    assert cached.counts.entries == 1


async def test_cancelled_waiter_does_not_stop_the_others() -> None:
    """The one who started the computation may leave."""
    inner = Counting()
    inner.gate.clear()
    cached = CachedEmbedder(inner, capacity=10)
    first = asyncio.create_task(cached.embed(["tea"]))
    await asyncio.sleep(0.01)
    second = asyncio.create_task(cached.embed(["tea"]))
    await asyncio.sleep(0.01)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    inner.gate.set()
    assert (await second).tolist() == [[3, 1]]
    assert inner.calls == [("tea",)]


async def test_failure_after_all_waiters_left_is_silent() -> None:
    """Nobody is left to tell, and the next call starts afresh."""
    inner = Counting()
    inner.gate.clear()
    inner.failures.append(ProviderError("down"))
    cached = CachedEmbedder(inner, capacity=10)
    only = asyncio.create_task(cached.embed(["tea"]))
    await asyncio.sleep(0.01)
    only.cancel()
    with pytest.raises(asyncio.CancelledError):
        await only
    inner.gate.set()
    await asyncio.sleep(0.01)
    assert (await cached.embed(["tea"])).tolist() == [[3, 1]]
    assert inner.calls == [("tea",), ("tea",)]


async def test_least_recently_used_goes_first() -> None:
    """A hit makes a text young again."""
    inner = Counting()
    cached = CachedEmbedder(inner, capacity=2)
    for text in ("a", "bb", "a", "ccc"):
        await cached.embed([text])
    assert cached.counts.entries == 2
    await cached.embed(["a"])
    await cached.embed(["bb"])
    assert inner.calls == [("a",), ("bb",), ("ccc",), ("bb",)]


async def test_batch_over_the_capacity_is_answered() -> None:
    """The bound holds for what is kept, not for what is asked."""
    cached = CachedEmbedder(Counting(), capacity=2)
    vectors = await cached.embed(["a", "bb", "ccc", "dddd"])
    assert vectors[:, 0].tolist() == [1, 2, 3, 4]
    assert cached.counts.entries == 2


async def test_background_reads_the_cache_but_does_not_fill_it() -> None:
    """Indexing profits from questions and never pushes them out."""
    inner = Counting()
    cached = CachedEmbedder(inner, capacity=2)
    await cached.embed(["a", "bb"])
    vectors = await cached.embed(["ccc", "a", "dddd", "ccc"], background=True)
    assert vectors[:, 0].tolist() == [3, 1, 4, 3]
    assert inner.background_calls == [("ccc", "dddd")]
    await cached.embed(["a", "bb"])
    assert inner.calls == [("a", "bb")]


async def test_query_does_not_wait_for_background() -> None:
    """A question whose text is being indexed is computed in its own lane."""
    inner = Counting()
    inner.gate.clear()
    cached = CachedEmbedder(inner, capacity=2)
    indexing = asyncio.create_task(cached.embed(["tea"], background=True))
    await asyncio.sleep(0.01)
    question = asyncio.create_task(cached.embed(["tea"]))
    await asyncio.sleep(0.01)
    assert (inner.background_calls, inner.calls) == ([("tea",)], [("tea",)])
    inner.gate.set()
    assert (await indexing).tolist() == (await question).tolist() == [[3, 1]]


async def test_names_and_warmth_are_the_inner_ones() -> None:
    """The cache is not seen from outside."""
    inner = Counting()
    cached = CachedEmbedder(inner, capacity=2)
    await cached.warm()
    assert (cached.model, cached.dimension, inner.warmed) == ("counting", 2, 1)


def test_capacity_below_one_is_a_bug() -> None:
    """A cache that can hold nothing is refused."""
    with pytest.raises(ValueError, match="at least one"):
        CachedEmbedder(Counting(), capacity=0)
