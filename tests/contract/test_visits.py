"""A read in one visit: one moment, a principal's rows only, and over when its caller has gone."""

import asyncio
import sqlite3
import threading
from contextlib import closing

import pytest
import sqlalchemy as sa

from sagacity.domain.errors import Forbidden, StorageError
from sagacity.domain.memory import MemoryKind
from sagacity.domain.principal import CallerKind, Principal
from sagacity.domain.tenant import Tenant
from sagacity.storage.sqlite.backend import READERS
from sagacity.storage.transaction import Storage, Transaction
from support.parts import ANNA, BEN, ORG, OTHER_ORG, new_memory

EVE = Principal(tenant=ORG, user_id=BEN, kind=CallerKind.USER)
on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def contents(transaction: Transaction) -> list[str]:
    """What the memories that can be reached say."""
    return [one.content for one in await transaction.memories.list_newest(MemoryKind.PROFILE, limit=9)]


async def test_a_visit_reaches_what_a_read_does(storage: Storage) -> None:
    """The organisation's rows; of a caller who acts for one user, that user's."""
    async with storage.begin(ORG) as transaction:
        await transaction.memories.add([new_memory("Anna's"), new_memory("Ben's", user_id=BEN)])
    assert sorted(await storage.visit(ORG, contents)) == ["Anna's", "Ben's"]
    assert await storage.visit(EVE, contents) == ["Ben's"]
    assert await storage.visit(OTHER_ORG, contents) == []
    with pytest.raises(Forbidden):
        await storage.visit(EVE, contents, user_id=ANNA)


async def test_a_statement_that_is_refused_spoils_one_visit(storage: Storage) -> None:
    """It is an error of ours, and the next visit has a connection that works."""

    async def refused(transaction: Transaction) -> None:
        await transaction.search._scope.all(sa.text("SELECT no_such_function()"))

    for _ in range(12):  # more than there are connections
        with pytest.raises(StorageError, match="no_such_function"):
            await storage.visit(ORG, refused)
    assert await storage.visit(ORG, contents) == []


@on_sqlite
@pytest.mark.own_database
async def test_a_visit_sees_one_moment(storage: Storage) -> None:
    """What another process commits meanwhile is seen by the next visit."""

    async def twice(transaction: Transaction) -> tuple[list[str], list[str]]:
        before = await contents(transaction)
        with closing(sqlite3.connect(str(storage.backend.file))) as other:
            other.execute("UPDATE memories SET content = 'changed'")
            other.commit()
        return before, await contents(transaction)

    async with storage.begin(ORG) as transaction:
        await transaction.memories.add([new_memory("as it was")])
    assert await storage.visit(ORG, twice) == (["as it was"], ["as it was"])
    assert await storage.visit(ORG, contents) == ["changed"]


@on_sqlite
async def test_nobody_waits_for_a_long_visit(storage: Storage) -> None:
    """Visits take turns, as they are short; the next goes on beside one that is not."""
    begun, over = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    async def long(transaction: Transaction) -> list[str]:
        loop.call_soon_threadsafe(begun.set)
        over.wait()
        return await contents(transaction)

    visits = asyncio.create_task(storage.visit(ORG, long))
    try:
        await begun.wait()
        assert await storage.visit(ORG, contents) == []
    finally:
        over.set()
    assert await visits == []


@on_sqlite
async def test_visits_share_a_thread_until_one_takes_long(storage: Storage) -> None:
    """One thread runs short ones in turn; beside long ones, others run them in turn, and then it is the first again."""
    begun, over = asyncio.Semaphore(0), threading.Event()
    loop = asyncio.get_running_loop()

    async def thread(_transaction: Transaction) -> str:
        return threading.current_thread().name

    async def long(transaction: Transaction) -> str:
        loop.call_soon_threadsafe(begun.release)
        over.wait()
        return await thread(transaction)

    async def used() -> set[str]:
        return set(await asyncio.gather(*(storage.visit(ORG, thread) for _ in range(8))))

    async def used_alone() -> str:
        for _ in range(50):  # on a busy machine even a short one may take long
            if len(threads := await used()) == 1:
                return threads.pop()
        pytest.fail("short visits did not share a thread")

    first = await used_alone()
    visits = [asyncio.create_task(storage.visit(ORG, long)) for _ in range(2)]
    try:
        for _ in visits:
            await begun.acquire()
        assert first not in await used()
    finally:
        over.set()
    assert first in await asyncio.gather(*visits)
    assert await used_alone() == first


@on_sqlite
async def test_a_visit_that_nobody_waits_for_does_not_begin(storage: Storage) -> None:
    """Its caller has gone while all threads were busy; those after it are not held up."""
    begun, over, told = asyncio.Semaphore(0), threading.Event(), list[str]()
    loop = asyncio.get_running_loop()

    async def long(_transaction: Transaction) -> None:
        loop.call_soon_threadsafe(begun.release)
        over.wait()

    async def tell(_transaction: Transaction) -> None:
        told.append("began")

    visits = [asyncio.create_task(storage.visit(ORG, long)) for _ in range(READERS)]
    try:
        for _ in visits:
            await begun.acquire()
        gone = asyncio.create_task(storage.visit(ORG, tell))
        after = asyncio.create_task(storage.visit(ORG, contents))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
    finally:
        over.set()
    await asyncio.gather(*visits)
    assert await after == []
    assert told == []


@on_sqlite
async def test_a_visit_whose_caller_has_gone_is_interrupted(storage: Storage) -> None:
    """A statement that would run for hours is ended, no other begins, and its connection serves the next."""
    begun, steps = threading.Event(), list[str]()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    async def hang(transaction: Transaction) -> None:
        begun.set()
        try:
            await transaction.search._scope.all(sa.text(endless))
        finally:
            steps.append("ended")

    for _ in range(6):
        begun.clear()
        visit = asyncio.create_task(storage.visit(ORG, hang))
        await asyncio.to_thread(begun.wait)
        visit.cancel()
        with pytest.raises(asyncio.CancelledError):
            await visit
    assert steps == ["ended"] * 6
    assert await storage.visit(ORG, contents) == []


@on_sqlite
async def test_a_visit_awaits_nothing_but_the_database(storage: Storage) -> None:
    """Whatever else it would wait for is an error of the program, not a thread that stands still."""

    async def sleep(_transaction: Transaction) -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="something other than its connection"):
        await storage.visit(ORG, sleep)


async def test_a_visit_to_write_is_committed_or_leaves_nothing(storage: Storage) -> None:
    """What it wrote is there when it returns; what it raises is rolled back, and the next one can write."""

    async def write(transaction: Transaction) -> int:
        return len(await transaction.memories.add([new_memory("kept")]))

    async def fail(transaction: Transaction) -> None:
        await transaction.memories.add([new_memory("lost")])
        raise ValueError("no")

    assert await storage.visit_to_write(ORG, write, user_id=ANNA) == 1
    with pytest.raises(ValueError, match="no"):
        await storage.visit_to_write(ORG, fail)
    with pytest.raises(Forbidden):
        await storage.visit_to_write(EVE, write, user_id=ANNA)
    assert await storage.visit_to_write(ORG, write) == 1
    assert await storage.visit(ORG, contents) == ["kept", "kept"]


async def test_writes_of_both_forms_take_turns(storage: Storage) -> None:
    """None is lost or refused, whichever form many at once have."""

    async def add(transaction: Transaction) -> None:
        await transaction.interactions.count()  # reads before it writes
        await transaction.memories.add([new_memory("one")])

    async def begin() -> None:
        async with storage.begin(ORG) as transaction:
            await add(transaction)

    await asyncio.gather(*(begin() if n % 2 else storage.visit_to_write(ORG, add) for n in range(8)))
    assert await storage.visit(ORG, contents) == ["one"] * 8


@on_sqlite
async def test_a_write_whose_caller_has_gone_is_rolled_back(storage: Storage) -> None:
    """Its statement is ended, what it wrote is not there, and the next one writes."""
    begun = threading.Event()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    async def hang(transaction: Transaction) -> None:
        await transaction.memories.add([new_memory("never")])
        begun.set()
        await transaction.search._scope.all(sa.text(endless))

    async def write(transaction: Transaction) -> None:
        await transaction.memories.add([new_memory("after")])

    visit = asyncio.create_task(storage.visit_to_write(ORG, hang))
    await asyncio.to_thread(begun.wait)
    visit.cancel()
    with pytest.raises(asyncio.CancelledError):
        await visit
    await storage.visit_to_write(ORG, write)
    assert await storage.visit(ORG, contents) == ["after"]


@on_sqlite
@pytest.mark.own_database
async def test_a_write_that_waits_for_another_process_ends_with_its_caller(storage: Storage) -> None:
    """As long as another process holds the lock it waits, but for nobody who has gone."""

    async def write(transaction: Transaction) -> None:
        await transaction.memories.add([new_memory("after")])

    with closing(sqlite3.connect(str(storage.backend.file), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        gone = asyncio.create_task(storage.visit_to_write(ORG, write))
        await asyncio.wait([gone], timeout=0.3)
        assert not gone.done()
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        waits = asyncio.create_task(storage.visit_to_write(ORG, write))
        await asyncio.wait([waits], timeout=0.3)
        other.execute("ROLLBACK")
        await waits
    assert await storage.visit(ORG, contents) == ["after"]


@on_sqlite
@pytest.mark.parametrize("visits", [False, True])
async def test_a_call_writes_before_background_work(storage: Storage, *, visits: bool) -> None:
    """Whatever the background began to wait for before, and in both forms of writing."""
    told: list[str] = []

    async def write(name: str, whose: Tenant | Principal) -> None:
        async def work(_transaction: Transaction) -> None:
            told.append(name)

        if visits:
            await storage.visit_to_write(whose, work)
            return
        async with storage.begin(whose) as transaction:
            await work(transaction)

    async with storage.begin(ORG):
        waiting = [asyncio.create_task(write("background", ORG)), asyncio.create_task(write("call", EVE))]
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)
    assert told == ["call", "background"]


async def test_background_work_gives_way_to_calls(storage: Storage) -> None:
    """After one it waits, unless that was a while ago; after work of the organisation's own it does not."""

    async def waits() -> bool:
        waiting = asyncio.create_task(storage.yield_to_calls(9))
        await asyncio.sleep(0)
        is_waiting = not waiting.done()
        waiting.cancel()
        return is_waiting

    await storage.visit(ORG, contents)
    assert not await waits()
    for call in (storage.visit, storage.visit_to_write):
        for _ in range(50):  # on a busy machine the call may be a while ago by now
            await call(EVE, contents)
            if await waits():
                break
        else:
            pytest.fail(f"nothing gave way to {call.__name__}")
