"""A question becomes a ranked list: strategies side by side, then fused."""

import asyncio
import time
from collections.abc import Mapping, Sequence

from sagacity.domain.base import Value
from sagacity.domain.errors import ProviderError, StorageError
from sagacity.domain.query import Filter, Found, Scored, SearchMode, Trace
from sagacity.domain.tenant import Tenant
from sagacity.providers.base import Embedder, Vectors
from sagacity.retrieval.rank import Ranked, fuse, relevance
from sagacity.storage.base import Hit
from sagacity.storage.repositories.interactions import INTERACTION
from sagacity.storage.repositories.search import kinds_of
from sagacity.storage.transaction import Storage, Transaction

EMBED_SECONDS = 5.0


class Query(Value):
    """What to look for, among what, and how much of it."""

    text: str
    wanted: Filter
    limit: int
    """How many of each kind at the most."""
    mode: SearchMode = SearchMode.HYBRID
    threshold: float = 0.0
    """Least `relevance` of a result that shares no word with the text, in [0, 1]."""


class Searcher:
    """Answers queries of any tenant; holds no state but its parts."""

    def __init__(self, storage: Storage, embedder: Embedder) -> None:
        self._storage = storage
        self._embedder = embedder

    async def search(self, tenant: Tenant, query: Query) -> Found:
        """Return what answers *query*, best first, kinds mixed."""
        by_kind = await self.search_kinds(tenant, query)
        items = sorted(
            (item for found in by_kind.values() for item in found.items), key=lambda item: -item.score
        )
        trace = next((found.trace for found in by_kind.values()), Trace())
        return Found(items=tuple(items[: query.limit]), trace=trace)

    async def search_kinds(self, tenant: Tenant, query: Query) -> dict[str, Found]:
        """
        Return what answers *query*, each kind ranked by itself: up to the query's limit of each.

        A strategy that fails or is late is named in the trace, and the others answer.
        """
        vector, trace = await self._embed(query, Trace())
        try:
            return await self._answer(tenant, query, vector, trace)
        except StorageError as error:
            if vector is None or query.mode is SearchMode.VECTOR:
                raise
            return await self._answer(tenant, query, None, trace.failed_with("vector", str(error)))

    async def _answer(
        self, tenant: Tenant, query: Query, vector: Vectors | None, trace: Trace
    ) -> dict[str, Found]:
        """Rank and fetch in one snapshot; a database that fails in one ranking gives up the whole of it."""
        user_id = query.wanted.user_id
        async with self._storage.read(tenant, user_id=user_id, keeps_plans=user_id is not None) as snapshot:
            rankings: dict[str, list[Hit]] = {}
            if query.mode is not SearchMode.VECTOR:
                started = time.perf_counter()
                rankings["keyword"] = await snapshot.search.by_terms(query.wanted, query.text, _depth(query))
                trace = trace.took("keyword", started)
            if vector is not None:
                started = time.perf_counter()
                nearest = await snapshot.search.by_vector(query.wanted, vector, _depth(query))
                rankings["vector"] = nearest.hits
                trace = trace.took("vector", started)
                if nearest.fallback:
                    trace = trace.failed_with("vector store", nearest.fallback)
            ranked = {
                kind: _above(fuse(_of_kind(rankings, kind)), query.threshold)[: query.limit]
                for kind in kinds_of(query.wanted)
            }
            items = await _fetch(snapshot, [one for found in ranked.values() for one in found])
        return {
            kind: Found(items=tuple(items[key] for one in found if (key := _key(one)) in items), trace=trace)
            for kind, found in ranked.items()
        }

    async def _embed(self, query: Query, trace: Trace) -> tuple[Vectors | None, Trace]:
        if query.mode is SearchMode.FTS:
            return None, trace
        started = time.perf_counter()
        try:
            async with asyncio.timeout(EMBED_SECONDS):
                vectors = await self._embedder.embed([query.text])
        except ProviderError as error:
            return None, trace.failed_with("vector", str(error))
        except TimeoutError:
            return None, trace.failed_with("vector", "the embedder gave no answer in time")
        return vectors[0], trace.took("embed", started)


def _depth(query: Query) -> int:
    return max(50, query.limit * 5)


def _of_kind(rankings: Mapping[str, Sequence[Hit]], kind: str) -> dict[str, list[Hit]]:
    return {name: [hit for hit in hits if hit.kind == kind] for name, hits in rankings.items()}


def _key(one: Ranked) -> tuple[str, int]:
    return one.kind, one.owner_id


def _above(ranked: Sequence[Ranked], threshold: float) -> list[Ranked]:
    """Drop what shares no word with the text and is less relevant than *threshold*."""
    return [
        one
        for one in ranked
        if "keyword" in one.components or relevance(one.components.get("vector", 0.0)) >= threshold
    ]


async def _fetch(snapshot: Transaction, ranked: Sequence[Ranked]) -> dict[tuple[str, int], Scored]:
    """Read what was found, by kind and number; a thing that is gone meanwhile is left out."""
    turn_ids = [one.owner_id for one in ranked if one.kind == INTERACTION]
    memory_ids = [one.owner_id for one in ranked if one.kind != INTERACTION]
    turns = await snapshot.interactions.get(turn_ids) if turn_ids else []
    memories = await snapshot.memories.get_many(memory_ids) if memory_ids else []
    turn_of = {(INTERACTION, int(turn.interaction_id)): turn for turn in turns}
    memory_of = {(str(memory.kind), int(memory.memory_id)): memory for memory in memories}
    found: dict[tuple[str, int], Scored] = {}
    for one in ranked:
        turn, memory = turn_of.get(_key(one)), memory_of.get(_key(one))
        if turn or memory:
            found[_key(one)] = Scored(
                memory=memory, interaction=turn, score=one.score, components=one.components
            )
    return found
