"""Find the user's newest episodes and turns, whatever the question."""

from sagacity.domain.memory import MemoryKind
from sagacity.retrieval.strategies.base import StrategyInput, StrategyResult, recency
from sagacity.storage.hits import Hits, best_of
from sagacity.storage.transaction import Transaction

MOST = 10


async def find(snapshot: Transaction, ask: StrategyInput) -> StrategyResult:
    """Return the newest episodes and turns, scored by recency and confidence."""
    if MemoryKind.EPISODIC not in ask.query.wanted.kinds and not ask.query.wanted.interactions:
        return StrategyResult()
    newest = [
        *await snapshot.search.newest_memories(ask.query.wanted, MemoryKind.EPISODIC, MOST),
        *await snapshot.search.newest_turns(ask.query.wanted, MOST),
    ]
    hits = [one.hit._replace(score=one.hit.score * recency(one.happened_at, ask.now)) for one in newest]
    return StrategyResult(best_of(Hits.of(hits).parts, len(hits)))
