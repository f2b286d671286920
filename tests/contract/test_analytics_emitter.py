"""Recorded calls on their way into the database: in batches, none lost up to a limit, and losses are counted."""

import asyncio

import pytest

from sagacity.analytics.emitter import LEAST_KEPT, Emitter, EmitterPolicy
from sagacity.analytics.writers import CallWriter
from sagacity.auth.erasure_key import no_key
from sagacity.domain.analytics import AnalyticsFilter
from sagacity.domain.errors import StorageUnavailable
from sagacity.domain.ids import ORGANISATION, OrgId
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage
from support.faults import Faulty
from support.measured import measured
from support.parts import ORG, OTHER_ORG, StoppedClock
from support.waiting import until

pytestmark = pytest.mark.either_database

NEVER = 3_600.0
"""Seconds that no test lasts."""


def emitter(storage: Storage, clock: StoppedClock, *, size: int = 10, seconds: float = NEVER) -> Emitter:
    policy = EmitterPolicy(batch_size=size, seconds=seconds)
    return Emitter(storage, CallWriter(storage, clock, no_key), policy)


async def written(storage: Storage, tenant: Tenant = ORG) -> list[str]:
    """The ids that are in the database, in their order."""
    async with storage.read(tenant) as snapshot:
        return sorted(one.id for one in await snapshot.request_analytics.page(AnalyticsFilter(), limit=9_999))


class Away:
    """Says whether the database is away, and counts the transactions that it broke."""

    def __init__(self, *, is_away: bool = True) -> None:
        self.is_away = is_away
        self.count = 0

    async def __call__(self, _connection: object) -> bool:
        self.count += self.is_away
        return self.is_away


async def test_a_full_batch_is_written_and_a_part_waits(storage: Storage, clock: StoppedClock) -> None:
    """Ten calls are written by themselves; nine wait for the time, or for somebody who asks."""
    one = emitter(storage, clock)
    await one.start()
    try:
        for number in range(10):
            one.record(ORG, measured(f"{number}"))

        async def is_written() -> bool:
            return len(await written(storage)) == 10

        await until(is_written)
        for number in range(9):
            one.record(ORG, measured(f"later {number}"))
        assert one.waiting == 9
    finally:
        await one.stop()
    assert (one.waiting, one.dropped, len(await written(storage))) == (0, 0, 19)


async def test_a_part_of_a_batch_is_written_after_its_time(storage: Storage, clock: StoppedClock) -> None:
    one = emitter(storage, clock, seconds=0.01)
    await one.start()
    try:
        one.record(ORG, measured("alone"))

        async def is_written() -> bool:
            return await written(storage) == ["alone"]

        await until(is_written)
    finally:
        await one.stop()


async def test_what_waits_is_written_when_the_server_stops(storage: Storage, clock: StoppedClock) -> None:
    one = emitter(storage, clock)
    await one.start()
    one.record(ORG, measured("mine"))
    one.record(OTHER_ORG, measured("theirs"))
    await one.stop()
    assert (await written(storage), await written(storage, OTHER_ORG)) == (["mine"], ["theirs"])


async def test_one_organisation_is_flushed_by_itself(storage: Storage, clock: StoppedClock) -> None:
    one = emitter(storage, clock)
    for tenant in (ORG, OTHER_ORG, ORG):
        one.record(tenant, measured(f"{one.waiting}"))
    assert await one.flush(ORG) == 2
    assert (await written(storage), await written(storage, OTHER_ORG)) == (["0", "2"], [])
    assert one.waiting == 1
    assert await one.flush(ORG) == 0
    assert await one.flush() == 1


@pytest.mark.parametrize("after_commit", [False, True])
async def test_nothing_is_lost_while_the_database_is_away(
    storage: Storage, clock: StoppedClock, *, after_commit: bool
) -> None:
    """Up to the limit, and nothing is written twice where a commit went through of which nobody heard."""
    one, inner, away = emitter(storage, clock), storage.backend, Away()
    storage.backend = Faulty(inner, away, after_commit=after_commit)
    for number in range(LEAST_KEPT):
        one.record(ORG, measured(f"{number:05}"))
    for _ in range(2):
        with pytest.raises(StorageUnavailable):
            await one.flush()
    assert (one.waiting, one.dropped) == (LEAST_KEPT, 0)
    away.is_away = False
    await one.flush()
    storage.backend = inner
    assert await written(storage) == [f"{number:05}" for number in range(LEAST_KEPT)]
    assert (one.waiting, one.dropped) == (0, 0)


async def test_beyond_the_limit_the_oldest_are_dropped_and_counted(
    storage: Storage, clock: StoppedClock
) -> None:
    """Also those that come while a write is on its way that fails."""
    one, inner = emitter(storage, clock), storage.backend
    storage.backend = Faulty(inner, Away(), after_commit=False)
    for number in range(LEAST_KEPT + 3):
        one.record(ORG, measured(f"{number:05}"))
    assert (one.waiting, one.dropped) == (LEAST_KEPT, 3)
    with pytest.raises(StorageUnavailable):
        await asyncio.gather(one.flush(), _record_meanwhile(one, 4))
    assert (one.waiting, one.dropped) == (LEAST_KEPT, 7)
    storage.backend = inner
    assert await one.flush() == LEAST_KEPT
    kept = await written(storage)
    assert (kept[0], kept[-5:]) == ("00007", ["01002", "new 0", "new 1", "new 2", "new 3"])


async def _record_meanwhile(one: Emitter, count: int) -> None:
    assert one.waiting == 0  # the write has taken them
    for number in range(count):
        one.record(ORG, measured(f"new {number}"))


async def test_a_database_that_stays_away_costs_what_waits_at_the_end(
    storage: Storage, clock: StoppedClock
) -> None:
    """The server stops all the same, and says how many were lost."""
    one, inner = emitter(storage, clock), storage.backend
    storage.backend = Faulty(inner, Away(), after_commit=False)
    await one.start()
    for number in range(3):
        one.record(ORG, measured(f"{number}"))
    await one.stop()
    storage.backend = inner
    assert (one.waiting, one.dropped) == (0, 3)


async def test_writing_goes_on_when_the_database_is_back(storage: Storage, clock: StoppedClock) -> None:
    """By itself, after one more period; calls that came meanwhile are written, too."""
    one, inner, away = emitter(storage, clock, size=2, seconds=0.01), storage.backend, Away()
    storage.backend = Faulty(inner, away, after_commit=False)
    await one.start()
    try:
        for number in range(2):
            one.record(ORG, measured(f"{number}"))

        async def was_tried_twice() -> bool:
            return away.count >= 2

        await until(was_tried_twice)
        one.record(ORG, measured("2"))
        away.is_away = False

        async def is_written() -> bool:
            return await written(storage) == ["0", "1", "2"]

        await until(is_written)
    finally:
        await one.stop()
        storage.backend = inner
    assert one.dropped == 0


async def test_a_bad_row_loses_no_other(storage: Storage, clock: StoppedClock) -> None:
    """One that the database refuses, and an organisation that is gone, cost themselves alone."""
    one = emitter(storage, clock)
    one.record(ORG, measured("first"))
    one.record(ORG, measured("bad", error_message="\ud800"))
    one.record(ORG, measured("last"))
    one.record(Tenant(org_id=OrgId("gone")), measured("of nobody"))
    one.record(OTHER_ORG, measured("theirs"))
    assert await one.flush() == 3
    assert await written(storage) == ["first", "last"]
    assert await written(storage, OTHER_ORG) == ["theirs"]
    assert (one.waiting, one.dropped) == (0, 2)


async def test_a_write_that_is_cut_short_is_made_up_for(storage: Storage, clock: StoppedClock) -> None:
    """What it had taken waits again."""
    one, inner = emitter(storage, clock), storage.backend
    reached = asyncio.Event()

    async def hangs(_connection: object) -> bool:
        reached.set()
        await asyncio.Event().wait()
        return False

    storage.backend = Faulty(inner, hangs, after_commit=False)
    one.record(ORG, measured("one"))
    writing = asyncio.create_task(one.flush())
    await reached.wait()
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    storage.backend = inner
    assert one.waiting == 1
    assert await one.flush() == 1
    assert await written(storage) == ["one"]


async def test_the_day_is_planned_to_be_summed_up(storage: Storage, clock: StoppedClock) -> None:
    """Once a day, after midnight; it is nothing that an organisation waits for otherwise."""
    one = emitter(storage, clock)
    for day in (2, 3):
        one.record(ORG, measured(f"{day}"))
        await one.flush()
        async with storage.read(ORG) as snapshot:
            due_at = (await snapshot.cursors.log_head(ORGANISATION)).due_at
        assert due_at is not None
        assert f"{due_at:%d %H:%M}" == f"{day:02} 00:05"
        async with storage.begin(ORG) as transaction:
            await transaction.cursors.set_due(ORGANISATION, None)
        one.record(ORG, measured(f"{day} again"))
        await one.flush()
        async with storage.read(ORG) as snapshot:
            assert (await snapshot.cursors.log_head(ORGANISATION)).due_at is None
        clock.advance(86_400)
