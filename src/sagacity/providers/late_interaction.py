"""Reranking by late interaction: each token of a question finds its match among the tokens of a text."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sagacity.providers.base import Vectors
from sagacity.providers.in_time import score_in_time

MAX_TOKENS = 128
"""What MiniLM was trained with. More costs twice the time and ranks no better: a long text matches anything."""
CACHE_BYTES = 64 * 2**20
"""Some 700 texts of 128 tokens."""

HalfVectors = npt.NDArray[np.float16]


class TokenEmbedder(Protocol):
    """What gives each token of a text a vector: MiniLM."""

    async def embed_tokens(self, text: str, *, limit: int) -> Vectors:
        """Return float32 [tokens, d], unit rows, of *text* cut at *limit* tokens."""
        ...


class LateInteraction:
    """
    Compares the token vectors of the embedder that is loaded anyway.

    A text's vectors are made when it is first looked at, which takes some 30 ms on one core, and are then kept
    in memory. Comparing those that are there takes less than a millisecond a text.
    """

    def __init__(self, encoder: TokenEmbedder, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._encoder = encoder
        self._cache = _Cache(cache_bytes)

    @property
    def name(self) -> str:
        """`late-interaction`."""
        return "late-interaction"

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> Vectors:
        """
        Score each text by `max_sim`; first those whose vectors are kept, then the others in their order.

        Raises:
            ProviderError: the runtime failed.
        """

        async def look(text: str) -> float:
            return max_sim(await self._vectors(query), await self._vectors(text))

        order = sorted(range(len(texts)), key=lambda place: texts[place] not in self._cache)
        scores = np.empty(len(texts), np.float32)
        scores[order] = await score_in_time(look, [texts[place] for place in order], seconds=seconds)
        return scores

    async def warm(self) -> None:
        """Load the model and run it once."""
        await self._encoder.embed_tokens("warm", limit=MAX_TOKENS)

    async def _vectors(self, text: str) -> Vectors:
        kept = self._cache.find(text)
        if kept is not None:
            return kept.astype(np.float32)
        vectors = await self._encoder.embed_tokens(text, limit=MAX_TOKENS)
        self._cache.put(text, vectors.astype(np.float16))
        return vectors


def max_sim(query: Vectors, text: Vectors) -> float:
    """
    Return how well a text answers a question: for each token of the question the best cosine, on average.

    Args:
        query: float32 [tokens, d], unit rows.
        text: float32 [tokens, d], unit rows.

    Returns:
        In [0, 1]; 0 where either has no token.

    Source: Khattab & Zaharia, SIGIR 2020, with the mean for their sum.
    """
    if not (len(query) and len(text)):
        return 0.0
    return float(np.clip((query @ text.T).max(axis=1).mean(), 0.0, 1.0))


class _Cache:
    """Token vectors by text, the least recently used going first when they take more than their bytes."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity = capacity_bytes
        self._bytes = 0
        self._kept: OrderedDict[bytes, HalfVectors] = OrderedDict()

    def __contains__(self, text: str) -> bool:
        return _key(text) in self._kept

    def find(self, text: str) -> HalfVectors | None:
        key = _key(text)
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, text: str, vectors: HalfVectors) -> None:
        former = self._kept.pop(key := _key(text), None)  # two questions may have met over one text
        self._kept[key] = vectors
        self._bytes += vectors.nbytes - (0 if former is None else former.nbytes)
        while self._bytes > self._capacity:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= dropped.nbytes


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
