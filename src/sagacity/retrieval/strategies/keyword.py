"""Find documents that share words with the question, by BM25 over the statistics of the searched scopes."""

from sagacity.retrieval.strategies.base import StrategyInput, StrategyResult
from sagacity.storage.hits import Hits
from sagacity.storage.transaction import Transaction


async def find(snapshot: Transaction, ask: StrategyInput) -> StrategyResult:
    """Return documents that contain words of the question; rare words score higher."""
    found = [await snapshot.search.by_terms(part.wanted, part.text, ask.depth) for part in ask.parts]
    return StrategyResult(Hits(part for hits in found for part in hits.parts))
