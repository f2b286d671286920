"""What the strategies found becomes one list; pure."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from sagacity.domain.analysis import QueryAnalysis, TimeKind, TimeReference
from sagacity.domain.query import Ranking, RankingWeights, StrategyName
from sagacity.retrieval.strategies.base import recency
from sagacity.retrieval.talk import Key, add_shares, gains_of, speakers_named, weights_for
from sagacity.storage.base import Hit
from sagacity.storage.search.ranking_signals import RankingSignals

Found = Mapping[StrategyName, Sequence[Hit]]
Standings = Mapping[Key, RankingSignals]

DEPTH = 200
"""How many of each strategy's hits are ranked together, however many are asked for, so that the first results do not
depend on how many follow. Fewer leave out turns that only their neighbours find."""
KEYWORD_SHARE = 0.6
"""Of words against meaning among memories, where the best match says enough of what the question says; that among
turns is in `talk.py`."""
ENOUGH_COVERAGE = 0.4
"""Of the weight of the question's words; where the best match has less, words count for less in proportion."""
LEAST_SPAN = 0.25
"""Cosines that lie closer together than this are not drawn apart to the whole scale."""
GRAPH_SHARE = 0.3
ALWAYS_SHOWN_SHARE = 0.1
"""Of what is found whatever the question is: profile and recent."""
TIME_GAIN = 0.1

RRF_K = 60
_RRF_WEIGHTS = {
    StrategyName.VECTOR: 1.0,
    StrategyName.KEYWORD: 1.0,
    StrategyName.GRAPH: 1.0,
    StrategyName.PROFILE: 0.2,
    StrategyName.RECENT: 0.2,
}

_WEIGHTS = RankingWeights()
_MANY_USES = 1_000


class Ranked(NamedTuple):
    """One thing found, with its score in [0, 1] and what that was made of."""

    kind: str
    owner_id: int
    score: float
    raw: Mapping[str, float]
    """Each strategy's own score, by the strategy's name."""
    made_of: Mapping[str, float]
    """Under `…_part` what adds up to the score; under `…_score` the signals that the contract's formula weighs."""
    scale: float = 1.0
    """Of what adds up to the score; multiplied in where it is shown, as few of those ranked are."""

    @property
    def components(self) -> dict[str, float]:
        """All of it: what is shown with a result."""
        return {**self.raw, **{name: part * self.scale for name, part in self.made_of.items()}}


def rank(
    found: Found,
    *,
    ranking: Ranking,
    standings: Standings,
    analysis: QueryAnalysis,
    now: datetime,
    weights: RankingWeights = _WEIGHTS,
) -> list[Ranked]:
    """
    Merge what the strategies found of one kind into one list. Nothing that any of them found is lost.

    Args:
        found: each strategy's hits, best first; a strategy that was not asked, or failed, is not there.
        ranking: how.
        standings: what is known of the things found; one that is missing is taken for average.
        analysis: the question.
        now: what "today" is to it.
        weights: of the signals, for the ranking `weighted`.

    Returns:
        Best first, each once; ties by cosine, then by kind and number. What no strategy has among its first `DEPTH`
        hits comes last.
    """
    first = {name: hits[:DEPTH] for name, hits in found.items()}
    by = partial(_ranked, ranking=ranking, standings=standings, analysis=analysis, now=now, weights=weights)
    ranked = by(first)
    if any(len(hits) > DEPTH for hits in found.values()):
        there = {(one.kind, one.owner_id) for one in ranked}
        least = ranked[-1].score
        ranked += [
            one._replace(score=min(one.score, least))
            for one in by(found)
            if (one.kind, one.owner_id) not in there
        ]
    return ranked


def _ranked(
    found: Found,
    *,
    ranking: Ranking,
    standings: Standings,
    analysis: QueryAnalysis,
    now: datetime,
    weights: RankingWeights,
) -> list[Ranked]:
    match ranking:
        case Ranking.BLENDED:
            ranked = _blended(found, standings, analysis)
        case Ranking.RRF:
            ranked = _reciprocal(found)
        case Ranking.WEIGHTED:
            ranked = _weighted(found, standings, now, weights)
    return sorted(ranked, key=lambda one: (-one.score, -one.raw.get("vector", -1.0), one.kind, one.owner_id))


def needs_standings(ranking: Ranking, analysis: QueryAnalysis, kind: str) -> bool:
    """Whether *ranking* asks more of things of *kind* than how well they match."""
    match ranking:
        case Ranking.BLENDED:
            return kind == "interaction" or _is_dated(analysis.time_reference)
        case Ranking.RRF:
            return False
        case Ranking.WEIGHTED:
            return True


# --- blended: scores on one scale -------------------------------------------------------------------------------------


def _blended(found: Found, standings: Standings, analysis: QueryAnalysis) -> list[Ranked]:
    """
    Add up the strategies' scores, brought to one scale, then what is known of a turn and what time says.

    Blending scores keeps what ranks throw away: by how much the best stands out. What each signal brings is in
    docs/reference/benchmarks.md.
    """
    raw = _raw(found)
    standings = {key: standings[key] for key in raw if key in standings}
    weights = weights_for(standings)
    parts = _parts_of(found, weights.keyword_share if weights else KEYWORD_SHARE)
    named = speakers_named(analysis.original_query, standings)
    if weights:
        add_shares(parts, standings, weights)
    for key, own in parts.items():
        standing = standings.get(key)
        if standing is None or not own:
            continue
        whole = sum(own.values())
        if weights and standing.session[1]:
            for name, gain in gains_of(standing, analysis, weights, named):
                if gain:
                    own[name] = whole * gain
        if _is_within(standing.happened_at, analysis.time_reference):
            own["time_part"] = whole * TIME_GAIN
    sums = {key: sum(own.values()) for key, own in parts.items()}
    scale = 1.0 / max(1.0, max(sums.values(), default=0.0))
    return [Ranked(*key, min(sums[key] * scale, 1.0), raw[key], own, scale) for key, own in parts.items()]


def _parts_of(found: Found, keyword_share: float) -> dict[Key, dict[str, float]]:
    """Return what each strategy contributes to each thing; words and meaning together to 1 at the most."""
    parts: dict[Key, dict[str, float]] = defaultdict(dict)
    for strategy, share, floor, span in _scales(found, keyword_share):
        name = f"{strategy}_part"
        for hit in found.get(strategy, ()):
            own = parts[_key(hit)]
            if part := share * (hit.score - floor) / span:
                own[name] = part
    return parts


def _scales(found: Found, keyword_share: float) -> Iterator[tuple[StrategyName, float, float, float]]:
    """Give for each strategy its share, the score that counts nothing, and how far above that one counts in full."""
    words, meaning = found.get(StrategyName.KEYWORD, ()), found.get(StrategyName.VECTOR, ())
    word_share, meaning_share = _shares(found, keyword_share)
    yield StrategyName.KEYWORD, word_share, 0.0, max((hit.score for hit in words), default=0.0) or 1.0
    cosines = [hit.score for hit in meaning] or [0.0]
    top = max(cosines)
    floor = min(*cosines, top - LEAST_SPAN)
    yield StrategyName.VECTOR, meaning_share, floor, top - floor
    yield StrategyName.GRAPH, GRAPH_SHARE, 0.0, 1.0
    yield StrategyName.PROFILE, ALWAYS_SHOWN_SHARE, 0.0, 1.0
    yield StrategyName.RECENT, ALWAYS_SHOWN_SHARE, 0.0, 1.0


def _shares(found: Found, keyword_share: float) -> tuple[float, float]:
    """
    Return the shares of words and of meaning, 1 in all.

    Words count by how much of the question the best match says: where only "tonight" matches, they say little.
    """
    words, meaning = found.get(StrategyName.KEYWORD, ()), found.get(StrategyName.VECTOR, ())
    if not words:
        return 0.0, 1.0
    if not meaning:
        return 1.0, 0.0
    best = max(words, key=lambda hit: hit.score)
    coverage = best.score / best.ceiling if best.ceiling > 0 else 1.0
    certain = keyword_share * min(coverage / ENOUGH_COVERAGE, 1.0)
    return certain / (certain + 1 - keyword_share), (1 - keyword_share) / (certain + 1 - keyword_share)


def _is_dated(reference: TimeReference | None) -> bool:
    """Whether the question speaks of a time that tells things apart; "now" is said of anything."""
    return (
        reference is not None
        and reference.kind is not TimeKind.PRESENT
        and (reference.start is not None or reference.end is not None)
    )


def _is_within(moment: datetime, reference: TimeReference | None) -> bool:
    if reference is None or not _is_dated(reference):
        return False
    return (reference.start is None or moment >= reference.start) and (
        reference.end is None or moment <= reference.end
    )


# --- reciprocal ranks -------------------------------------------------------------------------------------------------


def _reciprocal(found: Found) -> list[Ranked]:
    """
    Add up weighted reciprocal ranks. What a strategy did not find gets nothing from it.

    Source: Cormack, Clarke & Büttcher, SIGIR 2009; k = 60 is theirs. Unmatched documents get no rank at all: ranking
    them last in every list costs more than half of the right answers on short memories.
    """
    best = sum(_RRF_WEIGHTS[name] / (RRF_K + 1) for name in found) or 1.0
    parts: dict[Key, dict[str, float]] = defaultdict(dict)
    for name, hits in found.items():
        for place, hit in enumerate(hits, start=1):
            parts[_key(hit)][f"{name}_part"] = _RRF_WEIGHTS[name] / (RRF_K + place) / best
    raw = _raw(found)
    return [Ranked(key[0], key[1], sum(own.values()), raw[key], own) for key, own in parts.items()]


# --- the chat contract's formula --------------------------------------------------------------------------------------


def _weighted(found: Found, standings: Standings, now: datetime, weights: RankingWeights) -> list[Ranked]:
    """
    Weigh words, meaning, reliability, recency and frequency. What is missing is 0, and no half point for nothing.

    Source: chat contract 4.5: tanh(0.2 BM25), (cosine + 1) / 2, half-life of 30 days, ln(1 + uses) / ln 1001.
    """
    ranked: list[Ranked] = []
    weight_of = dict(weights)
    for key, raw in _raw(found).items():
        standing = standings.get(key)
        signals = {
            "keyword": math.tanh(0.2 * raw.get("keyword", 0.0)),
            "vector": min(max((raw["vector"] + 1) / 2, 0.0), 1.0) if "vector" in raw else 0.0,
            "reliability": standing.confidence if standing else 0.0,
            "recency": recency(standing.happened_at, now) if standing else 0.0,
            "frequency": _frequency(standing.access_count) if standing else 0.0,
        }
        score = sum(weight_of[name] * signal for name, signal in signals.items())
        shown = {f"{name}_score": signal for name, signal in signals.items()}
        ranked.append(Ranked(key[0], key[1], score, raw, shown))
    return ranked


def _frequency(uses: int) -> float:
    return min(math.log1p(uses) / math.log1p(_MANY_USES), 1.0)


def _key(hit: Hit) -> Key:
    return hit.kind, hit.owner_id


def _raw(found: Found) -> dict[Key, dict[str, float]]:
    """Return every thing found once, with each strategy's own score."""
    raw: dict[Key, dict[str, float]] = defaultdict(dict)
    for strategy, hits in found.items():
        name = str(strategy)
        for hit in hits:
            raw[_key(hit)][name] = hit.score
    return raw
