"""Entities of a context: those that the question names, with their ties, of this user only."""

from sagacity.domain.context import KnownEntity
from sagacity.domain.graph import EntityType, NewEntity, NewRelationship
from sagacity.retrieval.known import MOST_TIES, known_entities
from sagacity.storage.transaction import Storage
from support.parts import ANNA, BEN, ORG, OTHER_ORG, said


async def furnish(storage: Storage, org, user_id) -> int:
    """Sarah, who is a nurse, is married to the user and works at Acme; returns her number."""
    await storage.append(org, said("hello", user_id=user_id, request_id=f"{org.org_id}-{user_id}"))
    async with storage.begin(org) as transaction:
        sarah = await transaction.entities.add(
            user_id,
            NewEntity(name="Sarah", entity_type=EntityType.PERSON, description="a nurse", aliases=("Sally",)),
        )
        acme = await transaction.entities.add(user_id, NewEntity(name="Acme"))
        me = await transaction.entities.add(user_id, NewEntity(name="user"))
        for source, word, target in ((sarah, "works_at", acme), (me, "married_to", sarah)):
            tie = NewRelationship(
                source_entity_id=source.entity_id, target_entity_id=target.entity_id, relationship_type=word
            )
            await transaction.relationships.add(user_id, tie)
    return sarah.entity_id


async def known(storage: Storage, question: str, *, org=ORG, user_id=ANNA) -> list[KnownEntity]:
    async with storage.read(org, user_id=user_id) as snapshot:
        return await known_entities(snapshot, user_id, question)


async def test_a_name_in_the_question_brings_its_entity_and_ties(storage):
    """By its name or another of its names; ties read from either end."""
    number = await furnish(storage, ORG, ANNA)
    for question in ("Where does Sarah work?", "what does sally do"):
        assert await known(storage, question) == [
            KnownEntity(
                entity_id=number,
                name="Sarah",
                entity_type="person",
                details=("a nurse", "works at Acme", "user married to Sarah"),
            )
        ]


async def test_what_has_no_type_and_is_not_named_is_left_out(storage):
    """A type that says nothing is not shown; the user's own node never is."""
    await furnish(storage, ORG, ANNA)
    [acme] = await known(storage, "Who is the user at Acme?")
    assert (acme.name, acme.entity_type, acme.details) == ("Acme", "", ("Sarah works at Acme",))
    assert await known(storage, "Who works with Bob?") == []
    assert await known(storage, "?!") == []


async def test_other_users_and_organisations_have_their_own(storage):
    """The same name is another one's."""
    await furnish(storage, ORG, ANNA)
    assert await known(storage, "Sarah", user_id=BEN) == []
    assert await known(storage, "Sarah", org=OTHER_ORG) == []


async def test_as_of_tells_what_was_known_then(storage, clock):
    """Neither a name nor a tie that came later."""
    await furnish(storage, ORG, ANNA)
    then = clock.now()
    clock.advance(60)
    async with storage.begin(ORG) as transaction:
        [sarah] = await transaction.graph.find(ANNA, ["sarah"])
        tom = await transaction.entities.add(ANNA, NewEntity(name="Tom"))
        tie = NewRelationship(
            source_entity_id=sarah.entity_id, target_entity_id=tom.entity_id, relationship_type="knows"
        )
        await transaction.relationships.add(ANNA, tie)
    async with storage.read(ORG, user_id=ANNA) as snapshot:
        [before] = await known_entities(snapshot, ANNA, "Do Sarah and Tom meet?", as_of=then)
        after = await known_entities(snapshot, ANNA, "Do Sarah and Tom meet?", as_of=clock.now())
    assert before.details == ("a nurse", "works at Acme", "user married to Sarah")
    assert {one.name for one in after} == {"Sarah", "Tom"}
    assert any("knows Tom" in one.details for one in after)


async def test_only_the_surest_ties_are_told(storage):
    """An entity that is tied to everything does not fill the section."""
    await storage.append(ORG, said("hello"))
    async with storage.begin(ORG) as transaction:
        hub = await transaction.entities.add(ANNA, NewEntity(name="Hub"))
        for n in range(20):
            spoke = await transaction.entities.add(ANNA, NewEntity(name=f"Spoke {n}"))
            tie = NewRelationship(
                source_entity_id=hub.entity_id,
                target_entity_id=spoke.entity_id,
                relationship_type="leads",
                confidence=n / 20,
            )
            await transaction.relationships.add(ANNA, tie)
    [found] = await known(storage, "Hub")
    assert found.details == tuple(f"leads Spoke {n}" for n in range(19, 19 - MOST_TIES, -1))
