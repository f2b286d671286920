"""An embedder that keeps every vector it made on disk, so that a second run computes none."""

import fcntl
import hashlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from sagacity.providers.base import Embedder, Vectors

_TEXTS_A_CALL = 256


class CachedEmbedder:
    """
    Vectors by the SHA-1 of their text, in one file per model.

    A record is the hash and the vector in half precision, as in the database. Records are only appended, under a lock,
    so parallel runs do not harm each other. A partial record of a killed run is cut off.
    """

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.inner = embedder
        self._path = folder / f"{re.sub(r'[^A-Za-z0-9.-]', '_', embedder.model)}.vectors"
        self._record = np.dtype([("key", "V20"), ("vector", "<f2", (embedder.dimension,))])
        self._vectors = self._read()

    @property
    def model(self) -> str:
        """The embedder's."""
        return self.inner.model

    @property
    def dimension(self) -> int:
        """The embedder's."""
        return self.inner.dimension

    async def warm(self) -> None:
        """Do nothing: vectors on disk need no model."""

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        """Embed *texts*, from disk if they were embedded before."""
        await self.keep(texts)
        return np.stack([self._vectors[_key(text)] for text in texts]).astype(np.float32)

    async def keep(self, texts: Sequence[str], on_progress: Callable[[int, int], None] | None = None) -> None:
        """
        Embed and store those of *texts* that are not on disk.

        Args:
            texts: any number, also with repetitions.
            on_progress: called after each group with the number of embedded texts and the total.
        """
        missing = sorted({text for text in texts if _key(text) not in self._vectors}, key=len)
        for start in range(0, len(missing), _TEXTS_A_CALL):
            group = missing[start : start + _TEXTS_A_CALL]
            self._append(group, await self.inner.embed(group, background=True))
            if on_progress:
                on_progress(start + len(group), len(missing))

    def _read(self) -> dict[bytes, Vectors]:
        if not self._path.exists():
            return {}
        whole = self._path.stat().st_size // self._record.itemsize
        records = np.fromfile(self._path, self._record, count=whole)
        return dict(zip(records["key"].tolist(), records["vector"], strict=True))

    def _append(self, texts: Sequence[str], vectors: Vectors) -> None:
        records = np.zeros(len(texts), self._record)
        records["key"] = np.array([_key(text) for text in texts], "V20")
        records["vector"] = vectors
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = os.fstat(file).st_size
            os.ftruncate(file, size - size % self._record.itemsize)
            os.write(file, records.tobytes())
        finally:
            os.close(file)
        self._vectors |= zip(records["key"].tolist(), records["vector"], strict=True)


def _key(text: str) -> bytes:
    return hashlib.sha1(text.encode("utf-8", "replace")).digest()  # noqa: S324  not a secret
