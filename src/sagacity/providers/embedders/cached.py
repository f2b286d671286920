"""Cache the vectors of texts, and compute each text only once at a time."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sagacity.domain.base import Value
from sagacity.providers.base import Embedder, Vectors

Row = npt.NDArray[np.float32]


class CacheCounts(Value):
    """Statistics of the cache."""

    hits: int
    """Vectors returned without computing: from memory, or by waiting for another call's computation."""
    misses: int
    """Computed."""
    entries: int
    """Vectors in the cache now."""


class CachedEmbedder:
    """
    An embedder in front of another, for one event loop.

    Calls that somebody waits for fill the cache; background calls only read it. Texts are indexed once and their
    vectors are then stored, whereas questions come again: a night of indexing must not push them out. A waiting call
    never joins a background computation, which may be far back in a queue.
    """

    def __init__(self, inner: Embedder, *, capacity: int) -> None:
        """
        Put a cache in front of *inner*.

        Args:
            inner: computes what is not cached.
            capacity: how many vectors are kept, 1 or more; the least recently used go first. 384 numbers take 1.5 kB.

        Raises:
            ValueError: *capacity* is below 1.
        """
        if capacity < 1:
            raise ValueError(f"a cache needs room for at least one vector, not {capacity}")
        self._inner = inner
        self._capacity = capacity
        self._rows: OrderedDict[bytes, Row] = OrderedDict()
        self._flights: dict[bytes, asyncio.Task[Mapping[bytes, Row]]] = {}
        self._hits = 0
        self._misses = 0

    @property
    def model(self) -> str:
        """The inner embedder's."""
        return self._inner.model

    @property
    def dimension(self) -> int:
        """The inner embedder's."""
        return self._inner.dimension

    @property
    def counts(self) -> CacheCounts:
        """Hits and misses since the start."""
        return CacheCounts(hits=self._hits, misses=self._misses, entries=len(self._rows))

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        """
        Embed *texts*, computing only what is neither cached nor being computed.

        Raises:
            ProviderError: the inner embedder failed; every call that waited for that computation raises it.
        """
        keys = [_key(text) for text in texts]
        found = {key: self._rows[key] for key in keys if key in self._rows}
        for key in found:
            self._rows.move_to_end(key)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if background:
            computed = await self._compute(missing, background=True) if missing else {}
            self._count(len(texts), misses=len(missing))
        else:
            computed = await self._join(missing, asked=len(texts))
        rows = {**found, **computed}
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for position, key in enumerate(keys):
            vectors[position] = rows[key]
        return vectors

    def forget(self) -> None:
        """Clear the cache."""
        self._rows.clear()

    async def warm(self) -> None:
        """Warm the inner embedder."""
        await self._inner.warm()

    async def _join(self, missing: Mapping[bytes, str], *, asked: int) -> dict[bytes, Row]:
        """Wait for the computations of *missing*, starting one for those that nobody is computing."""
        new = {key: text for key, text in missing.items() if key not in self._flights}
        self._count(asked, misses=len(new))
        if new:
            flight = asyncio.create_task(self._fly(new))
            flight.add_done_callback(_retrieved)
            self._flights.update(dict.fromkeys(new, flight))
        rows: dict[bytes, Row] = {}
        for flight in {self._flights[key] for key in missing}:
            rows.update(
                await asyncio.shield(flight)
            )  # others wait for the same flight: cancelling one caller must not stop it
        return rows

    async def _fly(self, texts: Mapping[bytes, str]) -> Mapping[bytes, Row]:
        try:
            rows = await self._compute(texts, background=False)
        finally:
            for key in texts:
                del self._flights[key]
        self._rows.update(rows)
        while len(self._rows) > self._capacity:
            self._rows.popitem(last=False)
        return rows

    async def _compute(self, texts: Mapping[bytes, str], *, background: bool) -> dict[bytes, Row]:
        vectors = await self._inner.embed(list(texts.values()), background=background)
        return {key: row.copy() for key, row in zip(texts, vectors, strict=True)}

    def _count(self, asked: int, *, misses: int) -> None:
        self._hits += asked - misses
        self._misses += misses


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _retrieved(flight: asyncio.Task[Mapping[bytes, Row]]) -> None:
    """Retrieve the exception, so that asyncio does not report it if all waiters have gone."""
    if not flight.cancelled():
        flight.exception()
