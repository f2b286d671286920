"""Questions of simultaneous searches: who waits for whom, and that nobody's question harms another's."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager

import numpy as np
import pytest

from sagacity.domain.errors import ProviderError
from sagacity.providers.base import Vectors
from sagacity.retrieval.together import LONGEST, MOST_TOGETHER, Asking, Together


class Counting:
    """An embedder whose vector is the text's length; it refuses to read "bad"."""

    model, dimension = "counting", 1

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        self.calls.append(tuple(texts))
        await asyncio.sleep(0)
        if "bad" in texts:
            raise ProviderError("refused")
        if "broken" in texts:
            raise ValueError("a defect")
        return np.array([[len(text)] for text in texts], np.float32)

    async def warm(self) -> None:
        """Nothing to load."""


class Server:
    """Searches of one process, those that run ahead of the others, and what the embedder was asked for since."""

    def __init__(self, *, most_seconds: float = 60) -> None:
        self.embedder = Counting()
        self.together = Together(self.embedder, most_seconds=most_seconds)
        self._ahead = ExitStack()

    async def begin(self, count: int) -> None:
        """Let so many searches get their vectors, and run on."""
        asking = [self._ahead.enter_context(self.together.search()) for _ in range(count)]
        await asyncio.gather(
            *(one.embed(["ahead"]) for one in asking)
        )  # at once, so that none is ahead of another
        self.embedder.calls.clear()

    def end(self) -> None:
        """End those."""
        self._ahead.close()

    async def ask(self, *texts: str) -> list[float]:
        """Search for something else."""
        with self.together.search() as asking:
            return await lengths(asking, *texts)

    async def asks(self, *texts: str) -> asyncio.Task[list[float]]:
        """Begin to search for something else."""
        asked = asyncio.create_task(self.ask(*texts))
        await asyncio.sleep(0)
        return asked


async def lengths(asking: Asking, *texts: str) -> list[float]:
    return [float(row[0]) for row in await asking.embed(texts)]


@asynccontextmanager
async def busy(count: int, **options) -> AsyncIterator[Server]:
    """A server where so many searches run."""
    server = Server(**options)
    await server.begin(count)
    try:
        yield server
    finally:
        server.end()


@pytest.mark.parametrize("ahead", [0, 1])
async def test_with_at_most_one_ahead_nobody_waits(ahead: int) -> None:
    """A question goes at once, alone."""
    async with busy(ahead) as server:
        assert await server.ask("tea") == [3]
        assert await server.ask("milk") == [4]
        assert server.embedder.calls == [("tea",), ("milk",)]


async def test_questions_behind_others_go_together() -> None:
    """The first waits, the second goes with it, and each gets its own vectors."""
    async with busy(3) as server:
        first = await server.asks("tea", "green tea")
        assert server.embedder.calls == []
        assert await server.ask("milk") == [4]
        assert await first == [3, 9]
        assert server.embedder.calls == [("tea", "green tea", "milk")]


async def test_the_more_are_ahead_the_more_go_together() -> None:
    """More than half as many as are ahead, up to what one call can use."""
    async with busy(100) as server:
        asked = [await server.asks("x" * (n + 1)) for n in range(MOST_TOGETHER)]
        assert await asyncio.gather(*asked) == [[n + 1] for n in range(MOST_TOGETHER)]
        assert [len(texts) for texts in server.embedder.calls] == [MOST_TOGETHER]


async def test_who_waits_goes_when_those_ahead_are_over() -> None:
    """Nobody else has to come."""
    async with busy(3) as server:
        asked = await server.asks("tea")
        assert server.embedder.calls == []
        server.end()
        assert await asked == [3]
        assert await server.ask("milk") == [4]  # and then nobody is ahead


async def test_nobody_waits_for_ever() -> None:
    """Those ahead may take long, and nobody else may come."""
    async with busy(3, most_seconds=0.001) as server:
        assert await server.ask("tea") == [3]


@pytest.mark.parametrize(("text", "error"), [("bad", ProviderError), ("broken", ValueError)])
async def test_a_question_that_fails_harms_no_other(text: str, error: type[Exception]) -> None:
    """What the embedder refuses is asked for again, one by one."""
    async with busy(5) as server:
        first, fails = await server.asks("tea"), await server.asks(text)
        assert await server.ask("milk") == [4]
        assert await first == [3]
        with pytest.raises(error):
            await fails


async def test_a_search_that_failed_is_not_ahead() -> None:
    """It has no vectors that it could run with."""
    async with busy(1) as server:
        for _ in range(4):
            with pytest.raises(ProviderError):
                await server.ask("bad")
        assert await server.ask("tea") == [3]
        assert server.embedder.calls[-1] == ("tea",)


async def test_a_question_whose_caller_has_gone_is_left_out() -> None:
    """Whoever waited with it goes."""
    async with busy(3) as server:
        gone, stays = await server.asks("tea"), await server.asks("milk")
        gone.cancel()
        assert await stays == [4]
        assert server.embedder.calls == [("milk",)]


async def test_a_long_question_goes_alone() -> None:
    """Short ones beside it would take as long."""
    async with busy(3) as server:
        waits = await server.asks("tea")
        assert await server.ask("x" * (LONGEST + 1)) == [LONGEST + 1]
        assert not waits.done()
        assert await server.ask("milk") == [4]
        assert await waits == [3]
        assert [len(texts) for texts in server.embedder.calls] == [1, 2]
