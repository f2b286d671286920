"""Merge what the strategies found into one list; pure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple, overload

import numpy as np

from sagacity.domain.analysis import QueryAnalysis, TimeKind, TimeReference
from sagacity.domain.query import Ranking, RankingWeights, StrategyName
from sagacity.retrieval.evidence import Evidence, Key, Numbers, Owners, Rows, counted
from sagacity.retrieval.strategies.base import recency
from sagacity.retrieval.talk import talk_of
from sagacity.storage.search.ranking_signals import RankingSignals

Standings = Mapping[Key, RankingSignals]
Known = Sequence[RankingSignals | None]
"""The ranking signals of each row of the evidence; None if not known."""

DEPTH = 200
"""How many of each strategy's hits are ranked together. It does not depend on the limit of the search, so the first
results do not either. A smaller number would miss turns that are found only through their neighbours."""
KEYWORD_SHARE = 0.6
"""The share of words against meaning for memories, if the best match covers enough of the question's words. The share
for turns is in `talk.py`."""
ENOUGH_COVERAGE = 0.4
"""A share of the weight of the question's words. If the best match covers less, words count for less in proportion."""
LEAST_SPAN = 0.25
"""Cosines that lie closer together than this are not spread over the whole scale."""
GRAPH_SHARE = 0.3
ALWAYS_SHOWN_SHARE = 0.1
"""The weight of strategies that ignore the question: profile and recent."""
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
    """One result, with its score in [0, 1] and the score's parts."""

    kind: str
    owner_id: int
    score: float
    raw: Mapping[str, float]
    """Each strategy's own score, by the strategy's name."""
    made_of: Mapping[str, float]
    """`…_part`: the terms that add up to the score; `…_score`: the signals that the contract's formula weighs."""

    @property
    def components(self) -> dict[str, float]:
        """All parts, as shown with a result."""
        return {**self.raw, **self.made_of}


class _Scores(NamedTuple):
    """A score for each row of the evidence, float64 [n], and the parts it was made of; NaN for a missing part."""

    score: Numbers
    made_of: Mapping[str, Numbers]


class RankedList(Sequence[Ranked]):
    """The results of one kind, best first; each is built on access."""

    def __init__(self, evidence: Evidence, scores: _Scores, rows: Rows) -> None:
        """
        List *rows* of the evidence in their order.

        Args:
            evidence: what was found.
            scores: the scores of its rows.
            rows: the numbers of its rows, best first.
        """
        self._evidence = evidence
        self._scores = scores
        self.rows = rows
        """The evidence's row of each result, best first."""

    @property
    def kind(self) -> str:
        """The kind of all results."""
        return self._evidence.kind

    @property
    def scores(self) -> Numbers:
        """The scores, best first."""
        return self._scores.score[self.rows]

    @property
    def owners(self) -> Owners:
        """The numbers of the memories or turns, best first."""
        return self._evidence.owners[self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Ranked: ...

    @overload
    def __getitem__(self, place: slice) -> "RankedList": ...

    def __getitem__(self, place: int | slice) -> "Ranked | RankedList":
        if isinstance(place, slice):
            return RankedList(self._evidence, self._scores, self.rows[place])
        return self.at([place])[0]

    def at(self, places: Sequence[int]) -> list[Ranked]:
        """Return the results at these ranks, in order."""
        rows = self.rows[list(places)]
        raw = _by_row({str(name): one.score for name, one in self._evidence.columns.items()}, rows)
        made_of = _by_row(self._scores.made_of, rows)
        scores, owners = self._scores.score[rows].tolist(), self._evidence.owners[rows].tolist()
        return [Ranked(self._evidence.kind, *one) for one in zip(owners, scores, raw, made_of, strict=True)]


def rank(
    evidence: Evidence,
    *,
    ranking: Ranking,
    standings: Standings,
    analysis: QueryAnalysis,
    now: datetime,
    weights: RankingWeights = _WEIGHTS,
) -> RankedList:
    """
    Merge what the strategies found of one kind into one list that keeps every result.

    Args:
        evidence: what each strategy found.
        ranking: the formula to use.
        standings: the results' ranking signals; a missing one counts as average.
        analysis: the question.
        now: the reference time of the question.
        weights: the weights of the signals, for the ranking `weighted`.

    Returns:
        Each result once, best first; ties by cosine, then by number. Results that no strategy has among its first
        `DEPTH` hits come last.
    """
    known: Standings = standings if needs_standings(ranking, analysis, evidence.kind) else {}
    by = partial(_scored, ranking=ranking, standings=known, analysis=analysis, now=now, weights=weights)
    if evidence.depth <= DEPTH:
        scores = by(evidence)
        return RankedList(evidence, scores, _in_order(evidence, scores))
    first, rows = evidence.within(DEPTH)
    scores = by(first)
    ordered = rows[_in_order(first, scores)]
    if len(first) < len(evidence):
        every = by(evidence)
        deeper = np.setdiff1d(_in_order(evidence, every), rows, assume_unique=True)
        ordered = np.concatenate([ordered, deeper])
        scores = _capped(every, rows, scores)
    else:
        scores = _capped(scores, rows, scores)
    return RankedList(evidence.with_rows(rows, first), scores, ordered)


def _capped(every: _Scores, rows: Rows, first: _Scores) -> _Scores:
    """Return the scores of *first* for *rows*, and those of *every* for the others, capped at the least of *first*."""
    score = np.minimum(every.score, first.score.min())
    score[rows] = first.score
    made_of: dict[str, Numbers] = {}
    for name in every.made_of.keys() | first.made_of.keys():
        made_of[name] = every.made_of.get(name, np.full(len(score), np.nan)).copy()
        made_of[name][rows] = first.made_of.get(name, np.nan)
    return _Scores(score, made_of)


def _in_order(evidence: Evidence, scores: _Scores) -> Rows:
    cosines = counted(evidence.scores(StrategyName.VECTOR), -1.0)
    return np.lexsort((evidence.owners, -cosines, -scores.score))


def _by_row(columns: Mapping[str, Numbers], rows: Rows) -> list[dict[str, float]]:
    """Return the values of *columns* for each of *rows*, without NaN."""
    said: list[dict[str, float]] = [{} for _ in rows]
    for name, column in columns.items():
        for one, value in zip(said, column[rows].tolist(), strict=True):
            if value == value:  # noqa: PLR0124  False for NaN, and faster than a call for each of a thousand
                one[name] = value
    return said


def _scored(
    evidence: Evidence,
    *,
    ranking: Ranking,
    standings: Standings,
    analysis: QueryAnalysis,
    now: datetime,
    weights: RankingWeights,
) -> _Scores:
    known = [standings.get(key) for key in evidence.keys] if standings else [None] * len(evidence)
    match ranking:
        case Ranking.BLENDED:
            return _blended(evidence, known, analysis)
        case Ranking.RRF:
            return _reciprocal(evidence)
        case Ranking.WEIGHTED:
            return _weighted(evidence, known, now, weights)


def needs_standings(ranking: Ranking, analysis: QueryAnalysis, kind: str) -> bool:
    """Whether *ranking* uses signals of *kind* other than how well it matches."""
    match ranking:
        case Ranking.BLENDED:
            return kind == "interaction" or _is_dated(analysis.time_reference)
        case Ranking.RRF:
            return False
        case Ranking.WEIGHTED:
            return True


# --- blended: scores on one scale -------------------------------------------------------------------------------------


def _blended(evidence: Evidence, known: Known, analysis: QueryAnalysis) -> _Scores:
    """
    Add up the strategies' scores on one scale, then the signals of turns and of time.

    Scores keep what ranks lose: by how much the best result stands out. docs/reference/benchmarks.md has what each
    signal contributes.
    """
    talk = talk_of(known)
    parts = {
        f"{strategy}_part": share * counted((evidence.scores(strategy) - floor) / span)
        for strategy, share, floor, span in _scales(
            evidence, talk.weights.keyword_share if talk else KEYWORD_SHARE
        )
        if strategy in evidence.columns
    }
    if talk:
        parts |= talk.shares(_sum(parts, len(evidence)))
    whole = _sum(parts, len(evidence))
    if talk:
        parts |= {name: whole * gain for name, gain in talk.gains(analysis)}
    if _is_dated(analysis.time_reference):
        within = [one is not None and _is_within(one.happened_at, analysis.time_reference) for one in known]
        parts["time_part"] = whole * np.where(within, TIME_GAIN, 0.0)
    sums = _sum(parts, len(evidence))
    scale = 1.0 / max(1.0, float(sums.max(initial=0.0)))
    shown = {name: np.where(part == 0, np.nan, part * scale) for name, part in parts.items()}
    return _Scores(np.minimum(sums * scale, 1.0), shown)


def _sum(parts: Mapping[str, Numbers], rows: int) -> Numbers:
    return np.sum([*parts.values()], axis=0) if parts else np.zeros(rows)


def _scales(evidence: Evidence, keyword_share: float) -> Iterator[tuple[StrategyName, float, float, float]]:
    """Yield each strategy with its share, the score that counts as 0, and how far above that a score counts as 1."""
    word_share, meaning_share = _shares(evidence, keyword_share)
    words, cosines = evidence.scores(StrategyName.KEYWORD), evidence.scores(StrategyName.VECTOR)
    yield StrategyName.KEYWORD, word_share, 0.0, float(np.fmax.reduce(words, initial=0.0)) or 1.0
    top = float(np.fmax.reduce(cosines, initial=-1.0)) if not np.isnan(cosines).all() else 0.0
    floor = min(float(np.fmin.reduce(cosines, initial=top)), top - LEAST_SPAN)
    yield StrategyName.VECTOR, meaning_share, floor, top - floor
    yield StrategyName.GRAPH, GRAPH_SHARE, 0.0, 1.0
    yield StrategyName.PROFILE, ALWAYS_SHOWN_SHARE, 0.0, 1.0
    yield StrategyName.RECENT, ALWAYS_SHOWN_SHARE, 0.0, 1.0


def _shares(evidence: Evidence, keyword_share: float) -> tuple[float, float]:
    """
    Return the shares of words and of meaning, which add up to 1.

    The share of words depends on how much of the question the best match covers: if only "tonight" matches, words say
    little.
    """
    words = evidence.scores(StrategyName.KEYWORD)
    if np.isnan(words).all():
        return 0.0, 1.0
    if np.isnan(evidence.scores(StrategyName.VECTOR)).all():
        return 1.0, 0.0
    best = int(np.nanargmax(words))
    ceiling = float(evidence.columns[StrategyName.KEYWORD].ceiling[best])
    coverage = float(words[best]) / ceiling if ceiling > 0 else 1.0
    certain = keyword_share * min(coverage / ENOUGH_COVERAGE, 1.0)
    return certain / (certain + 1 - keyword_share), (1 - keyword_share) / (certain + 1 - keyword_share)


def _is_dated(reference: TimeReference | None) -> bool:
    """Whether the question names a time that tells results apart; "now" does not."""
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


def _reciprocal(evidence: Evidence) -> _Scores:
    """
    Add up weighted reciprocal ranks. A strategy adds nothing to results that it did not find.

    Source: Cormack, Clarke & Büttcher, SIGIR 2009; k = 60 is theirs. Unmatched documents get no rank at all: ranking
    them last in every list costs more than half of the right answers on short memories.
    """
    best = sum(_RRF_WEIGHTS[name] / (RRF_K + 1) for name in evidence.asked) or 1.0
    parts = {
        f"{name}_part": _RRF_WEIGHTS[name] / (RRF_K + one.place) / best
        for name, one in evidence.columns.items()
    }
    return _Scores(_sum({name: counted(part) for name, part in parts.items()}, len(evidence)), parts)


# --- the chat contract's formula --------------------------------------------------------------------------------------


def _weighted(evidence: Evidence, known: Known, now: datetime, weights: RankingWeights) -> _Scores:
    """
    Weigh words, meaning, reliability, recency and frequency. A missing signal counts as 0.

    Source: chat contract 4.5: tanh(0.2 BM25), (cosine + 1) / 2, half-life of 30 days, ln(1 + uses) / ln 1001.
    """
    words, cosines = evidence.scores(StrategyName.KEYWORD), evidence.scores(StrategyName.VECTOR)
    signals = {
        "keyword": np.tanh(0.2 * counted(words)),
        "vector": counted(np.clip((cosines + 1) / 2, 0.0, 1.0)),
        "reliability": np.array([one.confidence if one else 0.0 for one in known]),
        "recency": np.array([recency(one.happened_at, now) if one else 0.0 for one in known]),
        "frequency": np.array([_frequency(one.access_count) if one else 0.0 for one in known]),
    }
    weight_of = dict(weights)
    score = _sum({name: weight_of[name] * signal for name, signal in signals.items()}, len(evidence))
    return _Scores(score, {f"{name}_score": signal for name, signal in signals.items()})


def _frequency(uses: int) -> float:
    return min(math.log1p(uses) / math.log1p(_MANY_USES), 1.0)
