"""A person whom some memories call by the first name only is one entity, as long as that is certain."""

from itertools import count

import pytest

from sagacity.domain.change import Candidate
from sagacity.domain.graph import EntityEdit, EntityMention, EntityType, RelationshipMention
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.storage.transaction import Storage, Transaction
from support.graphs import one, ties_of
from support.parts import ANNA, BEN, ORG, new_memory

_uids = count(1)
RAJ, PATEL, KUMAR = "Raj", "Raj Patel", "Raj Kumar"


async def meet(
    tx: Transaction, *names: str, kind=EntityType.PERSON, user=ANNA, end: str = "", tie="knows"
) -> Memory:
    """Store a memory that speaks of people, the last of whom, or *end*, the user knows."""
    [memory] = await tx.memories.add([new_memory("Knows somebody.", user_id=user, uid=f"met-{next(_uids)}")])
    said = Candidate(
        kind=MemoryKind.PROFILE,
        content=memory.content,
        evidence=(1,),
        entities=tuple(EntityMention(name=name, entity_type=kind) for name in names),
        relationships=(RelationshipMention(source="user", target=end or names[-1], relationship_type=tie),),
    )
    await tx.graph.add(memory, said)
    return memory


async def people(tx: Transaction, user=ANNA) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Everybody but the user: how many memories mention them, and their other names."""
    found, _ = await tx.entities.list_page(user)
    return {it.name: (it.mention_count, it.aliases) for it in found if it.name != "user"}


@pytest.mark.parametrize("order", [(RAJ, PATEL), (PATEL, RAJ)])
async def test_a_first_name_means_the_only_one_who_has_it(storage: Storage, order) -> None:
    """Whichever is said first: one person under the full name, with the memories and relationships of both."""
    async with storage.begin(ORG) as tx:
        for name in (*order, *order):
            await meet(tx, name)
        assert await people(tx) == {PATEL: (4, (RAJ,))}
        assert (await one(tx, "raj")).name == PATEL
        assert await ties_of(tx) == [("user", "knows", PATEL)]


@pytest.mark.parametrize("order", [(PATEL, RAJ), (RAJ, PATEL), (PATEL,)])
async def test_two_who_have_it_stay_apart(storage: Storage, order) -> None:
    """A second full name is a second person; the first name then means neither, and what it meant before stays."""
    async with storage.begin(ORG) as tx:
        for name in (*order, KUMAR):
            await meet(tx, name)
        assert await people(tx) == {PATEL: (len(order), ()), KUMAR: (1, ())}
        await meet(tx, RAJ)
        await meet(tx, "Raj Singh")
        assert await people(tx) == {
            PATEL: (len(order), ()),
            KUMAR: (1, ()),
            RAJ: (1, ()),
            "Raj Singh": (1, ()),
        }


async def test_two_at_once_are_two(storage: Storage) -> None:
    """Also if the first name was known before."""
    async with storage.begin(ORG) as tx:
        await meet(tx, RAJ)
        await meet(tx, PATEL, KUMAR)
        assert await people(tx) == {PATEL: (1, ()), KUMAR: (1, ()), RAJ: (1, ())}


async def test_one_memory_may_use_both_names(storage: Storage) -> None:
    """A relationship of the first name alone is that of the person whom the memory names in full."""
    async with storage.begin(ORG) as tx:
        await meet(tx, PATEL, end=RAJ)
        await meet(tx, "Mia", "Mia Berg")
        assert await people(tx) == {PATEL: (1, (RAJ,)), "Mia Berg": (1, ("Mia",))}
        assert sorted(await ties_of(tx)) == [("user", "knows", "Mia Berg"), ("user", "knows", PATEL)]


@pytest.mark.parametrize("order", [("Tom", "Tom Berg"), ("Tom Berg", "Tom")])
async def test_different_things_to_the_user_are_different_people(storage: Storage, order) -> None:
    """The brother Tom is not the colleague Tom Berg; whoever is only known may be either."""
    async with storage.begin(ORG) as tx:
        for name in order:
            await meet(tx, name, tie="has_brother" if name == "Tom" else "works_with")
        assert await people(tx) == {"Tom": (1, ()), "Tom Berg": (1, ())}
        await meet(tx, PATEL, tie="works_with")
        await meet(tx, RAJ)
        await meet(tx, RAJ, tie="works_with")
        assert (await people(tx))[PATEL] == (3, (RAJ,))


async def test_what_is_uncertain_stays_apart(storage: Storage) -> None:
    """Of another type, a kind of relative, the user's own name, whom a person edited, and what belongs to others."""
    async with storage.begin(ORG) as tx:
        await meet(tx, "Paris Hilton")
        await meet(tx, "Paris", kind=EntityType.LOCATION)
        await meet(tx, "Uncle Bob")
        await meet(tx, "uncle")
        await tx.graph.call_user(await meet(tx, "Tom"), "Ana Diaz")
        await meet(tx, "Ana")
        await meet(tx, PATEL)
        await tx.entities.update(ANNA, (await one(tx, PATEL)).entity_id, EntityEdit(description="my boss"))
        await meet(tx, RAJ)
        assert set(await people(tx)) == {
            "Paris Hilton",
            "Paris",
            "Uncle Bob",
            "uncle",
            "Tom",
            "Ana",
            PATEL,
            RAJ,
        }
        await meet(tx, "Paris", user=BEN)
        assert set(await people(tx, BEN)) == {"Paris"}


async def test_the_first_name_goes_with_the_memory_that_gave_it(storage: Storage) -> None:
    """The person stays as long as a memory speaks of them, and the name is learned again."""
    async with storage.begin(ORG) as tx:
        await meet(tx, PATEL)
        bare = await meet(tx, RAJ)
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, ids=[bare.memory_id])
        assert await people(tx) == {PATEL: (1, ())}
        assert await tx.graph.find(ANNA, [RAJ]) == []
        await meet(tx, RAJ)
        assert await people(tx) == {PATEL: (2, (RAJ,))}
        await tx.memories.delete(MemoryKind.PROFILE)
        assert await people(tx) == {}


async def test_a_long_list_of_people_is_only_stored(storage: Storage) -> None:
    """A model that goes on and on breaks nothing."""
    names = [f"Person{number:04} Berg" for number in range(1_200)]
    async with storage.begin(ORG) as tx:
        await meet(tx, *names)
        _, total = await tx.entities.list_page(ANNA)
    assert total == len(names) + 1
