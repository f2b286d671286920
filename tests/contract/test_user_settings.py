"""What a user's settings promise: what is switched off is not learned, now or later; nothing is kept for too long."""

from collections.abc import Iterable
from datetime import timedelta

import pytest

from sagacity.domain.change import Candidate
from sagacity.domain.chat import CHAT
from sagacity.domain.cursor import Outcome, Window
from sagacity.domain.extraction import Rejection
from sagacity.domain.graph import EntityMention, EntityType
from sagacity.domain.ids import UserId
from sagacity.domain.memory import ArchivedBy, MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.domain.tenant import DueScope
from sagacity.domain.user_memory import TYPED_KINDS
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.learning.tasks.table import open_tasks
from sagacity.memories.settings import change_memory_settings, forget_settings
from sagacity.memories.write import add_memories
from support.acting import for_everyone, parts_of
from support.evaluating import talk
from support.learning import Recorder, cursor, due_at, learned, learning, reading, task_parts
from support.parts import ANNA, BEN, ORG, START, new_memory, said

DAY = 86_400
OF_ANNA = Filter(kinds=TYPED_KINDS, user_id=ANNA)


@pytest.fixture
def acting(quick: tuple):
    """Whoever changes settings, for the whole organisation."""
    return for_everyone(parts_of(*quick))


def says(kind: MemoryKind, *names: str):
    """What proposes each unread turn as a memory of *kind*, and *names* with it."""

    def propose(window: Window) -> Iterable[Candidate]:
        return [
            Candidate(
                kind=kind,
                content=turn.content,
                evidence=(turn.interaction_id,),
                entities=tuple(EntityMention(name=one, entity_type=EntityType.PERSON) for one in names),
            )
            for turn in window.unread
        ]

    return propose


async def rules_learn(quick: tuple, *, text: str, request_id: str = "r1") -> list[str]:
    """What the rules remember of Anna after she said something more."""
    await quick[0].append(ORG, said(text, request_id=request_id))
    await learning(*quick).run(ORG, ANNA, force=True)
    return [memory.content for memory in await learned(quick[0])]


@pytest.mark.parametrize("changes", [{"memory_enabled": False}, {"auto_extract": False}])
async def test_what_is_said_while_nothing_is_learned_is_not_learned_later(quick, acting, changes) -> None:
    """The cursors move on; switched on again, learning goes on with what is new."""
    storage = quick[0]
    assert await rules_learn(quick, text="I am allergic to nuts.") == ["Is allergic to nuts."]
    await change_memory_settings(acting, ANNA, changes)
    assert await rules_learn(quick, text="I live in Boston.", request_id="r2") == ["Is allergic to nuts."]
    at = await cursor(storage, "profile:default_profile_extractor")
    assert (at.seq, at.outcome) == (2, Outcome.GATED)
    await change_memory_settings(acting, ANNA, dict.fromkeys(changes, True))
    found = await rules_learn(quick, text="I have a dog named Rex.", request_id="r3")
    assert "Is allergic to nuts." in found
    assert not any("Boston" in content for content in found)
    assert any("Rex" in content for content in found)


@pytest.mark.parametrize("way", ["on", "reset", "deleted"])
async def test_a_short_pause_is_one_too(quick, acting, way: str) -> None:
    """What was said meanwhile, and had not been read, is passed over; whichever way the pause ends."""
    storage = quick[0]
    await change_memory_settings(acting, ANNA, {"memory_enabled": False})
    await storage.append(ORG, said("I live in Boston."))
    match way:
        case "on":
            await change_memory_settings(acting, ANNA, {"memory_enabled": True})
        case "reset":
            await change_memory_settings(acting, ANNA, None)
        case _:
            await forget_settings(acting, ANNA)
    await learning(*quick).run(ORG, ANNA, force=True)
    assert await learned(storage) == []
    found = await rules_learn(quick, text="I am allergic to nuts.", request_id="r2")
    assert found == ["Is allergic to nuts."]


async def test_other_users_are_learned_of(quick, acting) -> None:
    storage = quick[0]
    await change_memory_settings(acting, ANNA, {"memory_enabled": False})
    await storage.append(ORG, said("I live in Boston.", user_id=BEN))
    await learning(*quick).run(ORG, BEN, force=True)
    assert [memory.content for memory in await learned(storage, user_id=BEN)] == ["Lives in Boston."]


@pytest.mark.parametrize(
    ("changes", "off"),
    [
        ({"semantic_extraction": False}, {MemoryKind.SEMANTIC}),
        ({"procedural_learning": False}, {MemoryKind.USER_PLAYBOOK}),
        ({"auto_extract": False}, set(TYPED_KINDS)),
        ({"entity_extraction": False}, set()),
    ],
)
async def test_switch_holds_for_its_kind(quick, acting, changes: dict, off: set) -> None:
    """Its learner is not shown what was said, and its cursor moves on all the same."""
    storage = quick[0]
    await change_memory_settings(acting, ANNA, changes)
    await storage.append(ORG, said("The lighthouse was built by hand"))
    learners = {kind: Recorder(says(kind), kind) for kind in TYPED_KINDS}
    worker = learning(*quick, groups=reading(*learners.values()))
    await worker.run(ORG, ANNA, force=True)
    for number, kind in enumerate(TYPED_KINDS, start=1):
        assert bool(await learned(storage, kind)) == (kind not in off), kind
        assert bool(learners[kind].windows) == (kind not in off), kind
        assert (await cursor(storage, f"{kind}:x{number}")).seq == 1


async def test_what_is_switched_off_while_it_is_read_is_not_written(quick, acting) -> None:
    """It is counted as such, and the window is done."""
    storage = quick[0]
    await storage.append(ORG, said("The lighthouse was built by hand"))
    recorder = Recorder(says(MemoryKind.SEMANTIC), MemoryKind.SEMANTIC)
    extract = recorder.extract

    async def switched_off_meanwhile(window, known):
        await change_memory_settings(acting, ANNA, {"semantic_extraction": False})
        return await extract(window, known)

    recorder.extract = switched_off_meanwhile
    await learning(*quick, groups=reading(recorder)).run(ORG, ANNA, force=True)
    assert await learned(storage, MemoryKind.SEMANTIC) == []
    assert (await cursor(storage, "semantic:x1")).seq == 1
    async with storage.read(ORG) as snapshot:
        counted = await snapshot.extractions.of_turns(ANNA, first_seq=1, last_seq=1)
    assert counted["semantic:x1"].reasons == {Rejection.SWITCHED_OFF: 1}


async def test_facts_of_others_in_a_chat_have_a_switch_of_their_own(quick, acting) -> None:
    """Although one reading finds them with what the user says of themselves."""
    storage = quick[0]
    await change_memory_settings(acting, ANNA, {"semantic_extraction": False})
    told = ("My sister Mia lives in Oslo.", "I see.", "I am allergic to nuts.")
    await storage.append(ORG, talk("r1", *told, session="s1", source=CHAT))
    await learning(*quick).run(ORG, ANNA, force=True)
    assert await learned(storage, MemoryKind.SEMANTIC) == []
    assert [memory.content for memory in await learned(storage)] == ["Is allergic to nuts."]
    async with storage.read(ORG) as snapshot:
        counted = await snapshot.extractions.of_turns(ANNA, first_seq=1, last_seq=3)
    assert counted["profile:default_profile_extractor"].reasons == {Rejection.SWITCHED_OFF: 1}
    await change_memory_settings(acting, ANNA, {"semantic_extraction": True})
    await storage.append(ORG, talk("r2", "My brother Tim lives in Rome.", session="s1", source=CHAT))
    await learning(*quick).run(ORG, ANNA, force=True)
    [fact] = await learned(storage, MemoryKind.SEMANTIC)
    assert "Rome" in fact.content


@pytest.mark.parametrize(
    ("changes", "names"), [({"entity_extraction": True}, ["Ben"]), ({"entity_extraction": False}, [])]
)
async def test_names_are_noted_unless_that_is_switched_off(quick, acting, changes: dict, names: list) -> None:
    storage = quick[0]
    await change_memory_settings(acting, ANNA, changes)
    await storage.append(ORG, said("Ben built the lighthouse by hand"))
    recorder = Recorder(says(MemoryKind.SEMANTIC, "Ben"), MemoryKind.SEMANTIC)
    await learning(*quick, groups=reading(recorder)).run(ORG, ANNA, force=True)
    assert len(await learned(storage, MemoryKind.SEMANTIC)) == 1
    async with storage.read(ORG) as snapshot:
        found, _ = await snapshot.entities.list_page(ANNA)
    assert [entity.name for entity in found] == names


async def fill(acting, count: int, *, user_id: UserId = ANNA, **fields) -> list:
    new = [
        new_memory(
            f"fact {number} of {user_id}",
            user_id=user_id,
            confidence=number / 1_000 if count > 1 else 1.0,
            **fields,
        )
        for number in range(count)
    ]
    return await add_memories(acting, new, reason="written")


async def test_beyond_the_limit_those_worth_least_are_archived(quick, acting) -> None:
    """Of a type, when one more comes, which stays; a user without settings has no limit."""
    storage = quick[0]
    await fill(acting, 101, user_id=BEN)
    await fill(acting, 100)
    await change_memory_settings(acting, ANNA, {"max_memories_per_type": 100})
    [new] = await add_memories(acting, [new_memory("one more", confidence=0.0)], reason="written")
    current = await learned(storage)
    assert len(current) == 100
    assert new.memory_id in {memory.memory_id for memory in current}
    [gone] = await learned(storage, statuses=(Status.ARCHIVED,))
    assert (gone.content, gone.archived_by) == ("fact 0 of anna", ArchivedBy.LEARNER)
    async with storage.read(ORG) as snapshot:
        [*_, last] = await snapshot.changes.of_memories([gone.memory_id], limit=9)
    assert "limit" in last.reason
    assert len(await learned(storage, user_id=BEN)) == 101


async def test_limit_holds_for_what_is_learned(quick, acting) -> None:
    """Of those that are equally sure, the one that was not used for longest goes."""
    storage, _, clock, _ = quick
    stored = await add_memories(
        acting, [new_memory(f"fact {number}", kind=MemoryKind.SEMANTIC) for number in range(100)], reason="w"
    )
    clock.advance(60)
    async with storage.begin(ORG) as transaction:
        await transaction.user_memories.note_accesses(
            {one.memory_id: 1 for one in stored if one.content != "fact 42"}, clock.now()
        )
    await change_memory_settings(acting, ANNA, {"max_memories_per_type": 100})
    await storage.append(ORG, said("The lighthouse was built by hand"))
    recorder = Recorder(says(MemoryKind.SEMANTIC), MemoryKind.SEMANTIC)
    await learning(*quick, groups=reading(recorder)).run(ORG, ANNA, force=True)
    assert len(await learned(storage, MemoryKind.SEMANTIC)) == 100
    [gone] = await learned(storage, MemoryKind.SEMANTIC, statuses=(Status.ARCHIVED,))
    assert gone.content == "fact 42"


async def run_tasks(quick: tuple, **policy) -> None:
    """Do what is due of Anna's."""
    parts = task_parts(*quick, **policy)
    await TaskRunner(parts, open_tasks(parts)).run(DueScope(tenant=ORG, user_id=ANNA))


async def test_lowered_limit_holds_soon_for_what_is_there(quick, acting) -> None:
    """In bounded transactions, also of more than one holds."""
    storage = quick[0]
    await fill(acting, 350)
    await change_memory_settings(acting, ANNA, {"max_memories_per_type": 100})
    assert await due_at(storage) == START
    await run_tasks(quick)
    kept = await learned(storage)
    assert [memory.content for memory in kept] == [f"fact {number} of anna" for number in range(250, 350)]
    assert len(await learned(storage, statuses=(Status.ARCHIVED,))) == 250


async def test_what_nobody_used_for_too_long_is_deleted(quick, acting) -> None:
    """Not what was changed or looked at since, nor another user's; the user is looked at when it is time."""
    storage, _, clock, _ = quick
    old, used, changed = (await fill(acting, 3))[:3]
    await fill(acting, 2, user_id=BEN)
    await change_memory_settings(acting, ANNA, {"retention_days": 10})
    clock.advance(5 * DAY)
    async with storage.begin(ORG) as transaction:
        await transaction.user_memories.note_accesses({used.memory_id: 1}, clock.now())
        await transaction.memories.save(
            [changed.model_copy(update={"content": "changed", "updated_at": clock.now()})]
        )
    await run_tasks(quick)
    assert len(await learned(storage)) == 3
    assert await due_at(storage) == START + timedelta(days=10, microseconds=1)
    clock.advance(5 * DAY)
    await run_tasks(quick)
    assert len(await learned(storage)) == 3
    clock.advance(1)
    await run_tasks(quick)
    assert [memory.memory_id for memory in await learned(storage)] == [used.memory_id, changed.memory_id]
    async with storage.read(ORG) as snapshot:
        assert not await snapshot.search.by_terms(OF_ANNA, old.content.split()[1], 9)
    clock.advance(5 * DAY)
    await run_tasks(quick)
    assert await learned(storage) == []
    assert len(await learned(storage, user_id=BEN)) == 2
    assert await due_at(storage) is None


async def test_many_old_memories_are_deleted_a_batch_at_a_time(quick, acting) -> None:
    storage, _, clock, _ = quick
    await fill(acting, 25)
    await fill(acting, 25, kind=MemoryKind.USER_PLAYBOOK)
    await change_memory_settings(acting, ANNA, {"retention_days": 1})
    clock.advance(2 * DAY)
    await run_tasks(quick, cleanup_batch=7)
    assert await learned(storage) == await learned(storage, MemoryKind.USER_PLAYBOOK) == []


async def test_user_without_settings_keeps_everything(quick, acting) -> None:
    storage, _, clock, _ = quick
    await fill(acting, 2)
    clock.advance(5_000 * DAY)
    await run_tasks(quick)
    assert len(await learned(storage)) == 2


async def test_memory_that_comes_later_is_looked_after_too(quick, acting) -> None:
    """Although nothing was there when the settings were made, and nothing is learned."""
    storage, _, clock, _ = quick
    await change_memory_settings(acting, ANNA, {"retention_days": 10})
    await run_tasks(quick)
    assert await due_at(storage) is None
    clock.advance(DAY)
    await add_memories(acting, [new_memory("x", at=clock.now())], reason="written")
    assert await due_at(storage) == START + timedelta(days=11)
    clock.advance(10 * DAY + 1)
    await run_tasks(quick)
    assert await learned(storage) == []
