"""Entities of a context: those that the question names, with their ties, of this user only."""

from datetime import timedelta

import pytest

from sagacity.domain.context import KnownEntity
from sagacity.domain.graph import EntityType, NewEntity, NewRelationship, RelationshipEdit
from sagacity.domain.memory import Approval, Memory, Status
from sagacity.retrieval.context.known_entities import MAX_RELATIONSHIPS, known_entities
from sagacity.storage.transaction import Storage
from support.graphs import speak
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, said

LATER, BEFORE = START + timedelta(days=1), START - timedelta(days=1)


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


async def known(storage: Storage, question: str, *, org=ORG, user_id=ANNA, as_of=None) -> list[KnownEntity]:
    async with storage.read(org, user_id=user_id) as snapshot:
        return await known_entities(snapshot, user_id, question, as_of=as_of)


async def told(storage: Storage, **fields) -> tuple[str, ...]:
    """What is told of Lisa."""
    [lisa] = await known(storage, "Where does Lisa work?", **fields)
    return lisa.details


async def working_at(storage: Storage, *places: str, **changed) -> list[Memory]:
    """Lisa works at each of *places*, as memories say that are *changed* since."""
    async with storage.begin(ORG) as tx:
        spoken = [
            await speak(tx, f"Lisa works at {place}.", ties=(("Lisa", "works_at", place, 0.8),))
            for place in places
        ]
        await tx.memories.save([memory.model_copy(update=changed) for memory in spoken])
        return spoken


async def test_a_name_in_the_question_brings_its_entity_and_relationships(storage):
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


async def test_only_the_surest_relationships_are_told(storage):
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
    assert found.details == tuple(f"leads Spoke {n}" for n in range(19, 19 - MAX_RELATIONSHIPS, -1))


@pytest.mark.parametrize(
    "changed",
    [
        {"status": Status.ARCHIVED},
        {"status": Status.ARCHIVE_IN_PROGRESS},
        {"status": Status.PENDING},
        {"expires_at": BEFORE},
        {"valid_to": BEFORE},
        {"approval": Approval.REJECTED},
    ],
    ids=lambda changed: next(iter(changed)) + "-" + str(next(iter(changed.values()))),
)
async def test_relationships_that_no_served_memory_says_are_not_told(storage, changed):
    """What was replaced, is not accepted yet, ran out or was refused is no fact; another memory may say it still."""
    await working_at(storage, "Acme")
    await working_at(storage, "Globex", "Acme", **changed)
    assert await told(storage) == ("works at Acme",)


async def test_relationships_that_hold_for_now_are_told(storage):
    """Until the moment when they end."""
    await working_at(storage, "Acme", expires_at=LATER, valid_to=LATER)
    assert await told(storage) == ("works at Acme",)
    assert await told(storage, as_of=LATER) == ()


async def test_relationships_written_by_hand_are_told_whatever_memories_say(storage):
    """A person who edited a tie stands by it."""
    await working_at(storage, "Acme", "Globex", status=Status.ARCHIVED)
    assert await told(storage) == ()
    async with storage.begin(ORG) as tx:
        ties, _ = await tx.relationships.list_page(ANNA, with_ended=True)
        [acme] = [tie for tie in ties if tie.target_name == "Acme"]
        await tx.relationships.update(ANNA, acme.relationship_id, RelationshipEdit(confidence=0.9))
    assert await told(storage) == ("works at Acme",)


async def test_as_of_tells_relationships_that_held_then(storage, clock):
    """A memory put away later held; one that came later, or had run out by then, did not."""
    [old] = await working_at(storage, "Acme")
    await working_at(storage, "Initech", expires_at=BEFORE)
    then = clock.now()
    clock.advance(60)
    async with storage.begin(ORG) as tx:
        await tx.memories.save([old.model_copy(update={"status": Status.ARCHIVED, "valid_to": BEFORE})])
    await working_at(storage, "Globex", created_at=clock.now())
    assert await told(storage, as_of=then) == ("works at Acme",)
    assert await told(storage, as_of=clock.now()) == await told(storage) == ("works at Globex",)


async def test_relationships_that_no_longer_hold_take_no_place(storage):
    """However sure they were, and however many: the surest of the others are told."""
    async with storage.begin(ORG) as tx:
        gone = [
            await speak(tx, f"Hub leads Old {n}.", ties=(("Hub", "leads", f"Old {n}", 1.0),))
            for n in range(MAX_RELATIONSHIPS)
        ]
        await tx.memories.save([one.model_copy(update={"status": Status.ARCHIVED}) for one in gone])
        await speak(tx, "Hub leads New.", ties=(("Hub", "leads", "New", 0.1),))
    [hub] = await known(storage, "Hub")
    assert hub.details == ("leads New",)
