"""What dispatching promises: due work is done soon, by one worker a user, and by nobody after the end."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable

import pytest

from sagacity.dispatch.lease import acquire_lease
from sagacity.domain.clock import SystemClock
from sagacity.domain.operation import OperationName, OperationParameters
from sagacity.domain.tenant import LOCAL_ORG, DueScope, Tenant
from sagacity.learning.embedding_backfill import EmbeddingBackfill
from sagacity.storage.transaction import Storage
from sagacity.storage.work.operation_slots import TURNS, slots_within
from support.dispatchers import Dispatching, by_arq, due_in, locally, until, working
from support.learning import Recorder, WordEmbedder, learned, learning, one_a_turn, reading
from support.parts import ANNA, BEN, ORG, OTHER_ORG, CountingIds, opened, said
from support.waiting import until as until_found

pytestmark = [pytest.mark.own_database, pytest.mark.either_database]

ANNAS, BENS = DueScope(tenant=ORG, user_id=ANNA), DueScope(tenant=ORG, user_id=BEN)
QUIET_SECONDS = 0.4
"""Long enough for whatever should not come."""

# Implementation → what makes one. To run the contract on one more, add its line.
DISPATCHERS: dict[str, Callable[[pytest.FixtureRequest], Dispatching]] = {
    "local": lambda request: locally(),
    "arq": lambda request: by_arq(request.getfixturevalue("redis_url")),
}


@pytest.fixture
def storage(live_storage: Storage) -> Storage:
    """On the real clock: dispatching is about time."""
    return live_storage


@pytest.fixture(params=list(DISPATCHERS))
def dispatching(request: pytest.FixtureRequest) -> Dispatching:
    """What runs a dispatcher over a storage and a handler."""
    return DISPATCHERS[request.param](request)


async def test_wakes_fall_together(storage: Storage, dispatching: Dispatching) -> None:
    """Many hints for a user that waits are one piece of work."""
    done: list[DueScope] = []

    async def handler(scope: DueScope) -> None:
        done.append(scope)

    async with dispatching(storage, handler) as dispatcher:
        for _ in range(50):
            dispatcher.wake(ANNAS)
        await until(lambda: done)
        await asyncio.sleep(QUIET_SECONDS)
    assert done == [ANNAS]


async def test_turns_that_are_too_few_are_only_counted(storage: Storage) -> None:
    """A log is looked at again once as many came as its last look asked for, or at any news but turns."""
    done: list[DueScope] = []

    async def handler(scope: DueScope) -> int:
        done.append(scope)
        return 5

    async with locally()(storage, handler) as dispatcher:

        async def looked_at(count: int) -> None:
            """Wait for another user, who came later: whoever had to be looked at has been."""
            before = len(done)
            dispatcher.wake(DueScope(tenant=ORG, user_id=f"later {count}"))
            await until(lambda: f"later {count}" in [scope.user_id for scope in done[before:]])
            await until(lambda: done.count(ANNAS) >= count)
            assert done.count(ANNAS) == count

        for turns, count in ((1, 1), (2, 1), (2, 1), (1, 2), (4, 2), (None, 3), (4, 3), (1, 4)):
            dispatcher.wake(ANNAS, turns=turns)
            await looked_at(count)


async def test_wake_while_busy_runs_once_more(storage: Storage, dispatching: Dispatching) -> None:
    """News that come while a user is worked on are worked on after it, once, and never beside it."""
    started, release, runs, at_once = asyncio.Event(), asyncio.Event(), 0, Counter()

    async def handler(scope: DueScope) -> None:
        nonlocal runs
        runs += 1
        at_once[scope] += 1
        assert at_once[scope] == 1
        async with working(storage, scope):
            started.set()
            await release.wait()
        at_once[scope] -= 1

    await storage.append(ORG, said("x"))
    async with dispatching(storage, handler) as dispatcher:
        dispatcher.wake(ANNAS)
        await started.wait()
        await storage.append(ORG, said("y", request_id="r2"))
        for _ in range(10):
            dispatcher.wake(ANNAS)
        await asyncio.sleep(0.1)
        release.set()
        await until(lambda: runs == 2)
        await asyncio.sleep(QUIET_SECONDS)
    assert runs == 2


async def test_users_are_worked_on_side_by_side(storage: Storage, dispatching: Dispatching) -> None:
    """As many users as there are workers, and no more."""
    now, most, done = 0, 0, 0
    all_busy = asyncio.Event()

    async def handler(scope: DueScope) -> None:
        nonlocal now, most, done
        now += 1
        most = max(most, now)
        async with working(storage, scope):
            if now == 3:
                all_busy.set()
            await all_busy.wait()  # however long the others take to start
            await asyncio.sleep(0.1)
        now -= 1
        done += 1

    for n in range(9):
        await storage.append(ORG, said("x", request_id=f"r{n}", user_id=f"u{n}"))
    async with dispatching(storage, handler, concurrency=3) as dispatcher:
        for n in range(9):
            dispatcher.wake(DueScope(tenant=ORG, user_id=f"u{n}"))
        await until(lambda: done == 9)
    assert most == 3


async def test_start_finds_work_of_a_dead_process(storage: Storage, dispatching: Dispatching) -> None:
    """Nobody has to be woken for what was left in the database, whoever's it is."""
    await storage.append(ORG, said("x"))
    await storage.append(OTHER_ORG, said("x"))
    done: list[DueScope] = []

    async def handler(scope: DueScope) -> None:
        async with working(storage, scope):
            done.append(scope)

    async with dispatching(storage, handler):
        await until(lambda: len(done) == 2)
        await asyncio.sleep(QUIET_SECONDS)
    assert set(done) == {ANNAS, DueScope(tenant=OTHER_ORG, user_id=ANNA)}
    assert len(done) == 2


async def test_work_that_is_due_later_is_done_then(storage: Storage, dispatching: Dispatching) -> None:
    """A user who is due in a moment is looked at in a moment, not only at the next sweep."""
    await storage.append(ORG, said("x"))
    begun, done = time.monotonic(), []
    await due_in(storage, ANNAS, 0.4)

    async def handler(scope: DueScope) -> None:
        async with working(storage, scope):
            done.append(time.monotonic() - begun)

    async with dispatching(storage, handler, sweep_seconds=60):
        await until(lambda: done)
    assert done[0] > 0.35


async def test_lost_wake_only_delays(storage: Storage, dispatching: Dispatching) -> None:
    """What another process published is found by the sweep."""
    done: list[DueScope] = []

    async def handler(scope: DueScope) -> None:
        async with working(storage, scope):
            done.append(scope)

    async with dispatching(storage, handler, sweep_seconds=0.2):
        await asyncio.sleep(0.1)
        await storage.append(ORG, said("x"))
        await until(lambda: done)
    assert set(done) == {ANNAS}


async def test_failing_handler_stops_nothing(storage: Storage, dispatching: Dispatching) -> None:
    """One user's error is recorded; the others are served, and the failing one is not tried all the time."""
    await storage.append(ORG, said("x"))
    await storage.append(ORG, said("x", request_id="r2", user_id=BEN))
    runs: Counter[str] = Counter()

    async def handler(scope: DueScope) -> None:
        async with working(storage, scope):
            runs[scope.user_id] += 1
            if scope == ANNAS:
                raise ZeroDivisionError

    async with dispatching(storage, handler, concurrency=1, sweep_seconds=0.1) as dispatcher:
        await until(lambda: runs[ANNA] and runs[BEN])
        for n in range(5):
            before = runs[BEN]
            await storage.append(ORG, said("y", request_id=f"more-{n}", user_id=BEN))
            dispatcher.wake(BENS)
            await until(lambda: runs[BEN] > before)  # noqa: B023  called here only
        assert dispatcher.is_running
    assert runs[ANNA] <= 3


async def test_failing_index_is_tried_again(storage: Storage, dispatching: Dispatching) -> None:
    """The indexing loop survives an error as well."""
    calls = 0

    async def handler(scope: DueScope) -> None:
        async with working(storage, scope):
            pass

    async def index() -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise ZeroDivisionError

    await storage.append(ORG, said("x"))
    async with dispatching(storage, handler, index=index, sweep_seconds=0.1) as dispatcher:
        await until(lambda: calls >= 2)
        assert dispatcher.is_running


async def test_stop_is_prompt_and_final(storage: Storage, dispatching: Dispatching) -> None:
    """Stopping waits for no work that takes long, and nothing starts after it."""
    started, done = asyncio.Event(), []

    async def handler(scope: DueScope) -> None:
        started.set()
        await asyncio.Event().wait()
        done.append(scope)

    async with dispatching(storage, handler) as dispatcher:
        dispatcher.wake(ANNAS)
        dispatcher.wake(BENS)
        await started.wait()
        await dispatcher.stop()
        assert not dispatcher.is_running
        dispatcher.wake(ANNAS)
        await asyncio.sleep(0.05)
    assert done == []


async def test_stopped_work_is_free_for_the_next_process(storage: Storage, dispatching: Dispatching) -> None:
    """A worker that is stopped gives its lease back, and what it did not finish stays due."""
    await storage.append(ORG, said(*(f"My locker in the northern hall is number {n}" for n in range(10))))
    asleep = asyncio.Event()

    class Sleeper(Recorder):
        async def extract(self, window, known):
            asleep.set()
            await asyncio.sleep(60)

    def handler_of(extractor: Recorder):
        learn = learning(storage, WordEmbedder(), SystemClock(), CountingIds(), groups=reading(extractor))
        return lambda scope: learn.run(scope.tenant, scope.user_id)

    async with dispatching(storage, handler_of(Sleeper())):
        await asleep.wait()
    done = Recorder(one_a_turn)
    backfill = EmbeddingBackfill(storage, WordEmbedder())

    async def is_finished() -> bool:
        return len(await learned(storage)) == 10 and not await storage.unembedded_tenants()

    async with dispatching(storage, handler_of(done), index=backfill.run):
        await until(lambda: len(done.windows) == 2)
        await until_found(is_finished)
    assert done.stretches == [(1, 5), (6, 10)]


@pytest.fixture
async def narrow(database_url: str, ids: CountingIds, places: int) -> AsyncIterator[Storage]:
    """A storage for so many places, of which operations leave one free."""
    async with opened(database_url, SystemClock(), ids, operation_slots=slots_within(places)) as storage:
        async with storage.begin(Tenant(org_id=LOCAL_ORG)) as tx:
            await tx.organisation.ensure()
        yield storage


@pytest.mark.parametrize("places", [2, *(pytest.param(more, marks=pytest.mark.full) for more in (4, 8))])
async def test_who_publishes_while_an_operation_runs_over_many_is_served_at_once(
    narrow: Storage, dispatching: Dispatching, places: int
) -> None:
    """However long the operation's users take: they never fill all places of their organisation."""
    storage, turn_count = narrow, min(TURNS, places - 1)
    for n in range(40):
        await storage.append(ORG, said("x", request_id=f"r{n}", user_id=f"u{n}"))
        await due_in(storage, DueScope(tenant=ORG, user_id=f"u{n}"), 3_600)
    async with storage.begin(ORG) as tx:
        await tx.operations.start(OperationName.PROFILE_GENERATION, OperationParameters())
    started: list[DueScope] = []
    done: list[DueScope] = []
    release = asyncio.Event()

    async def handler(scope: DueScope) -> None:
        async with working(storage, scope):
            started.append(scope)
            if scope.user_id.startswith("u"):
                await release.wait()
            done.append(scope)

    async with dispatching(storage, handler, concurrency=16, places=places) as dispatcher:
        dispatcher.poll_now()
        await until(lambda: len(started) == turn_count)
        for newcomer in (ANNAS, BENS, DueScope(tenant=OTHER_ORG, user_id=ANNA)):
            await storage.append(
                newcomer.tenant, said("x", request_id=newcomer.user_id, user_id=newcomer.user_id)
            )
            dispatcher.wake(newcomer)
            await until(lambda: newcomer in done)  # noqa: B023  called here only
        assert len(started) == turn_count + 3
        release.set()
        await until(lambda: len(done) == len(started))


async def test_hold_prolongs_its_lease(storage: Storage) -> None:
    """Work that takes longer than the lease keeps it, and gives it back at the end."""
    async with acquire_lease(storage, ORG, "scope", "a", seconds=3) as lease:
        assert lease is not None
        await asyncio.sleep(3.5)
        async with acquire_lease(storage, ORG, "scope", "b", seconds=0.3) as other:
            assert other is None
        async with storage.begin(ORG) as tx:
            await tx.leases.check(lease)
    async with acquire_lease(storage, ORG, "scope", "b", seconds=0.3) as other:
        assert other is not None
        assert other.fencing > lease.fencing


async def test_lost_lease_is_not_taken_back(storage: Storage) -> None:
    """A holder whose lease lapsed and went to another leaves it to the other, and to the next after that."""
    async with acquire_lease(storage, ORG, "scope", "a", seconds=0.3) as lease:
        # As if this process had slept: the lease lapses, another one has it and gives it back.
        async with storage.begin(ORG) as tx:
            await tx.leases.finish(lease)
            other = await tx.leases.claim("scope", "b", 60)
            await tx.leases.finish(other)
        await asyncio.sleep(0.4)
        async with storage.begin(ORG) as tx:
            assert await tx.leases.claim("scope", "c", 60) is not None


async def test_stop_ends_at_whatever_moment_it_comes(storage: Storage, dispatching: Dispatching) -> None:
    """A stop that falls together with a hint or an end of work is no less a stop."""
    for n in range(24):
        async with dispatching(storage, lambda scope: asyncio.sleep(0)) as dispatcher:
            for _ in range(n % 12):
                await asyncio.sleep(0.001)
            dispatcher.wake(ANNAS)
            dispatcher.poll_now()
            for _ in range(n % 4):
                await asyncio.sleep(0)
            dispatcher.poll_now()
            await asyncio.wait_for(dispatcher.stop(), 60)
            assert not dispatcher.is_running
