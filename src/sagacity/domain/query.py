"""A question, what was found for it, and the scores."""

import time
from datetime import datetime
from enum import StrEnum

from sagacity.domain.analysis import QueryAnalysis
from sagacity.domain.base import Value
from sagacity.domain.condition import Condition
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.measures import Measures
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status, Visibility

PARAPHRASE_COSINE = 0.7
"""From here on two short texts say the same, as all-MiniLM-L6-v2 sees it: paraphrases lie at 0.85 on average, what
does not belong together at 0.17, and a question and the fact that answers it between 0.2 and 0.6."""


def similarity(cosine: float) -> float:
    """Return how much two texts say the same, in [0, 1]: 1 for a paraphrase, 0.3 for a loose connection."""
    return min(max(cosine / PARAPHRASE_COSINE, 0.0), 1.0)


class SearchMode(StrEnum):
    """Which strategies are used."""

    VECTOR = "vector"
    FTS = "fts"
    HYBRID = "hybrid"


class Ranking(StrEnum):
    """How the strategies' results become one list; see `retrieval/rank.py`."""

    BLENDED = "blended"
    """Scores of each strategy brought to one scale, each weighted by how much it tells apart; the default."""
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
    What may be found at all; applied before any search.

    Interactions are asked for with `interactions=True`, memories with `kinds`. An empty list admits all. Times are
    inclusive.
    """

    kinds: tuple[MemoryKind, ...] = ()
    interactions: bool = False
    user_id: UserId | None = None
    """One user's rows (and, for kinds without a user, the tenant's). None asks for all users of the tenant."""
    user_ids: tuple[UserId, ...] = ()
    """Several users' rows; with `user_id` only what both admit. Kinds without a user are found all the same."""
    statuses: tuple[Status, ...] = (Status.CURRENT,)
    visibility: tuple[Visibility, ...] = ()
    is_held: bool | None = False
    """Whether quarantines hold it; None for both. What is held is asked for on purpose only."""
    approvals: tuple[Approval, ...] = ()
    """What a reviewer said of the kinds that are reviewed; of the others it leaves out what was rejected."""
    agent_versions: tuple[str, ...] = ()
    """Of playbooks and skills; what is known of a user holds for every version."""
    names: tuple[str, ...] = ()
    """Of playbooks and skills."""
    source: str | None = None
    request_id: str | None = None
    tags: tuple[str, ...] = ()
    """All of them, whatever their case: keywords of a memory, and the list `tags` in its or the request's metadata."""
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
    """What each signal counts for in the ranking `weighted`, where nobody says otherwise: the chat contract's."""

    keyword: float = 0.35
    vector: float = 0.25
    reliability: float = 0.20
    recency: float = 0.15
    frequency: float = 0.05


class Query(Value):
    """What to look for, among what, and how much of it."""

    text: str
    wanted: Filter
    limit: int
    """How many of each kind at the most."""
    mode: SearchMode = SearchMode.HYBRID
    threshold: float = 0.0
    """Least `Scored.relevance` of a result, in [0, 1]."""
    least_score: float = 0.0
    """Least `Scored.score` of a result."""
    keeps_cautions: bool = True
    """Whether what must not be missed is among the results, however well it matches."""
    ranking: Ranking = Ranking.BLENDED
    weights: RankingWeights = RankingWeights()
    """Of the ranking `weighted`."""
    strategies: tuple[StrategyName, ...] = (StrategyName.VECTOR, StrategyName.KEYWORD, StrategyName.GRAPH)
    """Which ways of finding are used, as far as `mode` admits them."""
    reference_at: datetime | None = None
    """What "today" is to the question; None for now."""
    neighbours: int = 0
    """How many turns of the same session to return before and after each turn found."""
    rerank: bool = False
    """Whether a second, closer look orders the first results."""


class Scored(Value):
    """One thing found, with its score and the parts that it was made of. Higher is better."""

    memory: Memory | None = None
    interaction: Interaction | None = None
    score: float
    """For the order within one answer; the best has 1, however good it is."""
    relevance: float | None = None
    """How likely it answers the question, in [0, 1]; see `retrieval/relevance.py`. None where neither words
    nor meaning found it."""
    components: dict[str, float] = {}
    """What the score was made of, by name; a strategy that did not find it has no component."""
    is_caution: bool = False
    """Whether it warns of what the question touches, and must not be missed."""
    neighbours: tuple[Interaction, ...] = ()
    """Turns beside the interaction, oldest first, where they were asked for."""


class Trace(Value):
    """How an answer came about: what each strategy took and found, and which failed or were late."""

    strategies: dict[str, float] = {}
    """Milliseconds each."""
    found: dict[str, int] = {}
    """How many each strategy found."""
    failed: dict[str, str] = {}
    dropped: dict[str, int] = {}
    """How many were found and not returned, by why: `below_threshold`, `over_limit`, `held_out`."""
    analysis: QueryAnalysis | None = None
    measures: Measures = Measures()

    def took(self, strategy: str, started: float) -> "Trace":
        """Return the trace with the time of *strategy*, which began at the performance counter's *started*."""
        milliseconds = round((time.perf_counter() - started) * 1000, 3)
        return self.model_copy(update={"strategies": self.strategies | {strategy: milliseconds}})

    def answered(self, strategy: str, milliseconds: float, count: int) -> "Trace":
        """Return the trace with what *strategy* took and how many it found."""
        took, found = {strategy: round(milliseconds, 3)}, {strategy: count}
        return self.model_copy(update={"strategies": self.strategies | took, "found": self.found | found})

    def left_out(self, **counts: int) -> "Trace":
        """Return the trace with things that were found and are not returned, by why."""
        dropped = {why: self.dropped.get(why, 0) + count for why, count in counts.items() if count}
        return self.model_copy(update={"dropped": self.dropped | dropped}) if dropped else self

    def failed_with(self, strategy: str, reason: str) -> "Trace":
        """Return the trace with a strategy that gave no answer."""
        return self.model_copy(update={"failed": self.failed | {strategy: reason}})


class Found(Value):
    """What a search gives back, best first."""

    items: tuple[Scored, ...] = ()
    trace: Trace = Trace()
