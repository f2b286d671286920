"""What a worker says when Redis goes away under a job: one line, and no error that nobody took."""

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from redis.asyncio import Redis

from sagacity.dispatch.job import learn_job
from sagacity.domain.tenant import DueScope
from sagacity.storage.transaction import Storage
from support.dispatchers import Work, queue, running, until, worker
from support.local_servers import ValkeyServer, running_valkey
from support.parts import ANNA, ORG, said
from support.waiting import until as until_found

pytestmark = pytest.mark.either_database

ANNAS = DueScope(tenant=ORG, user_id=ANNA)


@pytest.fixture
def storage(live_storage: Storage) -> Storage:
    """On the real clock: dispatching is about time."""
    return live_storage


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[ValkeyServer]:
    """A server that the test may kill."""
    with running_valkey(tmp_path) as server:
        yield server


@pytest.fixture
async def unheard() -> list[dict[str, Any]]:
    """Errors of tasks that nobody took, as the event loop tells of them."""
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    return told


def losses(logs: list[Any]) -> list[Any]:
    """What was logged above information, without the lines of ARQ's own start."""
    return [line["event"] for line in logs if line["log_level"] != "info"]


async def collected() -> None:
    """Let ended tasks go, so that the loop tells of the errors that they kept."""
    await asyncio.sleep(0)
    gc.collect()
    await asyncio.sleep(0)


@pytest.mark.parametrize("is_stopping", [False, True])
async def test_job_that_ends_in_an_outage(
    storage: Storage, valkey: ValkeyServer, unheard: list[dict[str, Any]], *, is_stopping: bool
) -> None:
    """Redis goes while a job runs, and cannot be told of its end: whether the worker goes on or stops, one line."""
    await storage.append(ORG, said("x"))
    work = Work(storage)
    work.release.clear()
    works = worker(storage, queue(valkey.url), work)
    with structlog.testing.capture_logs() as logs:
        async with running(works):
            await until(lambda: work.started)
            valkey.kill()
            work.release.set()
            if is_stopping:
                await works.stop(30)
            await until(lambda: work.done and losses(logs))
            # Before the block ends: a worker that is stopped at once may still have to cancel what ARQ does.
            assert losses(logs) == ["redis.lost"]
        await collected()
    assert unheard == []


async def test_job_that_redis_forgot_ends_in_an_outage(
    storage: Storage, valkey: ValkeyServer, unheard: list[dict[str, Any]]
) -> None:
    """The same when Redis was emptied before, and the worker was told a second time of what it does."""
    await storage.append(ORG, said("x"))
    work, hints = Work(storage), queue(valkey.url)
    work.release.clear()
    works = worker(storage, queue(valkey.url), work)
    with structlog.testing.capture_logs() as logs:
        async with running(works), Redis.from_url(valkey.url) as redis:
            await until(lambda: work.started)
            await redis.flushall()
            assert await hints.offer([learn_job(ANNAS)]) == 1
            await hints.close()

            async def is_read_twice() -> bool:
                """Whether the worker has read the queue with the job in it, and read it again."""
                reads = await redis.info("commandstats")
                return reads["cmdstat_zrangebyscore"]["calls"] > before + 4

            before = (await redis.info("commandstats"))["cmdstat_zrangebyscore"]["calls"]
            await until_found(is_read_twice)
            valkey.kill()
            await until(lambda: losses(logs))
            work.release.set()
            await until(lambda: work.done and losses(logs))
            assert losses(logs) == ["redis.lost"]
        await collected()
    assert unheard == []
