"""What a worker that stops promises: it ends what it may, and keeps nothing from those that go on."""

import asyncio

import pytest
from redis.asyncio import Redis

from sagacity.dispatch.job import learn_job
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import DueScope
from sagacity.storage.transaction import Storage
from support.dispatchers import Work, queue, running, until, worker
from support.parts import ANNA, ORG, said

pytestmark = pytest.mark.own_database

ANNAS = DueScope(tenant=ORG, user_id=ANNA)
QUIET_SECONDS = 0.4
"""Long enough for whatever should not come."""


@pytest.fixture
def storage(live_storage: Storage) -> Storage:
    """On the real clock: dispatching is about time."""
    return live_storage


async def test_draining_finishes_what_runs_and_starts_nothing(storage: Storage, redis_url: str) -> None:
    """A worker that is told to stop ends what it began; who waited is served by the next."""
    scopes = [DueScope(tenant=ORG, user_id=UserId(f"u{n}")) for n in range(4)]
    for scope in scopes:
        await storage.append(ORG, said("x", request_id=f"r-{scope.user_id}", user_id=scope.user_id))
    work = Work(storage)
    work.release.clear()
    first = worker(storage, queue(redis_url), work, concurrency=2)
    async with running(first):
        await until(lambda: len(work.started) == 2)
        stop = asyncio.create_task(first.stop(30))
        await asyncio.sleep(QUIET_SECONDS)
        assert not stop.done()
        work.release.set()
        await stop
        assert len(work.started) == len(work.done) == 2
    async with running(worker(storage, queue(redis_url), work)):
        await until(lambda: set(work.done) == set(scopes))
    assert len(work.started) == 4


async def test_drain_that_takes_too_long_is_cut(storage: Storage, redis_url: str) -> None:
    """What does not end in time is cancelled, and the next worker has it at once, not after a lease."""
    await storage.append(ORG, said("x"))
    endless, work = Work(storage, 60), Work(storage)
    first = worker(storage, queue(redis_url), endless)
    async with running(first):
        await until(lambda: endless.started)
        await first.stop(0.3)
    assert endless.done == []
    async with running(worker(storage, queue(redis_url), work)):
        await until(lambda: work.done)
    assert work.done == [ANNAS]


async def test_stop_while_redis_is_slow_leaves_no_job_taken(
    storage: Storage, redis_url: str, redis: Redis
) -> None:
    """A worker that is stopped gives its jobs back however long that takes Redis: none waits for a lease to lapse."""
    await storage.append(ORG, said("x"))
    endless, work = Work(storage, 60), Work(storage)
    first = worker(storage, queue(redis_url, lease_seconds=600), endless)
    async with running(first):
        await until(lambda: endless.started)
        assert await redis.exists(f"arq:in-progress:{learn_job(ANNAS).job_id}")
        await redis.client_pause(2_500, all=False)  # it answers to nothing that writes
        await first.stop()
    assert [key async for key in redis.scan_iter("arq:in-progress:*")] == []
    async with running(worker(storage, queue(redis_url, lease_seconds=600), work)):
        await until(lambda: work.done)
    assert work.done == [ANNAS]
