"""
Every database ranks alike: the same turns in the same order with the same scores, up to ties.

Cosines of half-precision vectors are the same within some hundred thousandths only, so what lies that near is a tie.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from conftest import DATABASES
from sagacity.domain.ids import RequestId, SessionId
from sagacity.domain.interaction import NewInteraction, NewRequest
from sagacity.domain.query import Filter, Query, Ranking, StrategyName
from sagacity.learning.embedding_backfill import EmbeddingBackfill
from sagacity.providers.base import Embedder
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.transaction import Storage
from support.learning import WordEmbedder
from support.parts import ANNA, ORG, CountingIds, StoppedClock, opened

SAMPLE = Path(__file__).parents[2] / "benchmarks" / "data" / "longmemeval_s_sample.jsonl"
NEAR = dict.fromkeys(Ranking, 1e-3) | {Ranking.RRF: 0.05}
"""How far apart two scores of the same thing may lie; a place further on in one of two rankings is 1 to 2 percent."""
QUESTIONS = [json.loads(line) for line in SAMPLE.read_text().splitlines()]


@pytest.fixture
async def storages(request: pytest.FixtureRequest) -> AsyncIterator[Mapping[str, Storage]]:
    """One storage on each database, with the same long conversations in it."""
    async with AsyncExitStack() as stack:
        found: dict[str, Storage] = {}
        for name, url_of in DATABASES.items():
            url = await asyncio.to_thread(url_of, request)
            found[name] = await stack.enter_async_context(opened(url, StoppedClock(), CountingIds()))
            await fill(found[name], WordEmbedder())
        yield found


async def fill(storage: Storage, embedder: Embedder) -> None:
    for question in QUESTIONS:
        for number, session in enumerate(question["haystack_sessions"]):
            name = f"{question['question_id']}-{number}"
            turns = tuple(NewInteraction(role=turn["role"], content=turn["content"]) for turn in session)
            await storage.append(
                ORG,
                NewRequest(
                    request_id=RequestId(name), session_id=SessionId(name), user_id=ANNA, interactions=turns
                ),
            )
    await EmbeddingBackfill(storage, embedder).run()


async def test_databases_rank_alike(storages: Mapping[str, Storage]) -> None:
    """By every ranking; where scores are equal the order is open."""
    wanted = Filter(interactions=True, user_id=ANNA)
    for question in QUESTIONS:
        for ranking in Ranking:
            query = Query(
                text=question["question"],
                wanted=wanted,
                limit=30,
                ranking=ranking,
                strategies=(StrategyName.KEYWORD, StrategyName.VECTOR),
            )
            lists: dict[str, dict[int, float]] = {}
            for name, storage in storages.items():
                found = await Searcher(storage, WordEmbedder(), clock=StoppedClock()).search(ORG, query)
                assert found.trace.failed == {}
                lists[name] = {
                    one.interaction.seq: one.score for one in found.items if one.interaction is not None
                }
            sqlite, postgres = lists["sqlite"], lists["postgresql"]
            near = NEAR[ranking]
            assert list(postgres.values()) == pytest.approx(list(sqlite.values()), rel=near)
            last = min(sqlite.values())
            for seq in sqlite.keys() | postgres.keys():
                if max(sqlite.get(seq, 0.0), postgres.get(seq, 0.0)) > last * (1 + near):
                    assert postgres.get(seq) == pytest.approx(sqlite.get(seq), rel=near)
