"""A question, what was found for it, and the scores."""

import time
from datetime import datetime
from enum import StrEnum

from sagacity.domain.analysis import QueryAnalysis
from sagacity.domain.base import Value
from sagacity.domain.condition import Condition
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import INTERACTION, Interaction
from sagacity.domain.measures import Measures
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status, Visibility

PARAPHRASE_COSINE = 0.7
"""
From this cosine on, two short texts say the same to all-MiniLM-L6-v2. Paraphrases average 0.85, unrelated texts 0.17,
and a question and the fact that answers it lie between 0.2 and 0.6.
"""


def similarity(cosine: float) -> float:
    """Return how much two texts say the same, in [0, 1]: 1 for a paraphrase, 0.3 for a loose connection."""
    return min(max(cosine / PARAPHRASE_COSINE, 0.0), 1.0)


class SearchMode(StrEnum):
    """Which strategies are used."""

    VECTOR = "vector"
    FTS = "fts"
    HYBRID = "hybrid"


class Ranking(StrEnum):
    """How the strategies' results are merged into one list; see `retrieval/rank.py`."""

    BLENDED = "blended"
    """Scores of each strategy on one scale, weighted by how well it discriminates; the default."""
    RRF = "rrf"
    """Reciprocal ranks."""
    WEIGHTED = "weighted"
    """The chat contract's formula: words, meaning, reliability, recency, frequency."""


class StrategyName(StrEnum):
    """A search strategy; one file each in `retrieval/strategies/`."""

    VECTOR = "vector"
    KEYWORD = "keyword"
    GRAPH = "graph"
    PROFILE = "profile"
    RECENT = "recent"


class Filter(Value):
    """
    Filters of what may be found, applied before any search.

    Interactions are requested with `interactions=True`, memories with `kinds`. An empty list admits everything. Times
    are inclusive.
    """

    kinds: tuple[MemoryKind, ...] = ()
    interactions: bool = False
    user_id: UserId | None = None
    """One user's rows (and, for kinds without a user, the tenant's). None asks for all users of the tenant."""
    user_ids: tuple[UserId, ...] = ()
    """Several users' rows; with `user_id`, only what both admit. Kinds without a user are found as well."""
    statuses: tuple[Status, ...] = (Status.CURRENT,)
    visibility: tuple[Visibility, ...] = ()
    is_held: bool | None = False
    """Whether quarantines hold it; None for both. Held rows are found only on request."""
    approvals: tuple[Approval, ...] = ()
    """The review status of reviewed kinds; of other kinds, rejected ones are left out."""
    agent_versions: tuple[str, ...] = ()
    """Of playbooks and skills; what is known of a user holds for every version."""
    names: tuple[str, ...] = ()
    """Of playbooks and skills."""
    source: str | None = None
    request_id: str | None = None
    tags: tuple[str, ...] = ()
    """All required, ignoring case: keywords of a memory, and the list `tags` in its or the request's metadata."""
    metadata: Condition | None = None
    """Of a memory's metadata, with its `custom_features`; of a turn's request's metadata."""
    start: datetime | None = None
    """When it was learned or last changed; when a turn arrived."""
    end: datetime | None = None
    event_start: datetime | None = None
    """When it happened: what a memory speaks of, as far as that is known; a turn, by its sender's clock."""
    event_end: datetime | None = None
    valid_at: datetime | None = None
    """Leaves out what has expired by then."""
    as_of: datetime | None = None
    """What was known then: status and expiry are those of that moment, which stands in for `valid_at`."""


class RankingWeights(Value):
    """The default weights of the ranking `weighted`, which are the chat contract's."""

    keyword: float = 0.35
    vector: float = 0.25
    reliability: float = 0.20
    recency: float = 0.15
    frequency: float = 0.05


class Query(Value):
    """A query: what to search for, where, and how much to return."""

    text: str
    wanted: Filter
    limit: int
    """How many results of each kind at most."""
    turn_limit: int | None = None
    """How many turns at most; None for as many as of any kind."""
    mode: SearchMode = SearchMode.HYBRID
    threshold: float = 0.0
    """Minimum `Scored.relevance` of a result, in [0, 1]."""
    least_score: float = 0.0
    """Minimum `Scored.score` of a result."""
    keeps_cautions: bool = True
    """Whether cautions are included in the results, however well they match."""
    ranking: Ranking = Ranking.BLENDED
    weights: RankingWeights = RankingWeights()
    """Of the ranking `weighted`."""
    strategies: tuple[StrategyName, ...] = (StrategyName.VECTOR, StrategyName.KEYWORD, StrategyName.GRAPH)
    """The strategies, as far as `mode` admits them."""
    reference_at: datetime | None = None
    """The date that "today" means in the question; None for now."""
    neighbours: int = 0
    """How many turns of the same session to return before and after each turn found."""
    rerank: bool = False
    """Whether the first results are reranked."""

    def limit_of(self, kind: str) -> int:
        """Return how many results of *kind* there may be: of a kind of memory, or turns (`INTERACTION`)."""
        return self.turn_limit if kind == INTERACTION and self.turn_limit is not None else self.limit


class Scored(Value):
    """One result, with its score and its parts. Higher is better."""

    memory: Memory | None = None
    interaction: Interaction | None = None
    score: float
    """Orders the results of one search; the best has 1, however good it is."""
    relevance: float | None = None
    """How likely it answers the question, in [0, 1]; see `retrieval/relevance.py`. None where neither words
    nor meaning found it."""
    components: dict[str, float] = {}
    """The parts of the score, by name; a strategy that did not find it has no part."""
    is_caution: bool = False
    """Whether it is a caution that the question touches."""
    neighbours: tuple[Interaction, ...] = ()
    """Turns beside the interaction, oldest first, where they were asked for."""


class Trace(Value):
    """The trace of a search: durations and results of each strategy, and which failed or were late."""

    strategies: dict[str, float] = {}
    """Milliseconds each."""
    found: dict[str, int] = {}
    """How many each strategy found."""
    failed: dict[str, str] = {}
    dropped: dict[str, int] = {}
    """Number of results that were not returned, by reason: `below_threshold`, `over_limit`, `held_out`."""
    analysis: QueryAnalysis | None = None
    measures: Measures = Measures()

    def took(self, strategy: str, started: float) -> "Trace":
        """Return the trace with the time of *strategy*, which began at the performance counter's *started*."""
        milliseconds = round((time.perf_counter() - started) * 1000, 3)
        return self.model_copy(update={"strategies": self.strategies | {strategy: milliseconds}})

    def answered(self, strategy: str, milliseconds: float, count: int) -> "Trace":
        """Return the trace with the duration and number of results of *strategy*."""
        took, found = {strategy: round(milliseconds, 3)}, {strategy: count}
        return self.model_copy(update={"strategies": self.strategies | took, "found": self.found | found})

    def left_out(self, **counts: int) -> "Trace":
        """Return the trace with the numbers of results that are not returned, by reason."""
        dropped = {why: self.dropped.get(why, 0) + count for why, count in counts.items() if count}
        return self.model_copy(update={"dropped": self.dropped | dropped}) if dropped else self

    def failed_with(self, strategy: str, reason: str) -> "Trace":
        """Return the trace with a strategy that failed or was late."""
        return self.model_copy(update={"failed": self.failed | {strategy: reason}})


class Found(Value):
    """The results of a search, best first."""

    items: tuple[Scored, ...] = ()
    trace: Trace = Trace()
