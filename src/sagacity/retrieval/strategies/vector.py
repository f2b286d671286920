"""What is near the question in meaning, by the cosine of their vectors."""

from sagacity.retrieval.strategies.base import StrategyInput, StrategyResult


async def find(ask: StrategyInput) -> StrategyResult:
    """Embed the question, then return what lies nearest."""
    vector = await ask.embed(ask.query.text)
    async with ask.read() as snapshot:
        nearest = await snapshot.search.by_vector(ask.query.wanted, vector, ask.depth)
    return StrategyResult(tuple(nearest.hits), note=nearest.fallback)
