"""What is near the question in meaning, by the cosine of their vectors."""

from sagacity.retrieval.strategies.base import StrategyInput, StrategyResult


async def find(ask: StrategyInput) -> StrategyResult:
    """Embed the question, then return what lies nearest."""
    vectors = [await ask.embed(part.text) for part in ask.parts]
    async with ask.read() as snapshot:
        found = [
            await snapshot.search.by_vector(part.wanted, vector, ask.depth)
            for part, vector in zip(ask.parts, vectors, strict=True)
        ]
    hits = tuple(hit for nearest in found for hit in nearest.hits)
    return StrategyResult(hits, note=next((nearest.fallback for nearest in found if nearest.fallback), ""))
