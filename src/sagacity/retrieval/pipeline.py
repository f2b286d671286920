"""A question becomes a ranked list: strategies side by side, ranked, looked at again, fetched."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime

from sagacity.domain.analysis import QueryAnalysis
from sagacity.domain.clock import Clock
from sagacity.domain.errors import ProviderError, StorageError
from sagacity.domain.graph import USER
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.memory import MemoryKind
from sagacity.domain.principal import Principal
from sagacity.domain.query import Filter, Found, Query, Scored, SearchMode, StrategyName, Trace
from sagacity.domain.tenant import Tenant
from sagacity.providers.base import Embedder, Reranker, Vectors
from sagacity.retrieval.cautions import cautions_for, is_caution, with_cautions, within_limit
from sagacity.retrieval.measures import ANALYSIS, RETRIEVAL, Stopwatch, measures_of
from sagacity.retrieval.query.analyze import analyze
from sagacity.retrieval.query.names import name_candidates
from sagacity.retrieval.query.own_name import by_pronoun, may_name_the_user, own_names
from sagacity.retrieval.rank import DEPTH, Ranked, Standings, needs_standings, rank
from sagacity.retrieval.relevance import relevances
from sagacity.retrieval.rerank import rerank
from sagacity.retrieval.strategies import STRATEGIES
from sagacity.retrieval.strategies.base import Part, StrategyInput, StrategyResult
from sagacity.retrieval.successors import successors_first
from sagacity.retrieval.talk import Key
from sagacity.retrieval.time.anchors import anchors_in, resolve, words_for
from sagacity.storage.base import Hit
from sagacity.storage.search.filters import kinds_of
from sagacity.storage.transaction import Storage, Transaction

STRATEGY_SECONDS = 5.0
"""How long a strategy may take, the embedder's time included."""
RERANKED = 20
RERANK_BLEND = 0.3
RERANK_SECONDS = 1.0
"""How long looking again may take, all kinds together."""
_ANCHOR_MEMORIES = 5


@dataclass(frozen=True, slots=True)
class _Answers:
    """What the strategies answered; those that failed are not there."""

    findings: dict[StrategyName, StrategyResult] = field(default_factory=dict)
    trace: Trace = field(default_factory=Trace)

    def of_kind(self, kind: str) -> dict[StrategyName, list[Hit]]:
        return {name: [hit for hit in one.hits if hit.kind == kind] for name, one in self.findings.items()}


class Searcher:
    """Answers queries of any tenant; holds no state but its parts."""

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
        self._clock = clock
        self._reranker = reranker
        self._strategy_seconds = strategy_seconds
        self._rerank_seconds = rerank_seconds

    async def search(self, whose: Tenant | Principal, query: Query) -> Found:
        """Return what answers *query*, best first, kinds mixed."""
        by_kind = await self.search_kinds(whose, query)
        items = sorted(
            (item for found in by_kind.values() for item in found.items), key=lambda item: -item.score
        )
        trace = next((found.trace for found in by_kind.values()), Trace())
        return Found(items=tuple(within_limit(items, query.limit, is_caution)), trace=trace)

    async def search_kinds(self, whose: Tenant | Principal, query: Query) -> dict[str, Found]:
        """
        Return what answers *query*, each kind ranked by itself: up to the query's limit of each.

        A strategy that fails or is late is named in the trace, and the others answer.

        Raises:
            StorageError: the database gave no strategy an answer.
        """
        now = query.reference_at or self._clock.now()
        watch = Stopwatch()
        answers = await self._ask(whose, query, now)
        watch.lap(RETRIEVAL)
        async with self._read(whose, query.wanted) as snapshot:
            analysis = await _analyzed(snapshot, query, answers, now)
            watch.lap(ANALYSIS)
            trace = answers.trace.model_copy(update={"analysis": analysis})
            started = time.perf_counter()
            standings = await _standings(snapshot, query, answers, analysis)
            cautions = await cautions_for(snapshot, query) if query.keeps_cautions else frozenset[Key]()
            ranked: dict[str, list[Ranked]] = {}
            likely: dict[Key, float] = {}
            scores = list[float]()
            for kind in kinds_of(query.wanted):
                found = answers.of_kind(kind)
                likely |= relevances(kind, found, self._embedder.model)
                ordered = rank(
                    found,
                    ranking=query.ranking,
                    weights=query.weights,
                    standings=standings,
                    analysis=analysis,
                    now=now,
                )
                every = with_cautions(ordered, cautions, kind)
                scores += [one.score for one in every]
                relevant = [
                    one
                    for one in every
                    if _key(one) in cautions
                    or (likely.get(_key(one), 1.0) >= query.threshold and one.score >= query.least_score)
                ]
                depth = max(query.limit, RERANKED if query.rerank else 0)
                ranked[kind] = within_limit(relevant, depth, lambda one: _key(one) in cautions)
                trace = trace.left_out(
                    below_threshold=len(every) - len(relevant),
                    over_limit=max(len(relevant) - query.limit, 0),
                )
            trace = trace.took("rank", started)
            watch.skip()
            listed = [one for found in ranked.values() for one in found]
            items = await _fetch(snapshot, listed, likely, cautions, as_of=query.wanted.as_of)
            watch.lap(RETRIEVAL)
        hits = {str(name): finding.hits for name, finding in answers.findings.items()}
        trace = trace.model_copy(update={"measures": measures_of(hits, scores, watch.milliseconds)})
        lists = {
            kind: tuple(items[key] for one in found if (key := _key(one)) in items)
            for kind, found in ranked.items()
        }
        if query.rerank:
            lists, trace = await self._reranked(query, lists, trace)
        lists = {
            kind: successors_first(within_limit(one, query.limit, is_caution)) for kind, one in lists.items()
        }
        if query.neighbours and INTERACTION in lists:
            turns = lists[INTERACTION]
            lists[INTERACTION] = await self.with_neighbours(whose, query.wanted, turns, query.neighbours)
        return {kind: Found(items=one, trace=trace) for kind, one in lists.items()}

    async def _ask(self, whose: Tenant | Principal, query: Query, now: datetime) -> _Answers:
        """Ask the strategies side by side."""
        ask = StrategyInput(
            query=query,
            parts=await self._parts(whose, query),
            now=now,
            depth=max(DEPTH, query.limit),
            read=lambda: self._read(whose, query.wanted),
            embed=self._embed,
        )
        names = _strategies(query)
        outcomes = await asyncio.gather(*(self._timed(name, ask) for name in names))
        answers = _Answers()
        trace = answers.trace
        for name, (finding, failure, milliseconds) in zip(names, outcomes, strict=True):
            if finding is None:
                trace = trace.failed_with(str(name), str(failure))
                continue
            answers.findings[name] = finding
            trace = trace.answered(str(name), milliseconds, len(finding.hits))
            if finding.note:
                trace = trace.failed_with("vector store", finding.note)
        if not answers.findings:
            for _, failure, _ in outcomes:
                if isinstance(failure, StorageError):
                    raise failure
        return _Answers(answers.findings, trace)

    async def _parts(self, whose: Tenant | Principal, query: Query) -> tuple[Part, ...]:
        """Return what to look for: memories without the name of the user whose they are."""
        wanted = query.wanted
        if not wanted.kinds or wanted.user_id is None or not may_name_the_user(query.text):
            return (Part(wanted, query.text),)
        try:
            async with asyncio.timeout(self._strategy_seconds), self._read(whose, wanted) as snapshot:
                entities = await snapshot.graph.find(wanted.user_id, [USER, *name_candidates(query.text)])
        except (StorageError, TimeoutError):  # the strategies may have more luck
            return (Part(wanted, query.text),)
        text = by_pronoun(query.text, own_names(entities))
        if text == query.text or not wanted.interactions:
            return (Part(wanted, text),)
        memories, turns = {"interactions": False}, {"kinds": ()}
        return (
            Part(wanted.model_copy(update=memories), text),
            Part(wanted.model_copy(update=turns), query.text),
        )

    async def _timed(
        self, name: StrategyName, ask: StrategyInput
    ) -> tuple[StrategyResult | None, Exception | None, float]:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._strategy_seconds):
                finding = await STRATEGIES[name](ask)
        except (ProviderError, StorageError) as error:
            return None, error, 0.0
        except TimeoutError:
            return None, TimeoutError(f"no answer within {self._strategy_seconds:g} s"), 0.0
        return finding, None, (time.perf_counter() - started) * 1000

    def _read(self, whose: Tenant | Principal, wanted: Filter) -> AbstractAsyncContextManager[Transaction]:
        return self._storage.read(whose, user_id=wanted.user_id, keeps_plans=wanted.user_id is not None)

    async def _embed(self, text: str) -> Vectors:
        return (await self._embedder.embed([text]))[0]

    async def _reranked(
        self, query: Query, lists: Mapping[str, tuple[Scored, ...]], trace: Trace
    ) -> tuple[dict[str, tuple[Scored, ...]], Trace]:
        if self._reranker is None:
            return dict(lists), trace.failed_with(
                "rerank", "no reranker is configured; set SAGACITY_RERANKER"
            )
        started = time.perf_counter()
        looked: dict[str, tuple[Scored, ...]] = {}
        for kind, items in lists.items():
            again = await rerank(
                items,
                query=query.text,
                reranker=self._reranker,
                blend=RERANK_BLEND,
                depth=RERANKED,
                seconds=max(self._rerank_seconds - (time.perf_counter() - started), 0.0),
            )
            looked[kind] = again.items
            if again.failed:
                trace = trace.failed_with("rerank", again.failed)
        return looked, trace.took("rerank", started)

    async def with_neighbours(
        self, whose: Tenant | Principal, wanted: Filter, items: Sequence[Scored], count: int
    ) -> tuple[Scored, ...]:
        """Return *items* with up to *count* turns of the same session before and after each turn among them."""
        turns = [item.interaction for item in items if item.interaction is not None]
        if not turns or not count:
            return tuple(items)
        async with self._read(whose, wanted) as snapshot:
            beside = await snapshot.interactions.beside(turns, count, as_of=wanted.as_of)
        return tuple(
            item.model_copy(update={"neighbours": tuple(beside[item.interaction.interaction_id])})
            if item.interaction
            else item
            for item in items
        )


def _strategies(query: Query) -> list[StrategyName]:
    match query.mode:
        case SearchMode.FTS:
            return [StrategyName.KEYWORD]
        case SearchMode.VECTOR:
            return [StrategyName.VECTOR]
        case SearchMode.HYBRID:
            return list(dict.fromkeys(query.strategies))


async def _analyzed(snapshot: Transaction, query: Query, answers: _Answers, now: datetime) -> QueryAnalysis:
    """Take the question apart; a time that hangs on a date in the user's life is looked up among what is known."""
    names = tuple(name for finding in answers.findings.values() for name in finding.names)
    analysis = analyze(query.text, now=now, names=names)
    reference = analysis.time_reference
    if reference is None or not reference.anchor or query.wanted.user_id is None:
        return analysis
    wanted = query.wanted
    life = Filter(
        kinds=(MemoryKind.PROFILE,),
        user_id=wanted.user_id,
        valid_at=wanted.valid_at or now,
        as_of=wanted.as_of,
    )
    hits = await snapshot.search.by_terms(life, words_for(reference.anchor), _ANCHOR_MEMORIES)
    memories = await snapshot.memories.get_many([hit.owner_id for hit in hits])
    if wanted.as_of is not None:
        memories = await snapshot.changes.as_they_were(memories, wanted.as_of)
    return resolve(analysis, anchors_in([memory.content for memory in memories]))


async def _standings(
    snapshot: Transaction, query: Query, answers: _Answers, analysis: QueryAnalysis
) -> Standings:
    kinds = {kind for kind in kinds_of(query.wanted) if needs_standings(query.ranking, analysis, kind)}
    hits = {
        (hit.kind, hit.owner_id): hit
        for finding in answers.findings.values()
        for hit in finding.hits
        if hit.kind in kinds
    }
    return await snapshot.search.signals_of(list(hits.values())) if hits else {}


def _key(one: Ranked) -> Key:
    return one.kind, one.owner_id


async def _fetch(
    snapshot: Transaction,
    ranked: Sequence[Ranked],
    likely: Mapping[Key, float],
    cautions: Collection[Key],
    *,
    as_of: datetime | None,
) -> dict[Key, Scored]:
    """Read what was found (memories as they were by then), by kind and number; what is gone meanwhile is left out."""
    turn_ids = [one.owner_id for one in ranked if one.kind == INTERACTION]
    memory_ids = [one.owner_id for one in ranked if one.kind != INTERACTION]
    turns = await snapshot.interactions.get(turn_ids) if turn_ids else []
    memories = await snapshot.memories.get_many(memory_ids) if memory_ids else []
    if as_of is not None:
        memories = await snapshot.changes.as_they_were(memories, as_of)
    turn_of = {(INTERACTION, int(turn.interaction_id)): turn for turn in turns}
    memory_of = {(str(memory.kind), int(memory.memory_id)): memory for memory in memories}
    found: dict[Key, Scored] = {}
    for one in ranked:
        turn, memory = turn_of.get(_key(one)), memory_of.get(_key(one))
        if turn or memory:
            found[_key(one)] = Scored(
                memory=memory,
                interaction=turn,
                score=one.score,
                relevance=likely.get(_key(one)),
                components=one.components,
                is_caution=_key(one) in cautions,
            )
    return found
