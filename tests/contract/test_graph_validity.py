"""Relationships hold as long as a memory says so."""

from datetime import timedelta

import pytest

from sagacity.domain.change import Candidate
from sagacity.domain.graph import EntityEdit, EntityMention, Relationship, RelationshipEdit
from sagacity.domain.memory import Approval, Attributes, Memory, MemoryKind, Status
from sagacity.storage.transaction import Storage, Transaction
from support.graphs import one, speak, ties_of
from support.parts import ANNA, ORG, StoppedClock

pytestmark = pytest.mark.either_database

AUSTIN, BERLIN = ("user", "lives_in", "Austin"), ("user", "lives_in", "Berlin")
ENDS = {
    "replaced": {"status": Status.ARCHIVED},
    "expired": {"expires_at": StoppedClock().now() + timedelta(hours=1)},
    "ended": {"valid_to": StoppedClock().now() + timedelta(hours=1)},
    "of a version to come": {"status": Status.PENDING},
    "rejected": {"approval": Approval.REJECTED},
    "unconfirmed": {"attributes": Attributes(is_unconfirmed=True)},
}


async def at_home(storage: Storage) -> tuple[Memory, Memory]:
    """A user who lives in Austin, which is in Texas, and in Berlin: what says so of Austin, and of Berlin."""
    async with storage.begin(ORG) as tx:
        austin = await speak(tx, "Lives in Austin.", ties=((*AUSTIN, 0.9),))
        await speak(tx, "Austin is in Texas.", ties=(("Austin", "located_in", "Texas", 0.9),))
        berlin = await speak(tx, "Lives in Berlin.", ties=((*BERLIN, 0.8),))
    return austin, berlin


async def change(storage: Storage, memory: Memory, **fields) -> None:
    async with storage.begin(ORG) as tx:
        await tx.memories.save([(await tx.memories.get(memory.memory_id)).model_copy(update=fields)])


async def listed(storage: Storage, **wanted) -> dict[str, Relationship]:
    """What ties the user to places, by place; the total is that of the list."""
    async with storage.read(ORG) as snapshot:
        found, total = await snapshot.relationships.list_page(ANNA, relationship_type="lives_in", **wanted)
    assert total == len(found)
    return {tie.target_name: tie for tie in found}


@pytest.mark.parametrize("fields", ENDS.values(), ids=ENDS)
async def test_relationship_ends_with_its_memory(storage: Storage, clock: StoppedClock, fields) -> None:
    """In lists, drawings and walks; and holds again when the memory does."""
    austin, _ = await at_home(storage)
    await change(storage, austin, **fields)
    clock.advance(3600 * 2)
    assert list(await listed(storage)) == ["Berlin"]
    async with storage.read(ORG) as snapshot:
        me, there = await one(snapshot, "user"), await one(snapshot, "Austin")
        drawn = await snapshot.relationships.around(ANNA, me.entity_id, depth=2)
        near = await snapshot.graph.memories_around(ANNA, [me.entity_id])
        then = await snapshot.graph.memories_around(ANNA, [me.entity_id], statuses=())
        told = await snapshot.relationships.of_entities(ANNA, [there.entity_id], limit=9)
    assert {tie.target_name for tie in drawn.relationships} == {"Berlin"}
    texas = {one.memory_id for one in then} - {one.memory_id for one in near}
    assert texas, "what is known of Texas is reached through Austin only where history is asked for"
    assert [tie.target_name for tie in told[there.entity_id]] == ["Texas"]
    await change(storage, austin, **{name: getattr(austin, name) for name in fields})
    assert set(await listed(storage)) == {"Austin", "Berlin"}


async def test_ended_relationships_are_listed_with_their_dates(storage: Storage, clock: StoppedClock) -> None:
    """From the first memory that says so to the last; what was never in force is not among them."""
    austin, berlin = await at_home(storage)
    began, moved = clock.now() - timedelta(days=900), clock.now() - timedelta(days=30)
    await change(storage, austin, valid_from=began, valid_to=moved, status=Status.ARCHIVED)
    await change(storage, berlin, valid_from=moved)
    async with storage.begin(ORG) as tx:
        guess = await speak(tx, "Lives in Rome.", ties=(("user", "lives_in", "Rome", 0.8),))
    await change(storage, guess, attributes=Attributes(is_unconfirmed=True))
    ties = await listed(storage, with_ended=True)
    assert {name: (tie.valid_from, tie.valid_to) for name, tie in ties.items()} == {
        "Austin": (began, moved),
        "Berlin": (moved, None),
    }
    async with storage.begin(ORG) as tx:
        await speak(tx, "Is back in Austin.", ties=((*AUSTIN, 0.9),))
    again = (await listed(storage))["Austin"]
    assert (again.valid_from, again.valid_to) == (began, None)


async def test_a_relationship_that_a_person_wrote_has_no_end(storage: Storage, clock: StoppedClock) -> None:
    """Whatever becomes of the memories that say so too."""
    austin, _ = await at_home(storage)
    tie = (await listed(storage))["Austin"]
    async with storage.begin(ORG) as tx:
        await tx.relationships.update(ANNA, tie.relationship_id, RelationshipEdit(description="at heart"))
    await change(storage, austin, status=Status.ARCHIVED)
    kept = (await listed(storage))["Austin"]
    assert (kept.description, kept.valid_to) == ("at heart", None)
    async with storage.read(ORG) as snapshot:
        assert AUSTIN in await ties_of(snapshot)


async def test_descriptions_follow_what_is_in_force(storage: Storage, clock: StoppedClock) -> None:
    """They come from the newest memory that holds; a person's stays."""
    async with storage.begin(ORG) as tx:
        home = await describe(tx, "Lives in Austin.", Austin="city where the user lives")
        await describe(tx, "Works in Austin.", Austin="")
        assert (await one(tx, "Austin")).description == "city where the user lives"
    await change(storage, home, status=Status.ARCHIVED)
    async with storage.begin(ORG) as tx:
        assert (await one(tx, "Austin")).description == ""
        clock.advance(60)
        await describe(tx, "Has an office in Austin.", Austin="where the user's office is")
        austin = await one(tx, "Austin")
        assert austin.description == "where the user's office is"
        shown, _ = await tx.entities.list_page(ANNA, query="austin")
        assert [entity.description for entity in shown] == [austin.description]
        await tx.entities.update(ANNA, austin.entity_id, EntityEdit(description="keep it weird"))
        await describe(tx, "Left Austin.", Austin="a city in Texas")
        assert (await one(tx, "Austin")).description == "keep it weird"


async def describe(tx: Transaction, text: str, **names: str) -> Memory:
    """Store a memory that says something of names."""
    memory = await speak(tx, text)
    mentions = tuple(EntityMention(name=name, description=told) for name, told in names.items())
    await tx.graph.add(
        memory, Candidate(kind=MemoryKind.PROFILE, content=text, evidence=(1,), entities=mentions)
    )
    return memory
