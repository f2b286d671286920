"""What writers that meet promise: nothing is lost, nothing is there twice, nobody waits for ever."""

import asyncio
import random

import pytest

from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Filter
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG, OTHER_ORG, CountingIds, StoppedClock, new_memory, opened, said, unit_rows

pytestmark = pytest.mark.own_database


async def test_edits_at_once_are_all_kept(storage: Storage) -> None:
    """Twenty that read a memory, change it and write it back each build on the one before."""
    async with storage.begin(ORG) as tx:
        [memory] = await tx.memories.add([new_memory("tea")])

    async def edit(number: int) -> None:
        async with storage.begin(ORG) as tx:
            read = await tx.memories.get(memory.memory_id)
            await asyncio.sleep(0.001)
            changed = read.model_copy(update={"keywords": (*read.keywords, f"k{number}")})
            await tx.memories.save([changed])

    await asyncio.gather(*(edit(number) for number in range(20)))
    async with storage.read(ORG) as snapshot:
        kept = await snapshot.memories.get(memory.memory_id)
        hits = await snapshot.search.by_terms(Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA), "k7 k19", 9)
    assert sorted(kept.keywords) == sorted(f"k{number}" for number in range(20))
    assert [hit.owner_id for hit in hits] == [memory.memory_id]


async def test_same_request_by_many_processes_is_stored_once(
    storage: Storage, database_url: str, clock: StoppedClock, ids: CountingIds
) -> None:
    """Processes that store one request at the same moment all get the one that is stored."""
    async with opened(database_url, clock, ids) as other, opened(database_url, clock, ids) as third:
        for turn in range(10):
            request = said("tea", "cake", request_id=f"r{turn}")
            stored = await asyncio.gather(*(one.append(ORG, request) for one in (storage, other, third) * 3))
            assert stored == [stored[0]] * 9
            assert (stored[0].first_seq, stored[0].last_seq) == (2 * turn + 1, 2 * turn + 2)
    async with storage.read(ORG) as snapshot:
        assert len(await snapshot.interactions.log(ANNA, after_seq=0, limit=99)) == 20


async def test_indexing_learning_and_publishing_for_one_user_do_not_wait_in_a_ring(storage: Storage) -> None:
    """A learner locks memories and then the user's row, a publisher that row and then interactions, an indexer both."""
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory("tea")])
    await storage.append(ORG, said("tea", request_id="r1"))
    async with storage.read(ORG) as snapshot:
        waiting = await snapshot.search.unembedded(20)
    assert len(waiting) == 2  # in a scope of each

    async def index() -> None:
        async with storage.begin(ORG) as tx:
            await tx.search.set_vectors(waiting, unit_rows(len(waiting)))

    async with storage.begin(ORG) as learner:
        await learner.memories.add([new_memory("cake")])
        indexed = asyncio.create_task(index())
        await asyncio.sleep(0.2)  # it waits for the learner, and must not hold what the publisher needs
        published = asyncio.create_task(storage.append(ORG, said("cake", request_id="r2")))
        await asyncio.sleep(0.2)  # it has the user's row
        await learner.cursors.set_due(ANNA, None)
    await asyncio.gather(indexed, published)


async def test_writers_of_many_users_and_organisations_get_through(
    storage: Storage, database_url: str, clock: StoppedClock, ids: CountingIds
) -> None:
    """Publishing, learning and indexing the same users at once, in any order, ends, and the log has no gap."""
    chance = random.Random(4)
    kinds = (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK)
    users = [f"user-{number}" for number in range(4)]

    async def publish(at: Storage, number: int) -> None:
        await asyncio.gather(
            *(
                at.append(tenant, said("tea", request_id=f"{number}-{turn}-{user}", user_id=user))
                for turn in range(5)
                for user in chance.sample(users, 4)
                for tenant in (ORG, OTHER_ORG)
            )
        )

    async def learn(at: Storage, user: str, kind: MemoryKind) -> None:
        for number in range(10):
            async with at.begin(ORG) as tx:
                await tx.memories.add([new_memory("tea", kind=kind, user_id=user)])
                await tx.memories.add([new_memory(f"cake {number}", kind=kind, user_id=user)])
                await tx.cursors.set_due(user, None)

    async def index(at: Storage) -> None:
        for _ in range(15):
            async with at.read(ORG) as snapshot:
                waiting = await snapshot.search.unembedded(20)
            async with at.begin(ORG) as tx:
                await tx.search.set_vectors(waiting, unit_rows(len(waiting)))

    async with opened(database_url, clock, ids) as other:
        async with asyncio.timeout(60):
            await asyncio.gather(
                publish(storage, 1),
                publish(other, 2),
                index(storage),
                index(other),
                *(
                    learn((storage, other)[n % 2], user, kind)
                    for n, user in enumerate(users)
                    for kind in kinds
                ),
            )
    for tenant in (ORG, OTHER_ORG):
        async with storage.read(tenant) as snapshot:
            for user in users:
                turns = await snapshot.interactions.log(user, after_seq=0, limit=99)
                assert [turn.seq for turn in turns] == list(range(1, 11))
    async with storage.read(ORG) as snapshot:
        for kind in kinds:
            memories: list[Memory] = await snapshot.memories.list_newest(kind, limit=999)
            assert len(memories) == len({one.uid for one in memories}) == 80
            scopes = await snapshot.search.scopes(Filter(kinds=(kind,)))
            assert sum(one.document_count for one in scopes) == 80
