"""What is published while the log is deleted stays whole: its turns, and what finds them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from sagacity.domain.ids import RequestId, SessionId
from sagacity.domain.query import Filter
from sagacity.storage.base import Scope
from sagacity.storage.evidence.interactions import InteractionRepository
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG, said

pytestmark = pytest.mark.either_database

DELETIONS: dict[str, Callable[[InteractionRepository], Awaitable[int]]] = {
    "all": lambda turns: turns.delete_all(),
    "requests": lambda turns: turns.delete_requests([RequestId("former"), RequestId("latter")]),
}


class Interrupted(SearchRepository):
    """A search index that lets another caller publish before it forgets anything."""

    def __init__(self, scope: Scope, storage: Storage) -> None:
        super().__init__(scope)
        request = said("black coffee", request_id="latter", session_id=SessionId("s2"))
        self.published = asyncio.create_task(storage.append(ORG, request))

    async def remove(self, kind: str, owner_ids: Sequence[int]) -> None:
        await asyncio.wait([self.published], timeout=2)  # where there is one writer, it has to wait its turn
        await super().remove(kind, owner_ids)


@pytest.mark.parametrize("what", list(DELETIONS))
async def test_what_is_published_during_a_deletion_stays_and_is_found(storage: Storage, what: str) -> None:
    """What was there when it began is gone, also from the search index; of what came later nothing is."""
    await storage.append(ORG, said("green tea", request_id="former", session_id=SessionId("s1")))
    async with storage.begin(ORG) as tx:
        scope = tx.interactions._scope
        search = Interrupted(scope, storage)
        await DELETIONS[what](InteractionRepository(scope, search))
    await asyncio.wait_for(search.published, 30)
    async with storage.read(ORG) as snapshot:
        [turn] = await snapshot.interactions.log(ANNA, after_seq=0, limit=9)
        found = await snapshot.search.by_terms(Filter(interactions=True, user_id=ANNA), "tea coffee", 9)
        held = [await snapshot.sessions.find(ANNA, SessionId(it)) is not None for it in ("s1", "s2")]
    assert turn.content == "black coffee"
    assert [hit.owner_id for hit in found] == [turn.interaction_id]
    assert held == [what != "all", True]
