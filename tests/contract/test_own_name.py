"""The user's own name is an alias of the user's node."""

import pytest

from sagacity.domain.change import Candidate
from sagacity.domain.graph import (
    NAME_SLOT,
    USER,
    EntityEdit,
    EntityMention,
    EntityType,
    NewEntity,
    RelationshipMention,
)
from sagacity.domain.ids import UserId
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.learning.writing.own_name import own_name
from sagacity.storage.transaction import Storage, Transaction
from support.graphs import one, speak, ties_of
from support.parts import ANNA, BEN, ORG

PRIYA = "Priya Sharma"


def named(content: str, *people: str, **fields) -> Candidate:
    mentions = tuple(EntityMention(name=name, entity_type=EntityType.PERSON) for name in people)
    return Candidate(
        kind=MemoryKind.PROFILE,
        content=content,
        slot=NAME_SLOT,
        evidence=(1,),
        entities=mentions,
        **fields,
    )


SAID = {
    "by rules": (named("Name is Priya Sharma."), PRIYA),
    "by a model": (named("The user introduced herself as Priya Sharma.", "user", PRIYA), PRIYA),
    "in German": (named("Heißt Priya Sharma."), PRIYA),
    "and more": (named("Name is Priya Sharma, from Pune."), PRIYA),
    "of two people": (named("User's name is Priya, as is Priya Rao's.", "Priya", "Priya Rao"), ""),
    "by an agent only": (named("Name is Priya Sharma.", is_unconfirmed=True), ""),
    "to the contrary": (named("Name is not Priya Sharma.", negates=True), ""),
    "of something else": (named("Lives in Pune.").model_copy(update={"slot": "location.home"}), ""),
}


@pytest.mark.parametrize(("candidate", "name"), SAID.values(), ids=SAID)
def test_what_a_fact_says_the_name_is(candidate: Candidate, name: str) -> None:
    assert own_name(candidate) == name


async def introduce(tx: Transaction, name: str = PRIYA, user: UserId = ANNA) -> Memory:
    memory = await speak(tx, f"Name is {name}.", user=user)
    await tx.graph.call_user(memory, name)
    return memory


async def test_the_name_leads_to_the_user(storage: Storage) -> None:
    """In what is said afterwards, too; of each user of the name to that user."""
    async with storage.begin(ORG) as tx:
        for user, city in ((ANNA, "Pune"), (BEN, "Delhi")):
            await introduce(tx, user=user)
            await speak(tx, "Lives there.", ties=(("priya sharma", "lives_in", city, 0.9),), user=user)
            found = await one(tx, "PRIYA SHARMA", user)
            assert (found.normalized_name, found.aliases) == (USER, (PRIYA,))
            assert await ties_of(tx, user) == [("user", "lives_in", city)]


async def test_who_was_taken_for_another_is_the_user(storage: Storage) -> None:
    """What was said of the full name before is said of the user, and nobody of that name is left."""
    async with storage.begin(ORG) as tx:
        await speak(tx, "Works.", ties=((PRIYA, "works_at", "Acme", 0.9), ("user", "knows", "Tom", 0.8)))
        await introduce(tx)
        assert await ties_of(tx) == [("user", "works_at", "Acme"), ("user", "knows", "Tom")]
        names, _ = await tx.entities.list_page(ANNA)
    assert {entity.name for entity in names} == {"user", "Acme", "Tom"}


async def test_a_friend_of_the_same_first_name_stays(storage: Storage) -> None:
    """And so does whom a person has written."""
    async with storage.begin(ORG) as tx:
        await speak(tx, "Knows Priya.", ties=(("user", "knows", "Priya", 0.9),))
        await introduce(tx, "Priya")
        assert (await one(tx, "Priya")).normalized_name == "priya"
        await tx.entities.add(ANNA, NewEntity(name=PRIYA))
        await introduce(tx)
        assert (await one(tx, PRIYA)).normalized_name == "priya sharma"
        assert (await one(tx, USER)).aliases == ()


async def test_the_name_goes_with_the_memory_that_says_it(storage: Storage) -> None:
    """Nothing of it is left on the user's node; an alias that a person gave stays."""
    async with storage.begin(ORG) as tx:
        memory = await introduce(tx)
        await speak(tx, "Knows Tom.", ties=(("user", "knows", "Tom", 0.9),))
        me = await one(tx, USER)
        await tx.entities.update(ANNA, me.entity_id, EntityEdit(aliases=(PRIYA, "boss")))
        second = await introduce(tx, "Priya Rao")
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, ids=[memory.memory_id, second.memory_id])
        assert (await one(tx, "user")).aliases == (PRIYA, "boss")
        assert await tx.graph.find(ANNA, ["Priya Rao"]) == []


async def test_the_same_name_again_changes_nothing(storage: Storage) -> None:
    """Also with a relationship to themself, which is none."""
    async with storage.begin(ORG) as tx:
        memory = await introduce(tx)
        await introduce(tx)
        tie = RelationshipMention(source="user", target=PRIYA, relationship_type="is")
        said = Candidate(kind=MemoryKind.PROFILE, content="Is her.", evidence=(1,), relationships=(tie,))
        await tx.graph.add(memory, said)
        assert await ties_of(tx) == []
        assert (await one(tx, USER)).aliases == (PRIYA,)
