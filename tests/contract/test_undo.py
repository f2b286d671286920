"""One merge is taken back, whole or not at all."""

import pytest

from sagacity.domain.change import Action, ChangeAction, Occasion
from sagacity.domain.errors import Conflict
from sagacity.domain.graph import RelationshipMention
from sagacity.domain.ids import InteractionId, MemoryUid, RunId
from sagacity.domain.memory import ArchivedBy, Memory, Status
from sagacity.domain.query import Filter
from sagacity.memories.edits import confirmed
from sagacity.memories.merge import Undone, undo_merge
from sagacity.retrieval.context.known_entities import known_entities
from sagacity.storage.transaction import Storage
from support.graphs import speak
from support.history import changes_of, decided, merged, publish, stored, written
from support.learning import learned
from support.parts import ANNA, ORG, START, StoppedClock, new_memory, unit_rows

LATER = START.replace(year=2030)


async def undone(
    storage: Storage, clock: StoppedClock, memory: Memory, *, uid: str = "apart", vectors=None
) -> Undone:
    occasion = Occasion(run_id=RunId("undo"), actor="api:ops", reason="undone", at=clock.now())
    async with storage.begin(ORG) as tx:
        found = await tx.memories.get(memory.memory_id)
        return await undo_merge(tx, found, occasion, uid=MemoryUid(uid), vectors=vectors or {})


async def of_content(storage: Storage, status: Status) -> dict[str, Memory]:
    return {memory.content: memory for memory in await learned(storage, statuses=(status,))}


def stands(memory: Memory, **changed) -> Memory:
    """As a person left it who knew all three turns."""
    now = changed.get("updated_at", memory.updated_at)
    return confirmed(memory.model_copy(update={"updated_at": now}), InteractionId(3)).model_copy(
        update=changed
    )


async def test_merge_is_taken_back_to_what_there_was(storage: Storage, clock: StoppedClock) -> None:
    """The merged ones are current as before, the candidate stands by itself with its turns, the merge is put away."""
    await publish(storage, clock)
    runs, walks = await stored(
        storage,
        new_memory("Runs.", source_interaction_ids=(1,), source_request_ids=("r1",), valid_to=LATER),
        new_memory("Walks.", source_interaction_ids=(2,), source_request_ids=("r2",)),
    )
    await written(storage, clock, merged("Walks, runs and swims.", "Swims.", (3,), runs, walks))
    [whole] = await learned(storage)
    clock.advance(60)
    [row] = unit_rows(1)
    done = await undone(storage, clock, whole, vectors={"apart": row})
    current = await of_content(storage, Status.CURRENT)
    assert current.keys() == {"Runs.", "Walks.", "Swims."}
    for before in (runs, walks):
        assert current[before.content] == stands(before, updated_at=clock.now())
    apart = current["Swims."]
    assert apart == done.separated
    assert (apart.uid, apart.source_interaction_ids, apart.source_request_ids) == ("apart", (3,), ("r3",))
    assert (apart.provenance, apart.created_at) == (whole.provenance, whole.created_at)
    [kept] = await learned(storage, statuses=(Status.ARCHIVED,))
    assert (kept.memory_id, kept.archived_by, kept.superseded_by) == (
        whole.memory_id,
        ArchivedBy.PERSON,
        None,
    )
    async with storage.read(ORG) as snapshot:
        assert list(await snapshot.search.vectors_of(["profile"], [apart.memory_id])) == [apart.memory_id]
        hits = await snapshot.search.by_terms(Filter(kinds=("profile",), user_id=ANNA), "swims runs walks", 9)
        assert {hit.owner_id for hit in hits} == {one.memory_id for one in current.values()}


async def test_each_part_of_a_merge_says_its_own_relationships_again(
    storage: Storage, clock: StoppedClock
) -> None:
    """What was separated says those between names of its text: not a restored one's, nor a deleted one's."""
    await publish(storage, clock)
    async with storage.begin(ORG) as tx:
        work = await speak(tx, "Lisa works at Acme.", ties=(("Lisa", "works_at", "Acme", 0.8),))
        home = await speak(tx, "Lisa lives in Bonn.", ties=(("Lisa", "lives_in", "Bonn", 0.8),))
    decision = merged("All of Lisa.", "I know Lisa, not Acme.", (3,), work, home)
    knows = RelationshipMention(source="user", target="Lisa", relationship_type="knows")
    said = decision.candidate.model_copy(update={"relationships": (knows,)})
    await written(storage, clock, decision.model_copy(update={"candidate": said}))
    assert await told_of_lisa(storage) == {"works at Acme", "lives in Bonn", "user knows Lisa"}
    [whole] = await learned(storage)
    async with storage.begin(ORG) as tx:
        await tx.memories.delete("profile", ids=[home.memory_id])
    done = await undone(storage, clock, whole)
    assert await told_of_lisa(storage) == {"works at Acme", "user knows Lisa"}
    async with storage.begin(ORG) as tx:
        await tx.memories.save([work.model_copy(update={"status": Status.ARCHIVED})])
    assert await told_of_lisa(storage) == {"user knows Lisa"}
    async with storage.begin(ORG) as tx:
        await tx.memories.save([done.separated.model_copy(update={"status": Status.ARCHIVED})])
    assert await told_of_lisa(storage) == set()


async def told_of_lisa(storage: Storage) -> set[str]:
    async with storage.read(ORG, user_id=ANNA) as snapshot:
        [lisa] = await known_entities(snapshot, ANNA, "Lisa")
    return set(lisa.details)


async def test_undo_is_recorded_with_each_memory_that_it_touches(
    storage: Storage, clock: StoppedClock
) -> None:
    """Who and when, before and after: of the restored, the separated and the archived one."""
    await publish(storage, clock)
    [old] = await stored(storage, new_memory("Runs."))
    await written(storage, clock, merged("Runs and swims.", "Swims.", (3,), old))
    [whole] = await learned(storage)
    done = await undone(storage, clock, whole)
    told = {
        memory.content: [(change.action, change.actor) for change in await changes_of(storage, memory)]
        for memory in (old, whole, done.separated)
    }
    assert told == {
        "Runs.": [(ChangeAction.REMOVED, "profile:x"), (ChangeAction.RESTORED, "api:ops")],
        "Runs and swims.": [(ChangeAction.ADDED, "profile:x"), (ChangeAction.REMOVED, "api:ops")],
        "Swims.": [(ChangeAction.ADDED, "api:ops")],
    }


async def test_replacement_is_taken_back_beside_what_replaced(storage: Storage, clock: StoppedClock) -> None:
    """A superseded memory is current again; the newer one stays, and says so in its history."""
    await publish(storage, clock)
    [old] = await stored(storage, new_memory("Lives in Rome.", source_interaction_ids=(1,)))
    await written(storage, clock, decided(Action.SUPERSEDE, "Lives in Oslo.", (3,), old))
    [home] = await learned(storage)
    done = await undone(storage, clock, home)
    assert (done.memory, done.separated) == (stands(home), None)
    current = await of_content(storage, Status.CURRENT)
    assert current == {
        "Lives in Rome.": stands(old, updated_at=clock.now()),
        "Lives in Oslo.": stands(home),
    }
    assert [change.actor for change in await changes_of(storage, home)] == ["profile:x", "api:ops"]
    with pytest.raises(Conflict, match="already undone"):
        await undone(storage, clock, home)


async def test_chain_is_taken_back_from_its_end(storage: Storage, clock: StoppedClock) -> None:
    """A merge that was merged again is refused; after the later one is undone it can be undone too."""
    await publish(storage, clock)
    await written(storage, clock, decided(Action.ADD, "Runs.", (1,)))
    [first] = await learned(storage)
    await written(storage, clock, merged("Runs and swims.", "Swims.", (2,), first))
    [second] = await learned(storage)
    await written(storage, clock, merged("Does triathlon.", "Cycles.", (3,), second))
    [last] = await learned(storage)
    with pytest.raises(Conflict, match=f"memory {last.memory_id}; undo that first"):
        await undone(storage, clock, second)
    await undone(storage, clock, last, uid="cycles")
    assert (await of_content(storage, Status.CURRENT)).keys() == {"Runs and swims.", "Cycles."}
    await undone(storage, clock, second, uid="swims")
    current = await of_content(storage, Status.CURRENT)
    assert {content: one.source_interaction_ids for content, one in current.items()} == {
        "Runs.": (1,),
        "Swims.": (2,),
        "Cycles.": (3,),
    }


async def test_what_was_no_merge_or_is_not_current_is_refused(storage: Storage, clock: StoppedClock) -> None:
    """The message says why, and nothing changes."""
    await publish(storage, clock)
    plain, pending = await stored(storage, new_memory("Runs."), new_memory("Swims.", status=Status.PENDING))
    with pytest.raises(Conflict, match="was not made by a merge"):
        await undone(storage, clock, plain)
    with pytest.raises(Conflict, match="is pending; only a current memory"):
        await undone(storage, clock, pending)
    assert await learned(storage) == [plain]


async def test_deleted_parts_stay_deleted(storage: Storage, clock: StoppedClock) -> None:
    """What was erased does not come back by an undo; the rest does."""
    await publish(storage, clock)
    runs, walks = await stored(storage, new_memory("Runs."), new_memory("Walks."))
    await written(storage, clock, merged("Walks, runs and swims.", "Swims.", (3,), runs, walks))
    [whole] = await learned(storage)
    async with storage.begin(ORG) as tx:
        await tx.memories.delete("profile", ids=[runs.memory_id])
    await undone(storage, clock, whole)
    assert (await of_content(storage, Status.CURRENT)).keys() == {"Walks.", "Swims."}


async def test_undone_merge_comes_back_by_nothing_but_learning(storage: Storage, clock: StoppedClock) -> None:
    """The archived merge and its parts have no ties any more, so that no undo finds them again."""
    await publish(storage, clock)
    [old] = await stored(storage, new_memory("Runs."))
    await written(storage, clock, merged("Runs and swims.", "Swims.", (3,), old))
    [whole] = await learned(storage)
    await undone(storage, clock, whole)
    with pytest.raises(Conflict, match="is archived"):
        await undone(storage, clock, whole, uid="again")
    async with storage.read(ORG) as snapshot:
        assert await snapshot.memories.replaced_by([whole], limit=9) == []
