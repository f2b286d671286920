"""Find documents that are near the question in meaning, by cosine."""

from sagacity.retrieval.strategies.base import StrategyInput, StrategyResult
from sagacity.storage.hits import Hits
from sagacity.storage.transaction import Transaction


async def find(snapshot: Transaction, ask: StrategyInput) -> StrategyResult:
    """Return the documents nearest to the question's vectors."""
    found = [
        await snapshot.search.by_vector(part.wanted, vector, ask.depth)
        for part, vector in zip(ask.parts, ask.vectors, strict=True)
    ]
    hits = Hits(part for nearest in found for part in nearest.hits.parts)
    return StrategyResult(hits, note=next((nearest.fallback for nearest in found if nearest.fallback), ""))
