"""What entities and ties promise: each name leads to one, merges lose nothing, nobody else's are touched."""

import itertools

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.errors import Conflict, InvalidInput, NotFound
from sagacity.domain.graph import (
    EntityEdit,
    EntityType,
    NewEntity,
    NewRelationship,
    RelationshipEdit,
    normalized,
)
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.storage.schema.tables import entities, entity_names, relationships
from sagacity.storage.transaction import Storage
from support.graphs import one, speak
from support.parts import ANNA, BEN, ORG, OTHER_ORG


async def test_entity_made_by_hand_is_found_by_each_of_its_names(storage: Storage) -> None:
    """In any case and spacing; a memory that says an alias speaks of it, and takes nothing of it along."""
    new = NewEntity(
        name=" Robert\n Koch ",
        entity_type=EntityType.PERSON,
        aliases=("Bob", "bob", "Rob K."),
        attributes={"a": [1]},
    )
    async with storage.begin(ORG) as tx:
        made = await tx.entities.add(ANNA, new)
        assert (made.name, made.aliases, made.attributes) == ("Robert Koch", ("Bob", "Rob K."), {"a": [1]})
        memory = await speak(tx, "Bob sings", "BOB")
    async with storage.begin(ORG) as tx:
        for name in ("robert  KOCH", "bob", "rob k."):
            assert (await one(tx, name)).entity_id == made.entity_id
        seen = await tx.entities.get(ANNA, made.entity_id)
        assert (seen.mention_count, seen.source_memory_ids) == (1, (memory.uid,))
        assert seen.last_mentioned_at is not None
        await tx.memories.delete(MemoryKind.PROFILE, ids=[memory.memory_id])
        assert (await tx.entities.get(ANNA, made.entity_id)).mention_count == 0


async def test_edit_keeps_former_name_as_alias_and_refuses_names_of_others(storage: Storage) -> None:
    """A renamed entity is still found by what it was called; two never share a name."""
    async with storage.begin(ORG) as tx:
        await speak(tx, "Ana and Bea", "Ana", "Bea")
        ana = await one(tx, "ana")
        edit = EntityEdit(name="Anna-Lena", description="a sister", entity_type=EntityType.PERSON)
        changed = await tx.entities.update(ANNA, ana.entity_id, edit)
    assert (changed.name, changed.aliases, changed.description) == ("Anna-Lena", ("Ana",), "a sister")
    assert changed.entity_type is EntityType.PERSON
    async with storage.begin(ORG) as tx:
        assert (await one(tx, "Ana")).entity_id == ana.entity_id
        for wrong in (EntityEdit(name="bea"), EntityEdit(aliases=("x", "BEA"))):
            with pytest.raises(Conflict, match="merge the two"):
                await tx.entities.update(ANNA, ana.entity_id, wrong)
        with pytest.raises(Conflict):
            await tx.entities.add(ANNA, NewEntity(name="New", aliases=("ana",)))
        only = await tx.entities.update(ANNA, ana.entity_id, EntityEdit(aliases=()))
        assert only.aliases == ()
        assert await tx.graph.find(ANNA, ["Ana"]) == []


async def test_own_node_keeps_its_name(storage: Storage) -> None:
    """The user's own node is not renamed, not merged away, and no other takes its name; it may have aliases."""
    async with storage.begin(ORG) as tx:
        await speak(tx, "Ana", ties=(("user", "sister_of", "Ana", 0.8),))
        me, ana = await one(tx, "user"), await one(tx, "Ana")
        for wrong in (
            tx.entities.update(ANNA, me.entity_id, EntityEdit(name="Anna")),
            tx.entities.update(ANNA, ana.entity_id, EntityEdit(aliases=("User",))),
            tx.entities.merge(ANNA, ana.entity_id, [me.entity_id]),
        ):
            with pytest.raises(InvalidInput):
                await wrong
        called = await tx.entities.update(ANNA, me.entity_id, EntityEdit(aliases=("Anna Schmidt",)))
        assert (await one(tx, "anna schmidt")).entity_id == called.entity_id == me.entity_id


async def test_lists_are_pages_by_type_and_part_of_a_name(storage: Storage) -> None:
    """Most mentioned first; wildcards of the database are plain characters."""
    async with storage.begin(ORG) as tx:
        for number in range(3):
            await speak(tx, f"m{number}", *["Ana", "Anders", "100%_a"][: number + 1])
        await tx.entities.add(
            ANNA, NewEntity(name="Oslo", entity_type=EntityType.LOCATION, aliases=("Christiania",))
        )
        await speak(tx, "Ben's", "Anker", user=BEN)
    async with storage.read(ORG) as snapshot:
        page = snapshot.entities.list_page
        assert [(e.name, e.mention_count) for e in (await page(ANNA))[0]] == [
            ("Ana", 3), ("Anders", 2), ("100%_a", 1), ("Oslo", 0),
        ]  # fmt: skip
        found, total = await page(ANNA, query="AN", limit=1, offset=1)
        assert ([e.name for e in found], total) == (["Anders"], 3)
        assert [e.name for e in (await page(ANNA, query="%"))[0]] == ["100%_a"]
        assert [e.name for e in (await page(ANNA, query="_"))[0]] == ["100%_a"]
        assert [e.name for e in (await page(ANNA, query="ristia"))[0]] == ["Oslo"]
        assert [e.name for e in (await page(ANNA, entity_type=EntityType.LOCATION))[0]] == ["Oslo"]


Ties = list[tuple[int, str, int, float]]
NAMES = ["A", "B", "C", "D", "E", "F"]
GRAPHS = st.tuples(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.sampled_from(["knows", "likes"]),
            st.integers(0, 5),
            st.sampled_from([0.2, 0.5, 0.9]),
        ),
        max_size=8,
    ),
    st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=3), min_size=1, max_size=6),
    st.permutations([1, 2, 3]),
)
_runs = itertools.count(1)


@pytest.mark.one_database
@given(drawn=GRAPHS)
async def test_merges_lose_nothing_in_any_order(storage: Storage, drawn) -> None:
    """All at once or one by one in any order: every name and memory kept, ties united, the surest confidence."""
    ties, mentions, order = drawn
    outcomes = []
    for way in ("at once", "one by one"):
        user = f"user-{next(_runs)}"
        async with storage.begin(ORG) as tx:
            kept = [
                await speak(tx, f"m{number}", *(NAMES[n] for n in sorted(names)), user=user)
                for number, names in enumerate(mentions)
            ]
            for a, word, b, sure in ties:
                kept.append(await speak(tx, "tie", ties=((NAMES[a], word, NAMES[b], sure),), user=user))
            known = {
                name: found[0].entity_id for name in NAMES if (found := await tx.graph.find(user, [name]))
            }
            group = [known[NAMES[number]] for number in order if NAMES[number] in known]
            into = known.get("A")
            if into is None or not group:
                return
            if way == "at once":
                await tx.entities.merge(user, into, group)
            else:
                for number in group:
                    await tx.entities.merge(user, into, [number])
            merged = await tx.entities.get(user, into)
            found, _ = await tx.relationships.list_page(user, limit=99)
            outcomes.append(
                (
                    merged.mention_count,
                    {normalized(name) for name in (merged.name, *merged.aliases)},
                    {kept_uid(kept, uid) for uid in merged.source_memory_ids},
                    {(t.source_name, t.relationship_type, t.target_name, t.confidence) for t in found},
                )
            )
            for name in ("A", *(NAMES[number] for number in order)):
                if name in known:
                    assert (await one(tx, name, user)).entity_id == into
    same = {"A", *(NAMES[number] for number in order)}
    rename = {name: "A" if name in same else name for name in NAMES}
    surest: dict[tuple[str, str, str], float] = {}
    for a, word, b, sure in ties:
        key = (rename[NAMES[a]], word, rename[NAMES[b]])
        if key[0] != key[2]:
            surest[key] = max(sure, surest.get(key, 0.0))
    speaking = {n for n, names in enumerate(mentions) if same & {NAMES[m] for m in names}}
    speaking |= {len(mentions) + n for n, (a, _, b, _) in enumerate(ties) if same & {NAMES[a], NAMES[b]}}
    for count, names, sources, united in outcomes:
        assert count == len(speaking) == len(sources)
        assert sources == speaking
        assert names == {normalized(name) for name in same if name in known}
        assert united == {(*key, sure) for key, sure in surest.items()}


def kept_uid(kept: list[Memory], uid: str) -> int:
    return next(number for number, memory in enumerate(kept) if memory.uid == uid)


async def test_merge_fills_in_what_was_not_known(storage: Storage) -> None:
    """Own attributes, type and description stay; what is missing comes from the others."""
    async with storage.begin(ORG) as tx:
        first = await tx.entities.add(ANNA, NewEntity(name="Bob", attributes={"born": 1980, "x": 1}))
        second = await tx.entities.add(
            ANNA,
            NewEntity(
                name="Robert",
                entity_type=EntityType.PERSON,
                description="a friend",
                attributes={"x": 2, "y": 3},
            ),
        )
        merged = await tx.entities.merge(ANNA, first.entity_id, [second.entity_id, first.entity_id])
        assert merged.attributes == {"born": 1980, "x": 1, "y": 3}
        assert (merged.entity_type, merged.description) == (EntityType.PERSON, "a friend")
        with pytest.raises(NotFound):
            await tx.entities.get(ANNA, second.entity_id)
        with pytest.raises(InvalidInput, match="at least one"):
            await tx.entities.merge(ANNA, first.entity_id, [first.entity_id])


async def test_tie_rests_on_all_its_memories_and_goes_with_the_last(storage: Storage) -> None:
    """Said twice it is one, as sure as the surer; one that was edited stays."""
    async with storage.begin(ORG) as tx:
        first = await speak(tx, "a", ties=(("Ana", "works at", "Siemens", 0.5),))
        second = await speak(tx, "b", ties=(("ana", "works_at", "SIEMENS", 0.9),))
        [tie], _ = await tx.relationships.list_page(ANNA)
        assert (tie.source_name, tie.relationship_type, tie.target_name) == ("Ana", "works_at", "Siemens")
        assert tie.confidence == pytest.approx(0.9)
        got = await tx.relationships.get(ANNA, tie.relationship_id)
        assert got.source_memory_ids == (second.uid, first.uid)
        await tx.memories.delete(MemoryKind.PROFILE, ids=[first.memory_id])
        assert (await tx.relationships.list_page(ANNA))[1] == 1
        await tx.memories.delete(MemoryKind.PROFILE, ids=[second.memory_id])
        assert (await tx.relationships.list_page(ANNA))[1] == 0
        assert (await tx.entities.list_page(ANNA))[1] == 0


async def test_relationships_are_added_and_edited_by_a_person(storage: Storage) -> None:
    """Made once, kept with their ends while no memory says so; words are written one way."""
    async with storage.begin(ORG) as tx:
        memory = await speak(tx, "a", "Ana", "Oslo")
        ana, oslo = await one(tx, "Ana"), await one(tx, "Oslo")
        new = NewRelationship(
            source_entity_id=ana.entity_id, target_entity_id=oslo.entity_id, relationship_type="Lives in"
        )
        tie = await tx.relationships.add(ANNA, new)
        assert (tie.relationship_type, tie.confidence) == ("lives_in", 1.0)
        with pytest.raises(Conflict):
            await tx.relationships.add(ANNA, new)
        with pytest.raises(InvalidInput, match="both ids are the same"):
            await tx.relationships.add(ANNA, new.model_copy(update={"target_entity_id": ana.entity_id}))
        with pytest.raises(InvalidInput, match="letter or digit"):
            await tx.relationships.add(ANNA, new.model_copy(update={"relationship_type": ""}))
        edit = RelationshipEdit(relationship_type="visited", confidence=0.25, is_bidirectional=True)
        changed = await tx.relationships.update(ANNA, tie.relationship_id, edit)
        assert (changed.relationship_type, changed.confidence, changed.is_bidirectional) == (
            "visited",
            0.25,
            True,
        )
        again = await tx.relationships.add(ANNA, new)
        with pytest.raises(Conflict):
            await tx.relationships.update(
                ANNA, again.relationship_id, RelationshipEdit(relationship_type="visited")
            )
        await tx.memories.delete(MemoryKind.PROFILE, ids=[memory.memory_id])
        assert (await tx.relationships.list_page(ANNA, entity_id=oslo.entity_id))[1] == 2
        await tx.relationships.delete(ANNA, tie.relationship_id)
        await tx.entities.delete(ANNA, oslo.entity_id)
        assert (await tx.relationships.list_page(ANNA))[1] == 0
        assert [e.name for e in (await tx.entities.list_page(ANNA))[0]] == ["Ana"]


async def test_surroundings_show_the_own_node_and_do_not_lead_through_it(storage: Storage) -> None:
    """Around Ana: her employer, its city two steps away, and the user whose sister she is; not the user's friend."""
    async with storage.begin(ORG) as tx:
        ties = (
            ("user", "sister_of", "Ana", 0.8), ("Ana", "works_at", "Siemens", 0.8),
            ("Siemens", "located_in", "Berlin", 0.8), ("user", "friend_of", "Cem", 0.8),
        )  # fmt: skip
        await speak(tx, "all", ties=ties)
        ana = await one(tx, "Ana")
        near = await tx.relationships.around(ANNA, ana.entity_id, depth=1)
        far = await tx.relationships.around(ANNA, ana.entity_id, depth=2)
    assert [e.name for e in near.entities] == ["Ana", "Siemens", "user"]
    assert [e.name for e in far.entities] == ["Ana", "Siemens", "Berlin", "user"]
    assert {t.relationship_type for t in far.relationships} == {"sister_of", "works_at", "located_in"}


async def test_nobody_reaches_what_is_anothers(storage: Storage) -> None:
    """Another user's and another organisation's numbers are not found, for every call, and nothing changes."""
    async with storage.begin(ORG) as tx:
        await speak(tx, "x", ties=(("Ana", "knows", "Bea", 0.8),))
        await speak(tx, "y", "Ana", user=BEN)
        ana, bea, bens = await one(tx, "Ana"), await one(tx, "Bea"), await one(tx, "Ana", BEN)
        [tie], _ = await tx.relationships.list_page(ANNA)
    for tenant, user in ((ORG, BEN), (OTHER_ORG, ANNA)):
        new = NewRelationship(
            source_entity_id=ana.entity_id, target_entity_id=bea.entity_id, relationship_type="likes"
        )
        async with storage.begin(tenant) as tx:
            for call in (
                tx.entities.get(user, ana.entity_id),
                tx.entities.update(user, ana.entity_id, EntityEdit(name="Taken")),
                tx.entities.merge(user, ana.entity_id, [bea.entity_id]),
                tx.entities.merge(user, bens.entity_id, [bea.entity_id]),
                tx.entities.delete(user, ana.entity_id),
                tx.relationships.get(user, tie.relationship_id),
                tx.relationships.add(user, new),
                tx.relationships.update(user, tie.relationship_id, RelationshipEdit(confidence=0)),
                tx.relationships.delete(user, tie.relationship_id),
                tx.relationships.around(user, ana.entity_id),
            ):
                with pytest.raises(NotFound):
                    await call
            assert await tx.relationships.list_page(user, entity_id=ana.entity_id) == ([], 0)
    async with storage.read(ORG) as snapshot:
        assert await snapshot.entities.get(ANNA, ana.entity_id) == (
            ana.model_copy(
                update={
                    "source_memory_ids": (await snapshot.entities.get(ANNA, bea.entity_id)).source_memory_ids
                }
            )
        )
        assert (await snapshot.relationships.list_page(ANNA))[0] == [tie]


async def test_erasing_an_organisation_takes_its_graph(storage: Storage) -> None:
    """Nothing of it is left in any table of the graph."""
    async with storage.begin(ORG) as tx:
        await speak(tx, "x", ties=(("Ana", "knows", "Bea", 0.8),))
        await tx.entities.add(ANNA, NewEntity(name="Cem"))
    async with storage.backend.write(ORG.org_id) as connection:
        await connection.exec_driver_sql("DELETE FROM organisations WHERE org_id = 'org-a'")
    async with storage.backend.read(ORG.org_id) as connection:
        for table in (entities, entity_names, relationships):
            count = sa.select(sa.func.count()).select_from(table).where(table.c.org_id == ORG.org_id)
            assert (await connection.execute(count)).scalar_one() == 0
