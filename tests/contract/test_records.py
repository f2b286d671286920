"""Records grow old: each table has its limits, and what is needed stays beyond them."""

import asyncio
from contextlib import suppress
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.cursor import learner_name
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.memory import MemoryKind
from sagacity.domain.retention import TURNS, Limits, Record, TurnsToGo
from sagacity.domain.tenant import DueScope
from sagacity.learning.retention import Retain
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.storage.schema.tables import metadata
from sagacity.storage.transaction import Storage
from support.faults import Faulty
from support.learning import WordEmbedder, lines, task_parts
from support.parts import ANNA, ORG, OTHER_ORG, START, said
from support.versions import ARCHIVED, PENDING, add, read_to

DAY = timedelta(days=1)
DAYS = 60
"""Of each table there is a row a day, of so many days."""
NEEDED_ROWS = {
    Record.DEAD_LETTERS: {"status": "parked"},
    Record.OPERATIONS: {"status": "in_progress"},
    Record.REVIEW_ACTIONS: {"kept_until": START + 999 * DAY},
}
"""What makes a row one that stays."""
VALUES = {
    "error_kind": "e",
    "first_seq": 1,
    "is_success": True,
    "kind": "profile",
    "last_seq": 1,
    "learner": "profile:one",
    "name": "profile_generation",
    "outcome": "succeeded",
    "run_id": "run",
    "session_id": "s",
    "status": "completed",
    "step": "merge",
    "user_id": ANNA,
    "version": "current",
    "event_name": "search",
    "event_category": "learning",
    "uid": "",
    "created_at": START,
    "updated_at": START,
}


async def plant(storage: Storage, tenant=ORG, tables=tuple(Record)) -> None:
    """Write a row a day into each table, and before them one that is needed where there is such a thing."""
    memory = (
        await add(storage, "Lives in Lyon.") if Record.REVIEW_ACTIONS in tables and tenant is ORG else None
    )
    async with storage.backend.write(tenant.org_id) as connection:
        for record in tables:
            table = metadata.tables[record]
            fixed = {"org_id": tenant.org_id, "memory_id": memory and memory.memory_id}
            fixed |= {"status": "replayed"} if record is Record.DEAD_LETTERS else {}
            values = {name: value for name, value in (VALUES | fixed).items() if name in table.c}
            rows = [values | {"created_at": START + day * DAY} for day in range(DAYS)]
            if needed := NEEDED_ROWS.get(record):
                rows.append(values | {"created_at": START - DAY} | needed)
            for number, row in enumerate(rows):
                own = {name: f"{number}" for name in ("operation_id", "uid") if name in table.c}
                await connection.execute(sa.insert(table).values(row | own))


async def counts(storage: Storage, tenant=ORG) -> dict[str, int]:
    async with storage.read(tenant) as snapshot:
        return {record: await snapshot.records.count(record) for record in Record}


async def clean_up(storage: Storage, clock, ids, **policy) -> None:
    async with storage.begin(ORG) as transaction:
        await transaction.cursors.ensure_due(ORGANISATION)
    parts = task_parts(storage, WordEmbedder(), clock, ids, **policy)
    report = await TaskRunner(parts, [Retain(parts)]).run(DueScope(tenant=ORG, user_id=ORGANISATION))
    assert report.failed == {}


async def test_each_table_keeps_so_many_days_and_so_many_rows(storage: Storage, clock, ids) -> None:
    """The newest ones, of this organisation; besides what is needed, whatever its age. Without a limit all stays."""
    await plant(storage)
    await plant(storage, OTHER_ORG, [Record.USAGE_EVENTS])
    clock.advance((DAYS - 0.5) * DAY.total_seconds())
    everything = await counts(storage)
    await clean_up(storage, clock, ids, limits=Limits(days=dict.fromkeys(Record, 0)))
    assert await counts(storage) == everything

    days = Limits(days=dict.fromkeys(Record, 40))
    await clean_up(storage, clock, ids, limits=days, cleanup_batch=7)
    needed = {record: 1 if record in NEEDED_ROWS else 0 for record in Record}
    assert await counts(storage) == {record: 40 + needed[record] for record in Record}

    rows = Limits(rows=dict.fromkeys(Record, 3))
    await clean_up(storage, clock, ids, limits=rows)
    counted = {Record.MODEL_CALLS: 32}  # those of a month count towards its spending cap
    assert await counts(storage) == {record: counted.get(record, 3) for record in Record}
    assert (await counts(storage, OTHER_ORG))[Record.USAGE_EVENTS] == DAYS
    async with storage.read(ORG) as snapshot:
        assert await snapshot.records.first_at(Record.USAGE_EVENTS) == START + (DAYS - 3) * DAY


async def test_killed_in_any_transaction_it_goes_on(storage: Storage, clock, ids) -> None:
    """What was deleted by then is gone, the rest goes the next time; the look after that is due in time."""
    await plant(storage, tables=[Record.USAGE_EVENTS, Record.EVALUATIONS])
    clock.advance((DAYS - 0.5) * DAY.total_seconds())
    left = 0

    async def dies(_connection: AsyncConnection) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise asyncio.CancelledError
        return False

    killed = Storage(Faulty(storage.backend, dies, after_commit=False), clock=clock, ids=ids)
    limits = Limits(days={Record.USAGE_EVENTS: 50, Record.EVALUATIONS: 55})
    before, tries = await counts(storage), 0
    while await counts(storage) != before | {Record.USAGE_EVENTS: 50, Record.EVALUATIONS: 55}:
        tries += 1
        left = 1 + tries
        with suppress(asyncio.CancelledError):
            await clean_up(killed, clock, ids, limits=limits, cleanup_batch=2)
        clock.advance(61)  # until its lease is over
        assert tries < DAYS
    assert tries > 2
    await clean_up(storage, clock, ids, limits=limits)
    async with storage.read(ORG) as snapshot:
        due_at = (await snapshot.cursors.log_head(ORGANISATION)).due_at
    assert due_at == START + DAYS * DAY


async def test_turns_go_by_age_and_evidence_stays(storage: Storage, clock, ids) -> None:
    """As long as a memory in force, or one that may come to it, rests on their request; or until told otherwise."""
    one = learner_name(MemoryKind.PROFILE, "one")
    for number, status in enumerate((None, "current", PENDING, ARCHIVED, None)):
        await storage.append(ORG, said(*lines(1, number), request_id=f"r{number}"))
        if status is not None:
            wanted = {} if status == "current" else {"status": status}
            await add(storage, f"fact {number}", source_request_ids=(f"r{number}",), **wanted)
        clock.advance(DAY.total_seconds())
    await read_to(storage, 5, learner=one)
    await read_to(storage, 5, PENDING, learner=one)
    await read_to(storage, 5, ARCHIVED, learner=one)
    may_go = TurnsToGo(
        learners=((MemoryKind.PROFILE, "one"),), before=START + 3.5 * DAY, retain_evidence=True
    )

    async def drop(wanted: TurnsToGo) -> list[str]:
        async with storage.read(ORG) as snapshot:
            chosen = await snapshot.retention.oldest_read(wanted, limit=9)
        async with storage.begin(ORG) as transaction:
            assert await transaction.retention.drop(chosen, wanted) == len(chosen)
        async with storage.read(ORG) as snapshot:
            return [turn.content for turn in await snapshot.interactions.log(ANNA, after_seq=0, limit=9)]

    assert await drop(may_go) == [*lines(2, 1), *lines(1, 4)]
    assert await drop(may_go.model_copy(update={"retain_evidence": False})) == lines(1, 4)


async def test_a_run_deletes_old_turns(storage: Storage, clock, ids) -> None:
    """With the limit in days; and it looks again a day later as long as there are some that have to stay."""
    await storage.append(ORG, said(*lines(4)))
    clock.advance(3 * DAY.total_seconds())
    limits = Limits(days={TURNS: 2})
    await clean_up(storage, clock, ids, limits=limits)
    async with storage.read(ORG) as snapshot:  # nobody has read them
        assert len(await snapshot.interactions.log(ANNA, after_seq=0, limit=9)) == 4
        assert (await snapshot.cursors.log_head(ORGANISATION)).due_at == START + 4 * DAY
