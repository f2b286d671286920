"""Memories listed: the last to change first or, with a query, those that its words find, best first."""

from collections.abc import Sequence

from sagacity.api.dependencies import Caller
from sagacity.domain.memory import Memory
from sagacity.domain.query import Filter, Query, SearchMode


async def listed(caller: Caller, wanted: Filter, *, query: str | None, limit: int) -> Sequence[Memory]:
    """
    Return up to *limit* memories that *wanted* admits.

    Args:
        caller: who asks.
        wanted: which; of one user, or of all.
        query: a text, a word of which they have to hold.
        limit: how many.
    """
    if query is not None and query.strip():
        question = Query(text=query, wanted=wanted, limit=limit, mode=SearchMode.FTS)
        found = await caller.runtime.searcher.search(caller.tenant, question)
        return [one.memory for one in found.items if one.memory is not None]
    async with caller.read(user_id=wanted.user_id) as snapshot:
        return await snapshot.memories.list_wanted(wanted, limit)
