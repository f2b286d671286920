"""The second level of the vector cache, which all processes share."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from sagacity.providers.base import Embedder, Vectors

_ROW = np.dtype("<f4")


class VectorCache(Protocol):
    """The interface of the cache, which may lose entries and never fails."""

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        """Return the value of each of *keys*, in their order; None for those not cached."""
        ...

    async def set_many(self, values: Mapping[str, bytes], seconds: float) -> None:
        """Keep *values* under their keys, for *seconds* at most."""
        ...


class SharedCacheEmbedder:
    """
    An embedder in front of another, with a cache that processes share.

    Only calls that somebody waits for use the cache; texts are indexed once. A key is a hash of the text, keyed with
    the embedder's name and dimension: the text itself is never sent to the cache.
    """

    def __init__(self, inner: Embedder, cache: VectorCache, *, seconds: float) -> None:
        """
        Put *cache* in front of *inner*.

        Args:
            inner: computes what the cache does not have.
            cache: where vectors are kept.
            seconds: how long each vector is kept, more than 0.
        """
        self._inner = inner
        self._cache = cache
        self._seconds = seconds
        self._hash_key = hashlib.blake2b(f"{inner.dimension} {inner.model}".encode()).digest()

    @property
    def model(self) -> str:
        """The inner embedder's."""
        return self._inner.model

    @property
    def dimension(self) -> int:
        """The inner embedder's."""
        return self._inner.dimension

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        """
        Embed *texts*, computing only what the cache does not have.

        Raises:
            ProviderError: the inner embedder failed; nothing is kept.
        """
        if background:
            return await self._inner.embed(texts, background=True)
        keys = [self._key(text) for text in texts]
        kept = zip(keys, await self._cache.get_many(keys), strict=True)
        rows = {key: row for key, value in kept if (row := self._row(value)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if missing:
            computed = await self._inner.embed(list(missing.values()))
            new = dict(zip(missing, computed, strict=True))
            await self._cache.set_many({key: _bytes(row) for key, row in new.items()}, self._seconds)
            rows |= new
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for position, key in enumerate(keys):
            vectors[position] = rows[key]
        return vectors

    async def warm(self) -> None:
        """Warm the inner embedder."""
        await self._inner.warm()

    def _key(self, text: str) -> str:
        digest = hashlib.blake2b(
            text.encode("utf-8", "surrogatepass"), digest_size=32, key=self._hash_key
        ).hexdigest()
        return f"embedding:{digest}"

    def _row(self, value: bytes | None) -> Vectors | None:
        """Parse one vector; None if it is invalid."""
        if value is None or len(value) != self.dimension * _ROW.itemsize:
            return None
        row = np.frombuffer(value, _ROW).astype(np.float32)
        return row if np.isfinite(row).all() else None


def _bytes(row: Vectors) -> bytes:
    return row.astype(_ROW).tobytes()
