"""Find the user's profiles whatever the question, the most certain first."""

from sagacity.domain.memory import MemoryKind
from sagacity.retrieval.strategies.base import StrategyInput, StrategyResult
from sagacity.storage.hits import Hits
from sagacity.storage.transaction import Transaction

MOST = 20
_LOOKED_AT = 200


async def find(snapshot: Transaction, ask: StrategyInput) -> StrategyResult:
    """Return the newest of the user's profiles, ordered by confidence."""
    if MemoryKind.PROFILE not in ask.query.wanted.kinds:
        return StrategyResult()
    newest = min(_LOOKED_AT, max(ask.depth, MOST))
    surest = await snapshot.search.surest_memories(ask.query.wanted, MemoryKind.PROFILE, MOST, newest=newest)
    return StrategyResult(Hits.of(surest))
