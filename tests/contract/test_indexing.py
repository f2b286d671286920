"""What indexing promises: an embedder that is down costs only time, and nothing is given up for its sake."""

import asyncio

import pytest

from sagacity.domain.clock import SystemClock
from sagacity.domain.errors import ProviderError, ProviderRefused, ProviderTimeout
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Filter, Query, SearchMode
from sagacity.learning.embedding_backfill import EmbeddingBackfill
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.search.documents import MAX_EMBED_ATTEMPTS
from sagacity.storage.transaction import Storage
from support.learning import BrokenEmbedder, Recorder, WordEmbedder, learned, learning, one_a_turn, reading
from support.parts import ANNA, ORG, OTHER_ORG, new_memory, said

PROFILES = Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA)
TURNS = [f"My locker in the northern hall carries the number {n}" for n in range(5)]


async def waiting(storage: Storage, tenant=ORG) -> list[str]:
    async with storage.read(tenant) as snapshot:
        return [item.text for item in await snapshot.search.unembedded(1_000)]


async def test_everything_gets_its_vector(storage: Storage) -> None:
    """All documents of all organisations, in batches, until nothing waits."""
    await storage.append(ORG, said(*(f"turn {n}" for n in range(100))))
    await storage.append(OTHER_ORG, said("turn"))
    assert await EmbeddingBackfill(storage, WordEmbedder()).run() == 101
    assert (await waiting(storage), await waiting(storage, OTHER_ORG)) == ([], [])
    async with storage.read(ORG) as snapshot:
        [vector] = await WordEmbedder().embed(["turn 7"])
        hits = (await snapshot.search.by_vector(Filter(interactions=True), vector, 3)).hits
        [turn] = await snapshot.interactions.get([next(iter(hits)).owner_id])
    assert (turn.content, next(iter(hits)).score) == ("turn 7", pytest.approx(1.0, abs=1e-3))


async def test_learned_while_the_embedder_is_down(storage: Storage, clock, ids) -> None:
    """A memory is stored, found by its words and queued; when the embedder is back it gets its vector."""
    broken = BrokenEmbedder(WordEmbedder(), ProviderTimeout("no answer"))
    broken.refuses = lambda text: True
    await storage.append(ORG, said(*TURNS))
    report = await learning(storage, broken, clock, ids, groups=reading(Recorder(one_a_turn))).run(ORG, ANNA)
    assert (report.added[MemoryKind.PROFILE], report.failed) == (5, {})
    memories = await learned(storage)
    assert sorted(await waiting(storage)) == sorted(TURNS * 2)  # turns and memories
    searcher = Searcher(storage, broken, clock=SystemClock())
    found = await searcher.search(ORG, Query(text="locker number 3", wanted=PROFILES, limit=3))
    assert found.items[0].memory == memories[3]
    assert found.trace.failed == {"vector": "no answer"}
    index = asyncio.create_task(EmbeddingBackfill(storage, broken).run())
    await asyncio.sleep(0.3)
    assert len(await waiting(storage)) == 10  # nothing is given up
    broken.error = None
    assert await asyncio.wait_for(index, 60) == 10
    assert await waiting(storage) == []
    found = await searcher.search(ORG, Query(text=TURNS[3], wanted=PROFILES, limit=3, mode=SearchMode.VECTOR))
    assert found.items[0].memory == memories[3]
    assert found.trace.failed == {}


@pytest.mark.parametrize(
    "error", [ProviderError("down"), ProviderTimeout("late"), ProviderRefused("wrong key")]
)
async def test_embedder_that_refuses_everything_gives_up_nothing(
    storage: Storage, error: ProviderError
) -> None:
    """A wrong key or an empty account is the provider's trouble: all documents keep their place in the queue."""
    broken = BrokenEmbedder(WordEmbedder(), error)
    broken.refuses = lambda text: True
    await storage.append(ORG, said(*TURNS))
    backfill = EmbeddingBackfill(storage, broken)
    for _ in range(MAX_EMBED_ATTEMPTS + 2):
        assert await backfill.round() == 0
    broken.error = None
    assert await backfill.round() == 5
    assert await backfill.round() is None


async def test_text_that_is_refused_by_itself_holds_nothing_up(storage: Storage) -> None:
    """Of a batch the one text that the provider refuses is given up after some tries; the others are done at once."""
    broken = BrokenEmbedder(WordEmbedder(), ProviderRefused("content policy"))
    broken.refuses = lambda text: "number 2" in text
    await storage.append(ORG, said(*TURNS))
    backfill = EmbeddingBackfill(storage, broken)
    assert await backfill.round() == 4
    for _ in range(MAX_EMBED_ATTEMPTS - 1):
        assert await waiting(storage) == [TURNS[2]]
        assert await backfill.round() == 0
    assert await backfill.round() is None
    async with storage.read(ORG) as snapshot:
        turns = await snapshot.interactions.log(ANNA, after_seq=0, limit=9)
        progress = await snapshot.search.progress("interaction", [turn.interaction_id for turn in turns])
        hits = await snapshot.search.by_terms(Filter(interactions=True), "number 2", 9)
    assert progress == (4, 1, "content policy")
    assert next(iter(hits)).owner_id == turns[2].interaction_id


async def test_memory_edited_while_it_is_embedded_keeps_waiting(storage: Storage) -> None:
    """A text that changes under the embedder's hands is embedded again as it is now."""
    async with storage.begin(ORG) as tx:
        [memory] = await tx.memories.add([new_memory("green tea")])

    class Editing(WordEmbedder):
        edits = 0

        async def embed(self, texts, *, background=False):
            if not self.edits:
                self.edits += 1
                async with storage.begin(ORG) as tx:
                    await tx.memories.save([memory.model_copy(update={"content": "black coffee"})])
            return await super().embed(texts, background=background)

    await EmbeddingBackfill(storage, Editing()).run()
    async with storage.read(ORG) as snapshot:
        stored = await snapshot.search.vectors_of(["profile"], [memory.memory_id])
    [expected] = await WordEmbedder().embed(["black coffee"])
    assert stored[memory.memory_id] == pytest.approx(expected, abs=1e-3)
