"""Usage events: each counts once, by kind and memory, in its window; and they can be deleted."""

from datetime import timedelta

import pytest

from sagacity.analytics.emitter import Emitter, EmitterPolicy
from sagacity.analytics.writers import UsageWriter
from sagacity.auth.erasure_key import no_key
from sagacity.domain.errors import StorageError
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.memory import MemoryKind
from sagacity.domain.retention import Limits, Record
from sagacity.domain.tenant import DueScope
from sagacity.domain.usage import UsageEventName
from sagacity.learning.retention import Retain
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.storage.transaction import Storage
from support.learning import WordEmbedder, task_parts
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, CountingIds, StoppedClock, new_memory
from support.usage import used

DAY = timedelta(days=1)
EVENTS = Record.USAGE_EVENTS
PROFILE, PLAYBOOK, SKILL = MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK, MemoryKind.SKILL
CITED = {"event_name": UsageEventName.CITATION, "prompt_tokens": None}


async def add(storage: Storage, *events, tenant=ORG) -> None:
    async with storage.begin(tenant) as transaction:
        await transaction.usage.add([used(tenant.org_id, uid, **fields) for uid, fields in events])


async def test_uses_are_counted_by_kind_and_memory(storage: Storage) -> None:
    """Most often first; of equal numbers of different kinds each has its own; what comes twice counts once."""
    seven = {"entity_id": "7"}
    events = [
        ("a", seven | {"session_id": "s"}),
        ("b", seven | {"session_id": "s", "at": START + DAY, "prompt_tokens": 5}),
        ("c", seven | {"session_id": "t"}),
        ("d", seven | {"entity_type": SKILL, "prompt_tokens": None}),
        ("e", seven | {"entity_type": SKILL, "user_id": BEN}),
        ("f", {"entity_id": "a uid", "entity_type": PROFILE}),
        ("old", seven | {"at": START - DAY, "session_id": "u"}),
        ("g", seven | CITED | {"at": START + DAY}),
        ("only cited", CITED | {"entity_id": "9"}),
        ("h", seven | CITED | {"at": START - DAY, "entity_type": SKILL}),
        ("i", {"event_name": UsageEventName.APPLIED, "entity_type": None, "entity_id": None}),
    ]
    await add(storage, *events)
    await add(storage, *events)
    await add(storage, ("a", seven), tenant=OTHER_ORG)
    async with storage.read(ORG) as snapshot:
        playbook, skill, profile = await snapshot.usage.injected(START)
        assert (playbook.entity_type, playbook.entity_id) == (PLAYBOOK, "7")
        assert (playbook.surfaced_count, playbook.total_prompt_tokens) == (3, 25)
        assert (playbook.distinct_session_count, playbook.last_injected_at) == (2, START + DAY)
        assert (playbook.citation_count, playbook.last_cited_at) == (1, START + DAY)
        assert (skill.entity_type, skill.surfaced_count, skill.total_prompt_tokens) == (SKILL, 2, 10)
        assert (profile.entity_type, profile.entity_id, profile.distinct_session_count) == (
            PROFILE,
            "a uid",
            0,
        )
        assert [one.entity_type for one in await snapshot.usage.injected(START, user_id=BEN)] == [SKILL]
        assert await snapshot.usage.injected(START, limit=1) == [playbook]
        found = await snapshot.usage.of_items(PLAYBOOK, ["7", "8"], since=START)
        assert found == {"7": playbook}
        found = await snapshot.usage.of_items(SKILL, ["7"], since=START + DAY)
        assert (found["7"].surfaced_count, found["7"].last_injected_at) == (0, START)
        assert (found["7"].citation_count, found["7"].last_cited_at) == (0, START - DAY)


async def test_another_organisations_event_is_refused(storage: Storage) -> None:
    """None of those that came with it is written."""
    events = [used(ORG.org_id, "a"), used(OTHER_ORG.org_id, "b")]
    with pytest.raises(StorageError, match="org_id mismatch"):
        async with storage.begin(ORG) as transaction:
            await transaction.usage.add(events)
    async with storage.read(ORG) as snapshot:
        assert await snapshot.records.count(EVENTS) == 0


async def test_events_of_a_user_are_deleted(storage: Storage) -> None:
    """Those of this organisation, some at a time."""
    await add(storage, *((str(day), {"at": START + day * DAY, "user_id": ANNA}) for day in range(6)))
    await add(storage, ("ben", {"user_id": BEN, "at": START + 9 * DAY}), ("nobody", {"user_id": None}))
    await add(storage, ("0", {}), tenant=OTHER_ORG)
    async with storage.begin(ORG) as transaction:
        usage = transaction.usage
        assert [await usage.forget_user(ANNA, limit=4) for _ in range(2)] == [4, 2]
        assert await transaction.records.count(EVENTS) == 2
    async with storage.read(OTHER_ORG) as snapshot:
        assert await snapshot.records.count(EVENTS) == 1


async def test_tokens_are_counted_when_a_memory_is_written(
    storage: Storage, clock: StoppedClock, ids: CountingIds
) -> None:
    """Where it is added and where its text is changed; and only then."""
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    counting = Storage(storage.backend, clock=clock, ids=ids, count_tokens=count)
    async with counting.begin(ORG) as transaction:
        added = await transaction.memories.add([new_memory("tea", uid="a"), new_memory("t" * 9_000, uid="b")])
        assert [one.token_count for one in added] == [3, 9_000]
        await transaction.memories.save(
            [added[0].model_copy(update={"content": "coffee", "token_count": 99})]
        )
        await transaction.memories.save([added[1].model_copy(update={"name": "other", "token_count": 99})])
    async with counting.read(ORG) as snapshot:
        kept = await snapshot.memories.get_many([one.memory_id for one in added])
    assert [one.token_count for one in kept] == [6, 9_000]
    assert counted == ["tea", "t" * 9_000, "coffee"]


async def test_events_on_their_way_are_written_and_grow_old(
    storage: Storage, clock: StoppedClock, ids: CountingIds
) -> None:
    """Another organisation's event is lost alone; events are deleted by age, and then beyond a number."""
    emitter = Emitter(storage, UsageWriter(storage, clock, no_key), EmitterPolicy(seconds=3_600))
    for number in range(6):
        emitter.record(ORG, used(ORG.org_id, f"{number}", at=START + number * DAY))
    emitter.record(ORG, used(OTHER_ORG.org_id, "stray"))
    assert await emitter.flush() == 6
    assert emitter.dropped == 1
    clock.advance(5.5 * DAY.total_seconds())
    policy = {"limits": Limits(days={EVENTS: 4}, rows={EVENTS: 3}), "cleanup_batch": 1}
    parts = task_parts(storage, WordEmbedder(), clock, ids, **policy)
    runner = TaskRunner(parts, [Retain(parts)])
    report = await runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))
    assert report.failed == {}
    async with storage.read(ORG) as snapshot:
        assert await snapshot.records.count(EVENTS) == 3
        assert await snapshot.records.first_at(EVENTS) == START + 3 * DAY
        assert (await snapshot.cursors.log_head(ORGANISATION)).due_at == START + 7 * DAY
