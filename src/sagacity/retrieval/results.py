"""Turn what the strategies found into rows with scores, as of the time of the search."""

import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np

from sagacity.domain.analysis import QueryAnalysis
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.memory import MemoryKind
from sagacity.domain.paced import each
from sagacity.domain.query import Filter, Query, Scored, StrategyName, Trace
from sagacity.domain.time.anchors import anchors_in, resolve, words_for
from sagacity.retrieval.answers import Answers
from sagacity.retrieval.cautions import cautions_for, within_limit
from sagacity.retrieval.evidence import Key, Numbers, by_kind
from sagacity.retrieval.measures import ANALYSIS, RETRIEVAL, Stopwatch, measures_of
from sagacity.retrieval.query.analyze import analyze
from sagacity.retrieval.rank import Ranked, RankedList, Standings, needs_standings, rank
from sagacity.retrieval.relevance import relevances
from sagacity.retrieval.strategies.base import StrategyInput, StrategyResult
from sagacity.storage.search.filters import kinds_of
from sagacity.storage.transaction import Transaction

RERANKED = 20
"""How many results of a kind are reranked."""
_ANCHOR_MEMORIES = 5


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a search by kind, best first."""

    lists: dict[str, tuple[Scored, ...]]
    trace: Trace


async def results_of(
    snapshot: Transaction, ask: StrategyInput, answers: Answers, *, embedder: str, watch: Stopwatch
) -> Results:
    """
    Rank the strategies' results, and read the rows of the first ones.

    Args:
        snapshot: a transaction that sees the data as of the search.
        ask: the question.
        answers: what the strategies found.
        embedder: the name of the model that made the vectors.
        watch: measures the phases.

    Raises:
        StorageError: no strategy answered, because of the database.
    """
    query, findings, trace = ask.query, answers.findings, answers.trace()
    analysis = ask.analysis or await analyzed(snapshot, ask, answers, watch)
    watch.lap(RETRIEVAL)
    trace = trace.model_copy(update={"analysis": analysis})
    started = time.perf_counter()
    standings = await _standings(snapshot, query, findings, analysis)
    cautions = await cautions_for(snapshot, query) if query.keeps_cautions else frozenset[Key]()
    ranked: dict[str, list[_Likely]] = {}
    scores = list[float]()
    hits = {name: findings[name].hits for name in StrategyName if name in findings}
    found = by_kind(kinds_of(query.wanted), hits)
    for kind, evidence in found.items():
        if not len(evidence) and not any(kind == warned for warned, _ in cautions):
            ranked[kind] = []
            continue
        ordered = rank(
            evidence,
            ranking=query.ranking,
            weights=query.weights,
            standings=standings,
            analysis=analysis,
            now=ask.now,
        )
        kept = _relevant(ordered, relevances(evidence, embedder), query, cautions)
        ranked[kind] = kept.first
        scores += kept.scores
        trace = trace.left_out(
            below_threshold=kept.below_threshold, over_limit=max(kept.relevant - query.limit_of(kind), 0)
        )
    trace = trace.took("rank", started)
    watch.skip()
    listed = [one for of_kind in ranked.values() for one in of_kind]
    items = await _fetch(snapshot, listed, cautions, as_of=query.wanted.as_of)
    watch.lap(RETRIEVAL)
    trace = trace.model_copy(update={"measures": measures_of(found, scores, watch.milliseconds)})
    lists = {
        kind: tuple(items[key] for one in found if (key := one.key) in items)
        for kind, found in ranked.items()
    }
    return Results(lists, trace)


async def analyzed(
    snapshot: Transaction, ask: StrategyInput, answers: Answers, watch: Stopwatch
) -> QueryAnalysis:
    """
    Analyse the question, for which the strategies that know names have answered.

    A time that depends on a date in the user's life is looked up among the memories.
    """
    watch.lap(RETRIEVAL)
    analysis = await _read(snapshot, ask.query, answers.findings, ask.now)
    watch.lap(ANALYSIS)
    return analysis


async def _read(
    snapshot: Transaction, query: Query, findings: Mapping[StrategyName, StrategyResult], now: datetime
) -> QueryAnalysis:
    names = tuple(name for finding in findings.values() for name in finding.names)
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
    snapshot: Transaction,
    query: Query,
    findings: Mapping[StrategyName, StrategyResult],
    analysis: QueryAnalysis,
) -> Standings:
    kinds = {kind for kind in kinds_of(query.wanted) if needs_standings(query.ranking, analysis, kind)}
    parts = [part for one in findings.values() for part in one.hits.parts if part.kind in kinds]
    return await snapshot.search.signals_of(parts) if parts else {}


class _Likely(NamedTuple):
    """One result, and its probability to answer the question; None if not known."""

    ranked: Ranked
    relevance: float | None

    @property
    def key(self) -> Key:
        return self.ranked.kind, self.ranked.owner_id


class _Kept(NamedTuple):
    """The results of one kind after dropping irrelevant ones."""

    first: list[_Likely]
    """The first of them, at most as many as the next step reads."""
    relevant: int
    """How many relevant results there are."""
    below_threshold: int
    scores: list[float]
    """The scores of all ranked results."""


def _relevant(ordered: RankedList, likely: Numbers, query: Query, cautions: Collection[Key]) -> _Kept:
    """
    Keep the relevant results and every caution. Cautions that no strategy found come last, with the score 0.

    Args:
        ordered: what was found of one kind, best first.
        likely: how likely each row of its evidence answers the question; NaN if not known.
        query: the question.
        cautions: the cautions that the question touches.
    """
    owners, scores, likely = ordered.owners.tolist(), ordered.scores, likely[ordered.rows]
    warned = [owner for kind, owner in sorted(cautions) if kind == ordered.kind]
    passes = (np.isnan(likely) | (likely >= query.threshold)) & (scores >= query.least_score)
    relevant = np.flatnonzero(passes | np.isin(ordered.owners, warned) if warned else passes).tolist()
    missed = [owner for owner in warned if owner not in owners] if warned else []
    places = [*relevant, *range(len(ordered), len(ordered) + len(missed))]
    depth = max(query.limit_of(ordered.kind), RERANKED if query.rerank else 0)
    numbers = owners + missed
    kept = within_limit(places, depth, lambda place: numbers[place] in warned) if warned else places[:depth]
    there = [place for place in kept if place < len(ordered)]
    first = [
        _Likely(one, None if math.isnan(relevance) else relevance)
        for one, relevance in zip(ordered.at(there), likely[there].tolist(), strict=True)
    ]
    first += [
        _Likely(Ranked(ordered.kind, missed[place - len(ordered)], 0.0, {}, {}), None)
        for place in kept[len(there) :]
    ]
    return _Kept(first, len(places), len(ordered) - len(relevant), [*scores.tolist(), *(0.0 for _ in missed)])


async def _fetch(
    snapshot: Transaction,
    ranked: Sequence[_Likely],
    cautions: Collection[Key],
    *,
    as_of: datetime | None,
) -> dict[Key, Scored]:
    """Read the results by kind and number, memories as of the query's time; those deleted meanwhile are left out."""
    turn_ids = [owner for kind, owner in (one.key for one in ranked) if kind == INTERACTION]
    memory_ids = [owner for kind, owner in (one.key for one in ranked) if kind != INTERACTION]
    turns = await snapshot.interactions.get(turn_ids) if turn_ids else []
    memories = await snapshot.memories.get_many(memory_ids) if memory_ids else []
    if as_of is not None:
        memories = await snapshot.changes.as_they_were(memories, as_of)
    turn_of = {(INTERACTION, int(turn.interaction_id)): turn for turn in turns}
    memory_of = {(str(memory.kind), int(memory.memory_id)): memory for memory in memories}

    def scored(one: _Likely) -> Scored:
        key = one.key
        return Scored(
            memory=memory_of.get(key),
            interaction=turn_of.get(key),
            score=one.ranked.score,
            relevance=one.relevance,
            components=one.ranked.components,
            is_caution=key in cautions,
        )

    there = [one for one in ranked if one.key in turn_of or one.key in memory_of]
    return {one.key: made for one, made in zip(there, await each(scored, there), strict=True)}
