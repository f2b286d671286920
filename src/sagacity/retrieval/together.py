"""Embed the questions of searches that run at the same time together."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from sagacity.providers.base import Embedder, Vectors

MOST_TOGETHER = 8
"""More questions in one call gain nothing on a CPU."""
LONGEST = 160
"""Characters. A longer question goes alone: shorter ones beside it would take as long as it does."""
MOST_SECONDS = 0.02
"""How long a question waits for others at most. A search among 3,000 memories takes half of that."""


class _Waiting(NamedTuple):
    """The texts of a search that waits for their vectors."""

    texts: Sequence[str]
    vectors: asyncio.Future[Vectors]


class Together:
    """
    Embeds the questions of a busy process in fewer calls of its embedder.

    A search needs the vector of its question when its turn at the database comes. So if at least two other searches
    are ahead of it, with their vectors, a question waits until more than half as many wait as are ahead. Questions of
    twelve tokens take MiniLM's network 1.86 ms alone, and 1.44 with four in one call; the vectors are the same. A lone
    search never waits.
    """

    def __init__(self, embedder: Embedder, *, most_seconds: float = MOST_SECONDS) -> None:
        self._embedder = embedder
        self._most_seconds = most_seconds
        self._ahead = 0
        self._waiting: list[_Waiting] = []
        self._timer: asyncio.TimerHandle | None = None
        self._calls = set[asyncio.Task[None]]()

    @contextmanager
    def search(self) -> Generator["Asking"]:
        """Yield what embeds the texts of one search, until it is ranked."""
        asking = Asking(self)
        try:
            yield asking
        finally:
            self._ahead -= asking.has_vectors
            if self._waiting and self._are_enough(len(self._waiting)):
                self._call()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of *texts*; see `Asking`."""
        is_first = not self._waiting
        if (is_first and self._are_enough(1)) or any(len(text) > LONGEST for text in texts):
            return await self._embedder.embed(texts)
        loop = asyncio.get_running_loop()
        mine = _Waiting(texts, loop.create_future())
        self._waiting.append(mine)
        if self._are_enough(len(self._waiting)):
            self._call()
        elif is_first:
            self._timer = loop.call_later(self._most_seconds, self._call)
        return await mine.vectors

    def goes_ahead(self) -> None:
        """Count a search that has its vectors."""
        self._ahead += 1

    def _are_enough(self, count: int) -> bool:
        return count > min(self._ahead // 2, MOST_TOGETHER - 1)

    def _call(self) -> None:
        """Embed for all who wait."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting = self._waiting, []
        call = asyncio.create_task(self._embed(waiting))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    async def _embed(self, waiting: Sequence[_Waiting]) -> None:
        waiting = [one for one in waiting if not one.vectors.done()]  # of the others, the callers have gone
        if not waiting:
            return
        try:
            vectors = await self._embedder.embed([text for one in waiting for text in one.texts])
        except Exception as error:  # noqa: BLE001  its caller gets it
            if len(waiting) > 1:  # it may be the fault of one of them
                await asyncio.gather(*(self._embed([one]) for one in waiting))
            elif not waiting[0].vectors.done():
                waiting[0].vectors.set_exception(error)
            return
        start = 0
        for one in waiting:
            if not one.vectors.done():
                one.vectors.set_result(vectors[start : start + len(one.texts)])
            start += len(one.texts)


class Asking:
    """Embeds the texts of one search."""

    def __init__(self, together: Together) -> None:
        self._together = together
        self.has_vectors = False

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """
        Return the vectors of *texts*, float32 [n, d].

        Raises:
            ProviderError: the embedder failed for these texts.
        """
        vectors = await self._together.embed(texts)
        if not self.has_vectors:
            self.has_vectors = True
            self._together.goes_ahead()
        return vectors
