"""What shares words with the question, by BM25 over the statistics of what is searched."""

from sagacity.retrieval.strategies.base import StrategyInput, StrategyResult


async def find(ask: StrategyInput) -> StrategyResult:
    """Return what says the question's words; the rarer they are, the better."""
    async with ask.read() as snapshot:
        return StrategyResult(
            tuple(await snapshot.search.by_terms(ask.query.wanted, ask.query.text, ask.depth))
        )
