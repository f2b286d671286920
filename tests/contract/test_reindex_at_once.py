"""An index that is made anew while turns come in: nothing is missing, twice, or left over."""

import asyncio

import pytest
import sqlalchemy as sa

from sagacity.domain.interaction import NewInteraction, NewRequest
from sagacity.storage.schema.tables import interactions, search_documents, search_scopes
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG


def turns(user_id: str, request_id: str, count: int) -> NewRequest:
    said = tuple(NewInteraction(role="User", content=f"tea {number}") for number in range(count))
    return NewRequest(request_id=request_id, user_id=user_id, interactions=said)


@pytest.mark.one_database
async def test_turns_that_come_meanwhile_are_in_the_index_once(storage: Storage) -> None:
    """Of a user who is known, and of ones that nobody had heard of when it began."""
    await storage.claim_index("test", 16)
    for number in range(6):
        await storage.append(ORG, turns(ANNA, f"r{number}", 500))
    coming: list[asyncio.Task[None]] = []

    async def say(user: str, number: int) -> None:
        async with storage.begin(ORG) as tx:
            await tx.interactions.append([turns(user, f"meanwhile-{number}", 2)])

    def on_progress(done: int, total: int) -> None:
        assert done <= total
        for user in (ANNA, f"new-{len(coming)}"):
            coming.append(asyncio.create_task(say(user, len(coming))))

    await storage.rebuild_index("test", 16, on_progress)
    await asyncio.gather(*coming)
    document, scope = search_documents.c, search_scopes.c
    held = sa.select(sa.func.count()).where(document.scope_id == scope.scope_id).scalar_subquery()
    terms = sa.select(sa.func.sum(document.term_count)).where(document.scope_id == scope.scope_id)
    async with storage.backend.read(ORG.org_id) as connection:

        async def count(statement: sa.Select) -> int:
            return (await connection.execute(statement)).scalar_one()

        every = await count(sa.select(sa.func.count()).select_from(interactions))
        assert every == 3_000 + 2 * len(coming)
        assert await count(sa.select(sa.func.count()).select_from(search_documents)) == every
        assert await count(sa.select(sa.func.count()).where(scope.document_count != held)) == 0
        assert await count(sa.select(sa.func.count()).where(scope.term_count != terms.scalar_subquery())) == 0
