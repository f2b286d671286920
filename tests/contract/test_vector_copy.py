"""What the copy of the vectors promises: it follows the database, and nothing wrong with it is ever believed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import sqlalchemy as sa

from sagacity.domain.tenant import Tenant
from sagacity.storage.schema.tables import organisations
from sagacity.storage.transaction import Storage, Transaction
from support.parts import BEN, ORG, OTHER_ORG, new_memory
from support.qdrant_server import QdrantServer
from support.vector_copies import (
    ROWS,
    add,
    asked,
    copy_of,
    delete,
    documents,
    found_by_qdrant,
)


async def test_the_copy_is_what_the_database_has(copying: Storage, qdrant: QdrantServer) -> None:
    """Every document with a vector is there, of every organisation, and those that wait for one are not."""
    await add(copying, ROWS[:30])
    await add(copying, ROWS[30:40], user_id=BEN)
    await add(copying, ROWS[40:45], tenant=OTHER_ORG)
    async with copying.begin(ORG) as tx:
        await tx.memories.add([new_memory("waits")])
    counts: list[int] = []
    await copy_of(copying).fill(counts.append)
    assert qdrant.numbers() == await documents(copying, ORG, OTHER_ORG)
    assert sum(counts) == 45
    report = await copy_of(copying).compare()
    assert (report.documents, report.copied_documents, report.scopes_behind) == (45, 45, 0)
    assert (report.dimension, report.copied_dimension) == (16, 16)


async def test_a_second_run_has_nothing_to_do(copying: Storage, qdrant: QdrantServer) -> None:
    """What is copied is not sent again; what changed is, and only that."""
    await add(copying, ROWS[:30])
    await copy_of(copying).fill()
    qdrant.paths.clear()
    counts: list[int] = []
    await copy_of(copying).fill(counts.append)
    assert (counts, asked(qdrant, "PUT", "/points"), asked(qdrant, "POST", "/delete")) == ([], 0, 0)
    await add(copying, ROWS[30:32])
    await copy_of(copying).fill(counts.append)
    assert counts == [2]
    assert qdrant.numbers() == await documents(copying)


async def test_what_is_deleted_or_edited_vanishes(copying: Storage, qdrant: QdrantServer) -> None:
    """After a run no point is left of a document that is gone, its user's last one included."""
    kept = await add(copying, ROWS[:20])
    bens = await add(copying, ROWS[20:30], user_id=BEN)
    await copy_of(copying).fill()
    await delete(copying, [*kept[:5], *bens])
    edited = kept[7].model_copy(update={"content": "edited"})
    async with copying.begin(ORG) as tx:
        await tx.memories.save([edited], vectors={edited.uid: ROWS[50]})
    await copy_of(copying).fill()
    left = await documents(copying)
    assert len(left) == 15
    assert qdrant.numbers() == left
    assert await found_by_qdrant(copying, ROWS[50], 1) == [edited.memory_id]


async def test_an_organisation_that_is_erased_vanishes(copying: Storage, qdrant: QdrantServer) -> None:
    """Rows that went with their organisation leave nothing that says so, and are removed all the same."""
    await add(copying, ROWS[:5])
    await add(copying, ROWS[5:9], tenant=OTHER_ORG)
    await copy_of(copying).run()
    assert len(qdrant.numbers()) == 9
    async with copying.begin(OTHER_ORG) as tx:
        await tx.search._scope.run(sa.delete(organisations).where(organisations.c.org_id == OTHER_ORG.org_id))
    await copy_of(copying).run()
    assert len(qdrant.numbers()) == 5
    assert qdrant.numbers() == await documents(copying)


class DiesBeforeRecording(Storage):
    """Ends at the transaction that would record what is copied."""

    @asynccontextmanager
    async def begin(self, tenant: Tenant) -> AsyncIterator[Transaction]:
        raise ZeroDivisionError
        yield


async def test_a_crash_before_recording_repeats_harmlessly(copying: Storage, qdrant: QdrantServer) -> None:
    """Points that were sent and not recorded are sent again, and are there once."""
    await copy_of(copying).fill()
    await add(copying, ROWS[:300])
    dying = DiesBeforeRecording(
        copying.backend, clock=copying._clock, ids=copying._ids, vector_store=copying.vector_store
    )
    with pytest.raises(ZeroDivisionError):
        await copy_of(dying).fill()
    sent = qdrant.numbers()
    assert sent == await documents(copying)
    assert (await copy_of(copying).compare()).scopes_behind == 1
    assert len(await found_by_qdrant(copying, ROWS[7], 300)) == 300  # once each, from the copy and beside it
    await copy_of(copying).fill()
    assert qdrant.numbers() == sent
    assert (await copy_of(copying).compare()).scopes_behind == 0


async def test_two_copy_at_once(copying: Storage, qdrant: QdrantServer) -> None:
    """Two jobs beside a writer that adds and deletes leave exactly what the database has."""
    await copy_of(copying).fill()
    done = asyncio.Event()

    async def copy(prefix: str) -> int:
        runs = 0
        while not done.is_set():
            await copy_of(copying, prefix).fill()
            runs += 1
        return runs

    async def write() -> None:
        for step in range(0, 120, 6):
            kept = await add(copying, ROWS[step : step + 6])
            await delete(copying, kept[:3])
        done.set()

    runs = await asyncio.gather(copy("a"), copy("b"), write())
    assert min(runs[:2]) >= 1
    await copy_of(copying).fill()
    left = await documents(copying)
    assert len(left) == 60
    assert qdrant.numbers() == left


async def test_two_make_the_collection_at_once(copying: Storage, qdrant: QdrantServer) -> None:
    """Of two that find none, one may have to begin again; in the end there is one, and it is whole."""
    await add(copying, ROWS[:30])
    await asyncio.gather(copy_of(copying, "a").run(), copy_of(copying, "b").run())
    await copy_of(copying).fill()
    assert len(qdrant.collections) == 1
    assert qdrant.numbers() == await documents(copying)
    assert len(await found_by_qdrant(copying, ROWS[0], 30)) == 30


async def test_a_late_hand_brings_nothing_back(copying: Storage, qdrant: QdrantServer) -> None:
    """A job that stood still while another removed what it had read removes it again."""
    kept = await add(copying, ROWS[:10])
    await copy_of(copying).fill()
    gone = await add(copying, ROWS[10:12])
    with qdrant.hold("PUT .*/points") as held:
        late = asyncio.create_task(copy_of(copying, "late").fill())
        assert await asyncio.to_thread(held.wait, 20)
        await delete(copying, gone)
        await copy_of(copying, "quick").fill()
        assert len(qdrant.numbers()) == 10
    await late
    assert qdrant.numbers() == await documents(copying)
    assert await found_by_qdrant(copying, ROWS[0], 1) == [kept[0].memory_id]


async def test_processes_spare_each_other_the_work(copying: Storage, qdrant: QdrantServer, clock) -> None:
    """While one copies an organisation the others leave it alone; one that died is followed after a minute."""
    await copy_of(copying).fill()
    await add(copying, ROWS[:10])
    first, second = copy_of(copying, "first"), copy_of(copying, "second")
    with qdrant.hold("PUT .*/points") as held:
        copying_first = asyncio.create_task(first.run())
        assert await asyncio.to_thread(held.wait, 20)
        await second.run()
        assert qdrant.numbers() == set()
        clock.advance(61)
        await second.run()
        assert len(qdrant.numbers()) == 10
    await copying_first
    assert qdrant.numbers() == await documents(copying)


async def test_a_copy_that_finds_nothing_looks_less_often(copying: Storage) -> None:
    """Looking reads every organisation's scopes; as soon as there is something, it looks each second again."""
    copy = copy_of(copying)
    pauses = []
    for _ in range(6):
        await copy.run()
        pauses.append(copy.pause_seconds)
    assert pauses == [2, 4, 8, 16, 16, 16]
    await add(copying, ROWS[:3])
    await copy.run()
    assert copy.pause_seconds == 1
