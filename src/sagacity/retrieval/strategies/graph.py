"""Find memories of the entities that a question names, and of entities near them in the user's graph."""

from sagacity.retrieval.query.names import name_candidates
from sagacity.retrieval.strategies.base import StrategyInput, StrategyResult
from sagacity.storage.hits import Hits
from sagacity.storage.transaction import Transaction

HOPS = 2


async def find(snapshot: Transaction, ask: StrategyInput) -> StrategyResult:
    """Return the memories of the entities that the question names and of related entities, the nearest first."""
    wanted = ask.query.wanted
    names = name_candidates(ask.query.text)
    if wanted.user_id is None or not wanted.kinds or not names:
        return StrategyResult()
    entities = ask.named
    if entities is None:
        entities = await snapshot.graph.find(wanted.user_id, names)
    if not entities:
        return StrategyResult()
    near = await snapshot.graph.memories_around(
        wanted.user_id,
        [entity.entity_id for entity in entities],
        hops=HOPS,
        limit=ask.depth,
        statuses=wanted.statuses if wanted.as_of is None else (),
    )
    hits = await snapshot.search.admitted(wanted, {one.memory_id: one.score for one in near})
    return StrategyResult(Hits.of(hits), names=tuple(entity.name for entity in entities))
