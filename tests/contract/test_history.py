"""What a run changed is recorded with each memory: who, why, from which turns, before and after."""

from sagacity.domain.change import Action, Candidate, ChangeAction, Occasion
from sagacity.domain.ids import RunId
from sagacity.domain.memory import ArchivedBy, MemoryKind, Status
from sagacity.domain.version import VersionFilter
from sagacity.learning.deduplication.cases import Embedded
from sagacity.learning.deduplication.neighbours import find_neighbours
from sagacity.storage.transaction import Storage
from support.history import changes_of, decided, merged, publish, stored, written
from support.learning import learned
from support.parts import ANNA, ORG, StoppedClock, new_memory, unit_rows


async def test_superseded_memory_says_who_put_it_away_and_why(storage: Storage, clock: StoppedClock) -> None:
    """The learner is the actor, the decision's reason the reason; both sides of the change are kept."""
    await publish(storage, clock)
    [old] = await stored(storage, new_memory("Lives in Rome."))
    await written(storage, clock, decided(Action.SUPERSEDE, "Lives in Oslo.", (3,), old, reason="newer"))
    [home] = await learned(storage)
    [former] = await learned(storage, statuses=(Status.ARCHIVED,))
    assert (former.archived_by, former.superseded_by) == (ArchivedBy.LEARNER, home.memory_id)
    [removed] = await changes_of(storage, former)
    assert (removed.action, removed.actor, removed.reason) == (ChangeAction.REMOVED, "profile:x", "newer")
    assert (removed.request_id, removed.run_id) == ("r3", "run-1")
    assert (removed.before, removed.after) == (old, former.model_copy(update={"archived_at": None}))
    [added] = await changes_of(storage, home)
    assert (added.action, added.actor, added.reason, added.before) == (
        ChangeAction.ADDED,
        "profile:x",
        "newer",
        None,
    )


async def test_merge_keeps_what_was_proposed(storage: Storage, clock: StoppedClock) -> None:
    """The record of the merged memory says what the candidate was by itself, with its own turns."""
    await publish(storage, clock)
    [old] = await stored(
        storage, new_memory("Runs.", source_interaction_ids=(1,), source_request_ids=("r1",))
    )
    await written(storage, clock, merged("Runs and swims.", "Swims.", (3,), old))
    [memory] = await learned(storage)
    assert (memory.content, memory.source_interaction_ids) == ("Runs and swims.", (1, 3))
    assert memory.source_request_ids == ("r1", "r3")
    [added] = await changes_of(storage, memory)
    assert added.after == memory
    assert added.before is not None
    assert (added.before.content, added.before.source_interaction_ids) == ("Swims.", (3,))
    assert (added.before.keywords, memory.keywords) == (("new",), ("new", "former"))


async def test_repeated_statement_is_recorded_with_its_growing_evidence(
    storage: Storage, clock: StoppedClock
) -> None:
    """Before and after differ by the turn that said it again."""
    await publish(storage, clock)
    [old] = await stored(storage, new_memory("Runs.", source_interaction_ids=(1,)))
    await written(storage, clock, decided(Action.UPDATE, "Runs.", (3,), old, reason="says the same"))
    [updated] = await changes_of(storage, old)
    assert (updated.action, updated.reason) == (ChangeAction.UPDATED, "says the same")
    assert updated.before is not None
    assert updated.after is not None
    assert (updated.before.source_interaction_ids, updated.after.source_interaction_ids) == ((1,), (1, 3))


async def test_chain_of_merges_keeps_every_turn(storage: Storage, clock: StoppedClock) -> None:
    """A merged into B, B into C: C rests on the turns of all three."""
    await publish(storage, clock)
    await written(storage, clock, decided(Action.ADD, "Runs.", (1,)))
    [first] = await learned(storage)
    await written(storage, clock, merged("Runs and swims.", "Swims.", (2,), first))
    [second] = await learned(storage)
    await written(storage, clock, merged("Does triathlon.", "Cycles.", (3,), second))
    [last] = await learned(storage)
    assert (last.source_interaction_ids, last.source_request_ids) == ((1, 2, 3), ("r1", "r2", "r3"))
    async with storage.read(ORG) as snapshot:
        former = await snapshot.memories.replaced_by([last], limit=9)
        assert [one.content for one in former] == ["Runs and swims."]
        assert [one.content for one in await snapshot.memories.replaced_by(former, limit=9)] == ["Runs."]
        assert await snapshot.memories.replaced_by([], limit=9) == []
        assert [one.memory_id for one in await snapshot.memories.taught_by("r1")] == [
            first.memory_id,
            second.memory_id,
            last.memory_id,
        ]


async def test_rerun_writes_its_own_version_and_leaves_the_current_one(
    storage: Storage, clock: StoppedClock
) -> None:
    """PENDING is written and superseded among itself; a current memory is no target, whatever was decided."""
    await publish(storage, clock)
    current, pending = await stored(
        storage, new_memory("Lives in Rome."), new_memory("Lives in Bern.", status=Status.PENDING)
    )
    decision = decided(Action.SUPERSEDE, "Lives in Oslo.", (3,), current, pending)
    done = await written(storage, clock, decision, status=Status.PENDING)
    assert (done.added_count, done.removed_count) == (1, 1)
    assert await learned(storage) == [current]
    [new] = await learned(storage, statuses=(Status.PENDING,))
    [former] = await learned(storage, statuses=(Status.ARCHIVED,))
    assert (new.content, former.content) == ("Lives in Oslo.", "Lives in Bern.")
    assert (former.archived_by, former.superseded_by) == (ArchivedBy.LEARNER, new.memory_id)


async def test_merge_whose_targets_were_put_away_meanwhile_stands_by_itself(
    storage: Storage, clock: StoppedClock
) -> None:
    """Nothing of an archived memory comes back into a new one, and its archiver stays."""
    await publish(storage, clock)
    away = new_memory("Runs.", status=Status.ARCHIVED, source_interaction_ids=(1,))
    [old] = await stored(storage, away)
    done = await written(storage, clock, merged("Runs and swims.", "Swims.", (3,), old))
    assert (done.added_count, done.removed_count) == (1, 0)
    [memory] = await learned(storage)
    assert (memory.content, memory.source_interaction_ids) == ("Swims.", (3,))
    assert await learned(storage, statuses=(Status.ARCHIVED,)) == [old]


async def test_neighbours_are_of_one_version_and_relevant_enough(storage: Storage) -> None:
    """A rerun meets its own memories only; a candidate's threshold leaves out what is far, but not its slot."""
    rows = unit_rows(1)
    near, far = rows[0], -rows[0]
    new = [
        new_memory("likes green tea", uid="near"),
        new_memory("likes green hats", uid="far"),
        new_memory("likes green walls", uid="slotted", slot="colour"),
        new_memory("likes green tea", uid="pending", status=Status.PENDING, slot="colour"),
    ]
    async with storage.begin(ORG) as tx:
        await tx.memories.add(new, vectors={"near": near, "far": far, "slotted": far, "pending": near})
    one = Candidate(kind=MemoryKind.PROFILE, content="likes green tea", evidence=(1,), slot="colour")

    async def met(threshold: float, status: Status) -> set[str]:
        async with storage.read(ORG) as snapshot:
            found = await find_neighbours(
                snapshot,
                ANNA,
                [MemoryKind.PROFILE],
                [Embedded(one, near, threshold=threshold)],
                limit=9,
                status=status,
            )
        return {neighbour.memory.uid for neighbour in found[0]}

    assert await met(0.0, Status.CURRENT) == {"near", "far", "slotted"}
    assert await met(0.4, Status.CURRENT) == {"near", "slotted"}
    assert await met(0.4, Status.PENDING) == {"pending"}


async def test_change_log_lists_runs_of_learners_only(storage: Storage, clock: StoppedClock) -> None:
    """What a person wrote is in the memory's history, not among what was learned."""
    await publish(storage, clock)
    await written(storage, clock, decided(Action.ADD, "Runs.", (1,)))
    [memory] = await learned(storage)
    [added] = await changes_of(storage, memory)
    hand = [
        added.model_copy(update={"actor": actor, "run_id": actor}) for actor in ("api", "api:x", "apiary")
    ]
    async with storage.begin(ORG) as tx:
        await tx.changes.add(hand)
    async with storage.read(ORG) as snapshot:
        assert [run.run_id for run in await snapshot.changes.list_runs(MemoryKind.PROFILE, limit=9)] == [
            "apiary",
            "run-1",
        ]
        assert await snapshot.changes.count(memory.memory_id) == 4
        newest = await snapshot.changes.of_memories([memory.memory_id], limit=2)
    assert [change.actor for change in newest] == ["api:x", "apiary"]


async def test_history_goes_with_its_memory(storage: Storage, clock: StoppedClock) -> None:
    """Erased content lives on in no snapshot of its own."""
    await publish(storage, clock)
    await written(storage, clock, decided(Action.ADD, "Runs.", (1,)))
    [memory] = await learned(storage)
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, ids=[memory.memory_id])
    assert await changes_of(storage, memory) == []


async def test_words_of_a_moment_are_those_before_the_next_edit_whatever_versions_were_swapped_between(
    storage: Storage, clock: StoppedClock
) -> None:
    """A note of an upgrade tells of no words: the edit behind it does."""
    [memory] = await stored(storage, new_memory("Runs.", status=Status.PENDING))
    written_at = clock.now()
    clock.advance(60)
    async with storage.begin(ORG) as tx:
        await tx.versions.upgrade(VersionFilter(kind=MemoryKind.PROFILE))
    clock.advance(60)
    async with storage.begin(ORG) as tx:
        before = await tx.memories.get(memory.memory_id)
        after = before.model_copy(update={"content": "Swims."})
        await tx.memories.save([after])
        edit = Occasion(run_id=RunId("edit"), actor="api", reason="", at=clock.now())
        await tx.changes.add([edit.change(before, after)])
    assert [one.action for one in await changes_of(storage, memory)] == [
        ChangeAction.PROMOTED,
        ChangeAction.UPDATED,
    ]
    async with storage.read(ORG) as snapshot:
        [then] = await snapshot.changes.as_they_were([after], written_at)
        [now] = await snapshot.changes.as_they_were([after], clock.now())
    assert (then.content, now.content) == ("Runs.", "Swims.")
