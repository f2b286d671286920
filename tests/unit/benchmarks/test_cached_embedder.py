"""Vectors are made once."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from cached_embedder import CachedEmbedder

from sagacity.providers.base import Vectors


class CountingEmbedder:
    """Gives each text a vector of its own and remembers what it was asked for."""

    model = "counting/v1"
    dimension = 3

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        self.asked += texts
        return np.array([[len(text), ord(text[0]), 0.5] for text in texts], np.float32)

    async def warm(self) -> None:
        """Nothing to load."""


async def test_a_second_run_embeds_nothing(tmp_path: Path) -> None:
    """What one run made the next one reads, in any order."""
    first = await CachedEmbedder(CountingEmbedder(), tmp_path).embed(["one", "three", "one"])
    again = CountingEmbedder()
    second = await CachedEmbedder(again, tmp_path).embed(["three", "one"])
    assert again.asked == []
    assert second.tolist() == [first[1].tolist(), first[0].tolist()] == [[5, 116, 0.5], [3, 111, 0.5]]


async def test_only_what_is_missing_is_embedded(tmp_path: Path) -> None:
    """Each text once, and the known ones not at all."""
    inner = CountingEmbedder()
    embedder = CachedEmbedder(inner, tmp_path)
    await embedder.embed(["known"])
    told: list[tuple[int, int]] = []
    await embedder.keep(["known", "newer", "new", "newer"], lambda done, of: told.append((done, of)))
    assert inner.asked == ["known", "new", "newer"]
    assert told == [(2, 2)]


async def test_what_a_killed_run_left_of_a_record_does_no_harm(tmp_path: Path) -> None:
    """The part is cut off before the next record is written."""
    await CachedEmbedder(CountingEmbedder(), tmp_path).embed(["whole"])
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes() + b"part")
    await CachedEmbedder(CountingEmbedder(), tmp_path).embed(["next"])
    last = CountingEmbedder()
    vectors = await CachedEmbedder(last, tmp_path).embed(["whole", "next"])
    assert last.asked == []
    assert vectors[:, 0].tolist() == [5, 4]
