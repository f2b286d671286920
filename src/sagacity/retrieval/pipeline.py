"""From a question to a ranked list: run the strategies, rank, rerank, fetch."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from sagacity.domain.clock import Clock
from sagacity.domain.errors import StorageError
from sagacity.domain.graph import USER
from sagacity.domain.interaction import INTERACTION, Interaction
from sagacity.domain.principal import Principal
from sagacity.domain.query import Filter, Found, Query, Scored, SearchMode, StrategyName, Trace
from sagacity.domain.tenant import Tenant
from sagacity.observability.tracing import span
from sagacity.providers.base import Embedder, Reranker, Vectors
from sagacity.retrieval.answers import Answers
from sagacity.retrieval.cautions import is_caution, within_limit
from sagacity.retrieval.measures import Stopwatch
from sagacity.retrieval.query.names import name_candidates
from sagacity.retrieval.query.own_name import by_pronoun, may_name_the_user, own_names
from sagacity.retrieval.rank import DEPTH
from sagacity.retrieval.rerank import rerank
from sagacity.retrieval.results import RERANKED, Results, analyzed, results_of
from sagacity.retrieval.strategies.base import Part, StrategyInput
from sagacity.retrieval.successors import successors_first
from sagacity.retrieval.together import Asking, Together
from sagacity.storage.transaction import Storage, Transaction

STRATEGY_SECONDS = 5.0
"""The time limit of a strategy, including the embedder."""
RERANK_BLEND = 0.3
RERANK_SECONDS = 1.0
"""The time limit of reranking, for all kinds together."""
_STEPS_TO_THE_EMBEDDER = 2
"""Steps of the event loop until the embedder's thread has its work: one prepares it, one starts the shared computation.
Embedding takes longest, so it starts first: when the database's thread started first, embedding began 2 ms later."""
_ALL = "all"
_WITHOUT_VECTOR = tuple(name for name in StrategyName if name is not StrategyName.VECTOR)
Result = TypeVar("Result")


class Searcher:
    """Answers queries of any tenant; stateless except for its parts."""

    def __init__(
        self,
        storage: Storage,
        embedder: Embedder,
        *,
        clock: Clock,
        reranker: Reranker | None = None,
        strategy_seconds: float = STRATEGY_SECONDS,
        rerank_seconds: float = RERANK_SECONDS,
    ) -> None:
        self._storage = storage
        self._embedder = embedder
        self._together = Together(embedder)
        self._clock = clock
        self._reranker = reranker
        self._strategy_seconds = strategy_seconds
        self._rerank_seconds = rerank_seconds

    async def search(self, whose: Tenant | Principal, query: Query) -> Found:
        """Return the results for *query*, best first, all kinds in one list."""
        by_kind = await self.search_kinds(whose, query)
        items = sorted(
            (item for found in by_kind.values() for item in found.items), key=lambda item: -item.score
        )
        trace = next((found.trace for found in by_kind.values()), Trace())
        return Found(items=tuple(within_limit(items, query.limit, is_caution)), trace=trace)

    async def search_kinds(self, whose: Tenant | Principal, query: Query) -> dict[str, Found]:
        """
        Return the results for *query*, each kind ranked separately, up to the query's limit of each.

        A strategy that fails or is late is named in the trace, and the others answer. The database is visited while
        the question's vector is computed. Searching by that vector, ranking and reading the rows of the results follow
        in the same visit if the vector is there by then, and otherwise in a second one. A question that contains the
        user's name gets a second vector between the visits, for its text without that name.

        Raises:
            StorageError: no strategy answered, because of the database.
        """
        with span("search") as recorded:
            found = await self._search_kinds(whose, query)
            recorded.note({"sagacity.results": sum(len(one.items) for one in found.values())})
        return found

    async def _search_kinds(self, whose: Tenant | Principal, query: Query) -> dict[str, Found]:
        with self._together.search() as asking:
            ranked = await self._first_ranking(whose, query, asking)
        lists, trace = ranked.lists, ranked.trace
        if query.rerank:
            lists, trace = await self._reranked(query.text, lists, trace, blend=RERANK_BLEND, depth=RERANKED)
        lists = {
            kind: successors_first(within_limit(one, query.limit_of(kind), is_caution))
            for kind, one in lists.items()
        }
        if query.neighbours and INTERACTION in lists:
            turns = lists[INTERACTION]
            lists[INTERACTION] = await self.with_neighbours(whose, query.wanted, turns, query.neighbours)
        return {kind: Found(items=one, trace=trace) for kind, one in lists.items()}

    async def _first_ranking(self, whose: Tenant | Principal, query: Query, asking: Asking) -> Results:
        """Run the strategies, and rank what they find."""
        watch = Stopwatch()
        ask = StrategyInput(
            query=query,
            parts=(Part(query.wanted, query.text),),
            now=query.reference_at or self._clock.now(),
            depth=max(DEPTH, query.limit, query.turn_limit or 0),
        )
        answers = Answers(_strategies(query), self._strategy_seconds)
        embedding = asyncio.create_task(_vectors(answers, asking, [query.text]))
        try:
            for _ in range(_STEPS_TO_THE_EMBEDDER):
                await asyncio.sleep(0)
            ask, ranked = await self._look(answers, whose, ask, embedding, watch)
            vectors = await embedding
        except BaseException:
            embedding.cancel()
            await asyncio.wait([embedding])
            raise
        if ranked is not None:
            return ranked
        others = [part.text for part in ask.parts if part.text != query.text]
        vectors = vectors | await _vectors(answers, asking, others)
        return await self._rank(answers, whose, _with_vectors(ask, vectors), watch)

    async def _look(
        self,
        answers: Answers,
        whose: Tenant | Principal,
        ask: StrategyInput,
        embedding: asyncio.Task[dict[str, Vectors]],
        watch: Stopwatch,
    ) -> tuple[StrategyInput, Results | None]:
        """
        Run the strategies that need no vector, analyse the question, and rank at once if no vector is missing by then.

        Returns:
            The question as all strategies get it, and the results; None if they are still to be ranked.
        """
        wanted = ask.query.wanted
        may_change = bool(wanted.kinds and wanted.user_id) and may_name_the_user(ask.query.text)
        names = answers.waiting(_WITHOUT_VECTOR)
        if not names and not may_change:
            return ask, None
        names = names or [StrategyName.VECTOR]

        async def look(snapshot: Transaction) -> Results | None:
            nonlocal ask, may_change
            if may_change:
                ask = await _with_names(snapshot, ask)
                may_change = False
            await answers.ask(_WITHOUT_VECTOR, snapshot, ask)
            ask = replace(ask, analysis=await analyzed(snapshot, ask, answers, watch))
            if not embedding.done() or any(part.text != ask.query.text for part in ask.parts):
                return None
            names.append(StrategyName.VECTOR)  # from here on, a failure may be its own
            return await self._ranked(answers, snapshot, _with_vectors(ask, embedding.result()), watch)

        async def visit() -> Results | None:
            nonlocal may_change
            try:
                return await self._visit(whose, wanted, look)
            except StorageError:
                if not may_change:
                    raise
                may_change = False  # keep the question unchanged: the strategies may still succeed
                return await self._visit(whose, wanted, look)

        ranked = await answers.without_those_that_fail(names, visit)
        return ask, ranked

    async def _rank(
        self, answers: Answers, whose: Tenant | Principal, ask: StrategyInput, watch: Stopwatch
    ) -> Results:
        """Search by vector and rank, in a visit for it."""

        async def look(snapshot: Transaction) -> Results:
            return await self._ranked(answers, snapshot, ask, watch)

        return await answers.without_those_that_fail(
            [StrategyName.VECTOR], lambda: self._visit(whose, ask.query.wanted, look)
        )

    async def _ranked(
        self, answers: Answers, snapshot: Transaction, ask: StrategyInput, watch: Stopwatch
    ) -> Results:
        """Search by vector, and rank what all strategies found."""
        await answers.ask([StrategyName.VECTOR], snapshot, ask)
        return await results_of(snapshot, ask, answers, embedder=self._embedder.model, watch=watch)

    async def _visit(
        self, whose: Tenant | Principal, wanted: Filter, work: Callable[[Transaction], Awaitable[Result]]
    ) -> Result:
        user_id = wanted.user_id
        return await self._storage.visit(whose, work, user_id=user_id, keeps_plans=user_id is not None)

    async def _reranked(
        self,
        text: str,
        lists: Mapping[str, tuple[Scored, ...]],
        trace: Trace,
        *,
        blend: float,
        depth: int,
    ) -> tuple[dict[str, tuple[Scored, ...]], Trace]:
        if self._reranker is None:
            return dict(lists), trace.failed_with(
                "rerank", "no reranker is configured; set SAGACITY_RERANKER"
            )
        started = time.perf_counter()
        looked: dict[str, tuple[Scored, ...]] = {}
        for kind, items in lists.items():
            with span("rerank"):
                again = await rerank(
                    items,
                    query=text,
                    reranker=self._reranker,
                    blend=blend,
                    depth=depth,
                    seconds=max(self._rerank_seconds - (time.perf_counter() - started), 0.0),
                )
            looked[kind] = again.items
            if again.failed:
                trace = trace.failed_with("rerank", again.failed)
        return looked, trace.took("rerank", started)

    async def look_again(self, text: str, found: Found) -> Found:
        """Return *found* in the order of the reranker's scores alone; unchanged if there is no reranker."""
        lists, trace = await self._reranked(
            text, {_ALL: found.items}, found.trace, blend=1.0, depth=len(found.items)
        )
        return Found(items=lists[_ALL], trace=trace)

    async def with_neighbours(
        self, whose: Tenant | Principal, wanted: Filter, items: Sequence[Scored], count: int
    ) -> tuple[Scored, ...]:
        """Return *items* with the neighbours of each turn: up to *count* turns of its session before and after it."""
        turns = [item.interaction for item in items if item.interaction is not None]
        if not turns or not count:
            return tuple(items)

        async def around(snapshot: Transaction) -> Mapping[int, Sequence[Interaction]]:
            return await snapshot.interactions.beside(turns, count, as_of=wanted.as_of)

        beside = await self._visit(whose, wanted, around)
        return tuple(
            item.model_copy(update={"neighbours": tuple(beside[item.interaction.interaction_id])})
            if item.interaction
            else item
            for item in items
        )


async def _vectors(answers: Answers, asking: Asking, texts: Sequence[str]) -> dict[str, Vectors]:
    """Return the vectors of *texts*; empty if no search by vector is to follow."""
    if not texts or not answers.waiting([StrategyName.VECTOR]):
        return {}

    async def embed() -> dict[str, Vectors]:
        return dict(zip(texts, await asking.embed(texts), strict=True))

    return await answers.prepare(StrategyName.VECTOR, embed()) or {}


def _with_vectors(ask: StrategyInput, vectors: Mapping[str, Vectors]) -> StrategyInput:
    return replace(ask, vectors=[vectors[part.text] for part in ask.parts if part.text in vectors])


async def _with_names(snapshot: Transaction, ask: StrategyInput) -> StrategyInput:
    """Look up whom the question names; the text to find memories by leaves out their own user's name."""
    query, wanted = ask.query, ask.query.wanted
    if wanted.user_id is None:
        return ask
    names = name_candidates(query.text)
    entities = await snapshot.graph.find(wanted.user_id, [USER, *names])
    text = by_pronoun(query.text, own_names(entities))
    parts = (Part(wanted, text),)
    if text != query.text and wanted.interactions:
        memories, turns = {"interactions": False}, {"kinds": ()}
        parts = (
            Part(wanted.model_copy(update=memories), text),
            Part(wanted.model_copy(update=turns), query.text),
        )
    return replace(ask, parts=parts, named=[one for one in entities if one.is_called(names)])


def _strategies(query: Query) -> list[StrategyName]:
    match query.mode:
        case SearchMode.FTS:
            return [StrategyName.KEYWORD]
        case SearchMode.VECTOR:
            return [StrategyName.VECTOR]
        case SearchMode.HYBRID:
            return list(dict.fromkeys(query.strategies))
