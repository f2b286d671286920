"""What the graph promises: names and ties rest on memories, and go with the last of them."""

import sqlalchemy as sa

from sagacity.domain.change import Candidate
from sagacity.domain.graph import EntityMention, EntityType, RelationshipMention
from sagacity.domain.memory import MemoryKind
from sagacity.storage.tables import entities, relationships
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG, new_memory


def tie(name: str) -> Candidate:
    return Candidate(
        kind=MemoryKind.PROFILE,
        content=f"Has a sister named {name}.",
        evidence=(1,),
        entities=(EntityMention(name=name, entity_type=EntityType.PERSON),),
        relationships=(RelationshipMention(source="user", target=name, relationship_type="has_sister"),),
    )


async def names_in(storage: Storage) -> dict[str, int]:
    """Every entity with how many memories mention it."""
    async with storage._backend.read(ORG.org_id) as connection:
        rows = await connection.execute(sa.select(entities.c.name, entities.c.mention_count))
        return {row.name: row.mention_count for row in rows}


async def test_deleting_memories_takes_their_names_and_ties_along(storage: Storage) -> None:
    """A name stays while a memory mentions it; nothing of a deleted memory is left in the graph."""
    async with storage.begin(ORG) as tx:
        stored = await tx.memories.add([new_memory(f"memory {n}", uid=f"m{n}") for n in range(3)])
        for memory, name in zip(stored, ("Ana", "ana", "Bea"), strict=True):
            await tx.graph.add(memory, tie(name))
    assert await names_in(storage) == {"user": 3, "Ana": 2, "Bea": 1}
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, ids=[stored[0].memory_id, stored[2].memory_id])
    assert await names_in(storage) == {"user": 1, "Ana": 1}
    async with storage.read(ORG) as snapshot:
        assert await snapshot.graph.relationships_of(ANNA) == [("user", "has_sister", "Ana")]
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE)
    assert await names_in(storage) == {}
    async with storage._backend.read(ORG.org_id) as connection:
        assert (await connection.execute(sa.select(relationships.c.relationship_id))).all() == []
