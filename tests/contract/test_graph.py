"""What the graph promises: names and ties rest on memories, and go with the last of them."""

import sqlalchemy as sa

from sagacity.domain.change import Candidate
from sagacity.domain.graph import EntityEdit, EntityMention, EntityType, RelationshipEdit, RelationshipMention
from sagacity.domain.memory import MemoryKind
from sagacity.storage.schema.tables import entities, relationships
from sagacity.storage.transaction import Storage
from support.graphs import one, speak, ties_of
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
    async with storage.backend.read(ORG.org_id) as connection:
        rows = await connection.execute(sa.select(entities.c.name, entities.c.mention_count))
        return {row.name: row.mention_count for row in rows}


async def test_deleting_memories_takes_their_names_and_relationships_along(storage: Storage) -> None:
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
        assert await ties_of(snapshot) == [("user", "has_sister", "Ana")]
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE)
    assert await names_in(storage) == {}
    async with storage.backend.read(ORG.org_id) as connection:
        assert (await connection.execute(sa.select(relationships.c.relationship_id))).all() == []


async def test_descriptions_that_a_deleted_memory_may_have_brought_go(storage: Storage) -> None:
    """Also while another memory says the name and the tie; what a person wrote stays, and so does what it spared."""
    ill = Candidate(
        kind=MemoryKind.PROFILE,
        content="My sister Lisa is ill.",
        evidence=(1,),
        entities=(EntityMention(name="Lisa", description="is ill"), EntityMention(name="Tom", description="a doctor")),
        relationships=(
            RelationshipMention(source="user", target="Lisa", relationship_type="has_sister", description="is ill"),
            RelationshipMention(source="Lisa", target="Tom", relationship_type="knows", description="treats her"),
        ),
    )  # fmt: skip
    calm = Candidate(
        kind=MemoryKind.PROFILE,
        content="I like Bonn.",
        evidence=(1,),
        entities=(EntityMention(name="Bonn", description="a town"),),
    )
    async with storage.begin(ORG) as tx:
        secret, kept = await tx.memories.add(
            [new_memory("My sister Lisa is ill."), new_memory("I like Bonn.")]
        )
        await tx.graph.add(secret, ill)
        await tx.graph.add(kept, calm)
        await speak(tx, "Lisa knows Tom.", "Lisa", "Tom", ties=(
            ("user", "has_sister", "Lisa", 0.8), ("Lisa", "knows", "Tom", 0.8),
        ))  # fmt: skip
        tom = await one(tx, "Tom")
        await tx.entities.update(ANNA, tom.entity_id, EntityEdit(description="my doctor"))
        [known] = (await tx.relationships.list_page(ANNA, relationship_type="knows"))[0]
        await tx.relationships.update(ANNA, known.relationship_id, RelationshipEdit(description="since 2020"))
    assert await descriptions(storage) == {
        "Lisa": "is ill", "Tom": "my doctor", "Bonn": "a town", "has_sister": "is ill", "knows": "since 2020",
    }  # fmt: skip
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, ids=[secret.memory_id])
    assert await descriptions(storage) == {
        "Lisa": "", "Tom": "my doctor", "Bonn": "a town", "has_sister": "", "knows": "since 2020",
    }  # fmt: skip
    async with storage.begin(ORG) as tx:
        await tx.graph.add(kept, ill)
    assert (await descriptions(storage))["Lisa"] == "is ill"


async def descriptions(storage: Storage) -> dict[str, str]:
    """What is said of each entity but the user, and of each tie."""
    async with storage.read(ORG) as snapshot:
        names, _ = await snapshot.entities.list_page(ANNA)
        ties, _ = await snapshot.relationships.list_page(ANNA)
    told = {entity.name: entity.description for entity in names if entity.name != "user"}
    return told | {tie.relationship_type: tie.description for tie in ties}


async def test_a_memory_takes_over_relationships(storage: Storage) -> None:
    """With the names at their ends, each counted once; they go with the last who says so."""
    async with storage.begin(ORG) as tx:
        first = await speak(tx, "Ana works at Siemens.", ties=(("Ana", "works_at", "Siemens", 0.8),))
        second = await speak(tx, "Bea knows Ana.", ties=(("Bea", "knows", "Ana", 0.8),))
        whole = await speak(tx, "All of it.", ties=(("Ana", "works_at", "Siemens", 0.8),))
        await tx.graph.take_over(whole, [first, second])
        await tx.graph.take_over(whole, [])
    assert await names_in(storage) == {"Ana": 3, "Siemens": 2, "Bea": 2}
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, ids=[first.memory_id, second.memory_id])
    assert await names_in(storage) == {"Ana": 1, "Siemens": 1, "Bea": 1}
    async with storage.read(ORG) as snapshot:
        ties = await ties_of(snapshot)
    assert ties == [("Ana", "works_at", "Siemens"), ("Bea", "knows", "Ana")]
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, ids=[whole.memory_id])
    assert await names_in(storage) == {}
