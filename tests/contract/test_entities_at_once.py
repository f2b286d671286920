"""Many change one graph at once: what they did is all there, and nobody waits for ever."""

import asyncio

import pytest

from sagacity.domain.graph import EntityEdit, NewEntity, NewRelationship
from sagacity.domain.memory import MemoryKind
from sagacity.storage.transaction import Storage
from support.graphs import one, speak
from support.parts import ANNA, ORG

pytestmark = pytest.mark.either_database


async def test_ten_at_once_that_say_one_name_make_one_entity(storage: Storage) -> None:
    """Whoever comes first: one entity, one tie, and a mention for each memory."""

    async def say(number: int) -> None:
        async def work() -> None:
            async with storage.begin(ORG) as tx:
                await speak(tx, f"m{number}", "Ana", ties=(("user", "sister_of", "Ana", number / 10),))

        await storage.retry(work)

    await asyncio.gather(*(say(number) for number in range(10)))
    async with storage.read(ORG) as snapshot:
        found, total = await snapshot.entities.list_page(ANNA)
        assert [(e.name, e.mention_count) for e in found] == [("Ana", 10), ("user", 10)]
        [tie], _ = await snapshot.relationships.list_page(ANNA)
        assert tie.confidence == pytest.approx(0.9)
        assert total == 2


async def test_relationships_made_both_ways_at_once_do_not_wait_for_each_other(storage: Storage) -> None:
    """Whichever end comes first, and whoever changes a name meanwhile: nobody is refused."""
    async with storage.begin(ORG) as tx:
        ana, bea = [await tx.entities.add(ANNA, NewEntity(name=name)) for name in ("Ana", "Bea")]
    ends = ((ana.entity_id, bea.entity_id), (bea.entity_id, ana.entity_id))

    async def tie(number: int) -> None:
        source, target = ends[number % 2]
        new = NewRelationship(
            source_entity_id=source, target_entity_id=target, relationship_type=f"word_{number}"
        )
        async with storage.begin(ORG) as tx:
            await tx.relationships.add(ANNA, new)

    async def rename(number: int) -> None:
        async with storage.begin(ORG) as tx:
            await tx.entities.update(ANNA, ana.entity_id, EntityEdit(name=f"Ana {number}"))

    async def say(number: int) -> None:
        async with storage.begin(ORG) as tx:
            await speak(tx, f"m{number}", "Ana", "Bea")

    await asyncio.gather(*(work(number) for number in range(10) for work in (tie, rename, say)))
    async with storage.read(ORG) as snapshot:
        found, total = await snapshot.relationships.list_page(ANNA)
        assert {one.relationship_type for one in found} == {f"word_{number}" for number in range(10)}
        assert total == 10
        assert (await one(snapshot, "Ana")).mention_count == 10
        assert len((await one(snapshot, "Ana")).aliases) == 10


async def test_memories_are_deleted_while_others_speak_of_the_same(storage: Storage) -> None:
    """Who deletes comes to the same rows in the same order as who learns, and merges: nobody is refused."""
    async with storage.begin(ORG) as tx:
        old = [await speak(tx, f"old {number}", ties=(("Ana", "knows", "Bea", 0.5),)) for number in range(10)]
        ana, bea = await one(tx, "Ana"), await one(tx, "Bea")

    async def forget(number: int) -> None:
        async with storage.begin(ORG) as tx:
            await tx.memories.delete(MemoryKind.PROFILE, ids=[old[number].memory_id])

    async def say(number: int) -> None:
        async with storage.begin(ORG) as tx:
            await speak(tx, f"new {number}", ties=(("Bea", "knows", "Ana", 0.5),))

    async def edit(number: int) -> None:
        edit = EntityEdit(description=f"as of {number}")
        async with storage.begin(ORG) as tx:
            await tx.entities.update(ANNA, (ana, bea)[number % 2].entity_id, edit)

    await asyncio.gather(*(work(number) for number in range(10) for work in (forget, say, edit)))
    async with storage.read(ORG) as snapshot:
        found, _ = await snapshot.entities.list_page(ANNA)
        assert {(entity.name, entity.mention_count) for entity in found} == {("Ana", 10), ("Bea", 10)}
        ties, _ = await snapshot.relationships.list_page(ANNA)
        assert [(tie.source_name, tie.target_name) for tie in ties] == [("Bea", "Ana")]
