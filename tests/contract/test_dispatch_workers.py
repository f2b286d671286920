"""What several workers on one queue promise: one a user, some an organisation, and nothing lost with the queue."""

import asyncio
import json
import pickle
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import structlog
from redis.asyncio import Redis

from sagacity.dispatch.arq.queue import WORKER_SECONDS
from sagacity.dispatch.arq.wakeups import NO_WORKER, ArqWakeups
from sagacity.dispatch.job import JobKind, learn_job
from sagacity.dispatch.lease import acquire_lease
from sagacity.dispatch.open import open_queue
from sagacity.domain.errors import ConfigError, ProviderTimeout
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import LOCAL_ORG, DueScope, Tenant
from sagacity.learning.embedding_backfill import EmbeddingBackfill
from sagacity.storage.transaction import Storage
from support.dispatchers import Work, queue, running, until, worker
from support.learning import BrokenEmbedder, WordEmbedder
from support.local_servers import running_valkey
from support.parts import ANNA, ORG, OTHER_ORG, said
from support.waiting import until as until_found

pytestmark = [pytest.mark.own_database, pytest.mark.either_database]

ANNAS = DueScope(tenant=ORG, user_id=ANNA)
QUIET_SECONDS = 0.4
"""Long enough for whatever should not come."""


@pytest.fixture
def storage(live_storage: Storage) -> Storage:
    """On the real clock: dispatching is about time."""
    return live_storage


async def queued(redis: Redis, kind: JobKind, count: int) -> None:
    """Wait until so many jobs of a kind are in the queue."""

    async def is_so() -> bool:
        return await redis.zcard(kind.queue) == count

    await until_found(is_so)


async def everything(redis: Redis) -> dict[str, object]:
    """What Redis holds, with the milliseconds that each key has left."""
    held: dict[str, object] = {}
    for key in await redis.keys("*"):
        is_list = await redis.type(key) == b"zset"
        value = await (redis.zrange(key, 0, -1, withscores=True) if is_list else redis.get(key))
        held[key.decode()] = (value, await redis.pttl(key))
    return held | {"time": await redis.time()}


async def due(storage: Storage, count: int, tenant: Tenant = ORG) -> list[DueScope]:
    """Make so many users of an organisation due."""
    users = [f"u{n}" for n in range(count)]
    await asyncio.gather(
        *(storage.append(tenant, said("x", request_id=f"r-{user}", user_id=user)) for user in users)
    )
    return [DueScope(tenant=tenant, user_id=UserId(user)) for user in users]


async def test_hints_of_several_processes_are_one_job(storage: Storage, redis_url: str, redis: Redis) -> None:
    """Whoever hints at a user, and how often: one job waits."""
    await storage.append(ORG, said("x"))
    work = Work(storage)
    processes = [ArqWakeups(queue(redis_url)) for _ in range(3)]
    async with running(*processes):
        for process in processes * 5:
            process.wake(ANNAS)
            await asyncio.sleep(0.01)
        await queued(redis, JobKind.LEARN, 1)
        await asyncio.sleep(QUIET_SECONDS)
        assert await redis.zcard(JobKind.LEARN.queue) == 1
    async with running(worker(storage, queue(redis_url), work)):
        await until(lambda: work.done)
        await asyncio.sleep(QUIET_SECONDS)
    assert work.started == [ANNAS]
    assert await redis.zcard(JobKind.LEARN.queue) == 0


@pytest.mark.parametrize("user", ["a:b\r\n*{x}", "ö" * 200, "💥\x01"])
async def test_ids_of_users_are_in_no_key(storage: Storage, redis_url: str, redis: Redis, user: str) -> None:
    """An id is what its user likes; it arrives as it is, and names nothing in Redis."""
    await storage.append(ORG, said("x", user_id=user))
    work, hints = Work(storage), ArqWakeups(queue(redis_url))
    scope = DueScope(tenant=ORG, user_id=UserId(user))
    async with running(hints):
        hints.wake(scope)
        await queued(redis, JobKind.LEARN, 1)
        keys = await redis.keys("*")
    assert not [key for key in keys if not key.decode().isascii() or ORG.org_id.encode() in key]
    async with running(worker(storage, queue(redis_url), work)):
        await until(lambda: work.done)
    assert work.done == [scope]


async def test_limit_of_an_organisation_holds_over_all_workers(storage: Storage, redis_url: str) -> None:
    """Three workers with four places each: no more than three users of an organisation at once, and all in the end."""
    scopes = await due(storage, 20)
    work = Work(storage, 0.05)
    work.release.clear()
    workers = [worker(storage, queue(redis_url, tenant_concurrency=3), work, concurrency=4) for _ in range(3)]
    async with running(*workers):
        await until(lambda: len(work.started) == 3)
        await asyncio.sleep(QUIET_SECONDS)
        work.release.set()
        await until(lambda: len(work.done) == 20)
    assert set(work.done) == set(scopes)
    assert len(work.started) == 20
    assert work.most[ORG] == 3


async def test_large_organisation_does_not_hold_up_a_small_one(
    storage: Storage, redis_url: str, redis: Redis
) -> None:
    """Behind an organisation with 2,000 due users, all hinted at, another's only user is soon served."""
    scopes = await due(storage, 2_000)
    await storage.append(OTHER_ORG, said("x"))
    small = DueScope(tenant=OTHER_ORG, user_id=ANNA)
    work, hints = Work(storage, 0.01), ArqWakeups(queue(redis_url, tenant_concurrency=4))
    async with running(hints):
        for scope in scopes:
            hints.wake(scope)
        await queued(redis, JobKind.LEARN, 4)
        # No hint tells of the small one: the sweep has to find it, while the first of the large one are worked on.
        work.release.clear()
        async with running(worker(storage, queue(redis_url, tenant_concurrency=4), work, concurrency=2)):
            await queued(redis, JobKind.LEARN, 5)
            work.release.set()
            await until(lambda: small in work.done)
    assert work.started.index(small) <= 4 + 2 * 4


async def test_sweep_deals_out_fairly(storage: Storage) -> None:
    """The organisations take turns, each with those who wait longest."""
    for n in range(8):
        await storage.append(ORG, said("x", request_id=f"r{n}", user_id=f"u{n}"))
    await storage.append(OTHER_ORG, said("x"))
    found = await storage.due_scopes(limit=100, each=3)
    assert Counter(scope.tenant for scope in found) == {ORG: 3, OTHER_ORG: 1}
    assert {scope.tenant for scope in found[:2]} == {ORG, OTHER_ORG}
    longest = [UserId(f"u{n}") for n in range(3)]
    assert [scope.user_id for scope in found if scope.tenant == ORG] == longest
    assert [scope.user_id for scope in await storage.due_scopes(limit=3)] == longest
    async with storage.read(ORG) as snapshot:
        assert await snapshot.cursors.list_due(limit=3) == longest


async def test_long_work_is_not_taken_over(storage: Storage, redis_url: str, redis: Redis) -> None:
    """Work that takes much longer than the lease stays with the worker that has it, as long as that is alive."""
    await storage.append(ORG, said("x"))
    work = Work(storage, 5.0)
    workers = [worker(storage, queue(redis_url, lease_seconds=3), work, sweep_seconds=0.2) for _ in range(2)]
    async with running(*workers):
        await until(lambda: work.started)
        # What a kill now would leave behind lapses with the lease.
        assert 0 < await redis.pttl(f"arq:in-progress:{learn_job(ANNAS).job_id}") <= 3000
        await until(lambda: work.done)
    assert work.started == [ANNAS]


async def test_job_of_a_dead_worker_is_taken_over(storage: Storage, redis_url: str, redis: Redis) -> None:
    """What a killed worker leaves in Redis holds a user up for the time of a lease, and no longer."""
    [theirs] = await due(storage, 1)
    dead, work = queue(redis_url, tenant_concurrency=1, lease_seconds=3.0), Work(storage)
    assert await dead.offer([learn_job(theirs)]) == 1
    assert await dead.claim(learn_job(theirs))
    begun = time.monotonic()
    await redis.set(f"arq:in-progress:{learn_job(theirs).job_id}", 1, px=3000)
    await dead.close()
    alive = worker(
        storage, queue(redis_url, tenant_concurrency=1, lease_seconds=3.0), work, sweep_seconds=0.2
    )
    with structlog.testing.capture_logs() as logs:
        async with running(alive):
            try:
                await until(lambda: work.done)
            except AssertionError as late:
                late.add_note(f"started {work.started}, logged {logs}, in Redis {await everything(redis)}")
                raise
    assert time.monotonic() - begun > 2.8
    assert work.started == [theirs]


async def test_flushed_queue_is_filled_again(storage: Storage, redis_url: str, redis: Redis) -> None:
    """Redis emptied in the middle of it all: the sweep finds everybody who waited."""
    scopes = await due(storage, 6)
    work, hints = Work(storage), ArqWakeups(queue(redis_url))
    work.release.clear()
    async with running(hints, worker(storage, queue(redis_url), work, concurrency=1, sweep_seconds=0.2)):
        for scope in scopes:
            hints.wake(scope)
        await until(lambda: work.started)
        await redis.flushall()
        work.release.set()
        await until(lambda: set(work.done) == set(scopes))


async def test_what_runs_is_not_begun_again_after_a_flush(
    storage: Storage, redis_url: str, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """A worker that is hinted at what it does already, because Redis forgot that, goes on with it undisturbed."""
    await storage.append(ORG, said("x"))
    work, hints = Work(storage), ArqWakeups(queue(redis_url))
    work.release.clear()
    async with running(hints, worker(storage, queue(redis_url), work, concurrency=3, sweep_seconds=0.2)):
        await until(lambda: work.started)
        for _ in range(3):
            await redis.flushall()
            hints.wake(ANNAS)
            await asyncio.sleep(QUIET_SECONDS)
        work.release.set()
        await until(lambda: work.done)
        await asyncio.sleep(QUIET_SECONDS)
    assert work.started == work.done == [ANNAS]
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_job_whose_record_is_gone_is_dropped(
    storage: Storage, redis_url: str, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """Redis emptied between the two reads that take a job: one plain line in the log, and the sweep finds the user."""
    job = learn_job(ANNAS)
    await redis.zadd(JobKind.LEARN.queue, {job.job_id: 1})
    await storage.append(ORG, said("x"))
    work = Work(storage)
    async with running(worker(storage, queue(redis_url), work, sweep_seconds=0.2)):
        await until(lambda: work.done)
        await queued(redis, JobKind.LEARN, 0)
    assert work.started == [ANNAS]
    assert [record.message for record in caplog.records if "expired" in record.message] == [
        f"job {job.job_id} expired"
    ]
    assert [record.message for record in caplog.records if record.exc_info] == []


async def test_outage_only_delays(storage: Storage, tmp_path: Path) -> None:
    """Redis away: what runs goes on, hints cost nothing, work is done when it is back, and both ends are logged."""
    with running_valkey(tmp_path) as server, structlog.testing.capture_logs() as logs:
        scopes = await due(storage, 3)
        work, hints = Work(storage), ArqWakeups(queue(server.url))
        work.release.clear()
        works = worker(storage, queue(server.url), work, concurrency=1, sweep_seconds=0.2)
        async with running(hints, works):
            await until(lambda: work.started)
            server.kill()
            for scope in scopes:
                hints.wake(scope)
            await until(lambda: len(of_outage(logs)) == 2)
            work.release.set()
            await until(lambda: work.done)
            await asyncio.sleep(0.5)
            assert works.is_running
            assert hints.is_running
            server.start()
            await until(lambda: set(work.done) == set(scopes))
            hints.wake(ANNAS)
            await until(lambda: len(of_outage(logs)) == 4)
    assert Counter(of_outage(logs)) == {"redis.lost": 2, "redis.found": 2}  # two connections: hints, worker


def of_outage(logs: list) -> list[str]:
    return [line["event"] for line in logs if line["event"].startswith("redis.")]


async def test_a_worker_is_known_while_it_runs_and_for_some_seconds(
    storage: Storage, redis_url: str, redis: Redis
) -> None:
    """Servers see that somebody works; one that was killed is forgotten by itself."""
    hints = ArqWakeups(queue(redis_url))
    async with running(hints):
        assert await hints.obstacle() == NO_WORKER
        async with running(worker(storage, queue(redis_url), Work(storage))):

            async def is_known() -> bool:
                return not await hints.obstacle()

            await until_found(is_known)
        assert 0 < await redis.ttl("sagacity:worker") <= WORKER_SECONDS


async def test_one_sweeps_at_a_time(storage: Storage, redis_url: str) -> None:
    """While somebody else holds the right to sweep nobody sweeps; when it is given back, somebody does."""
    work = Work(storage)
    sweeper = Tenant(org_id=LOCAL_ORG)
    workers = [
        worker(storage, queue(redis_url, lease_seconds=3.0), work, sweep_seconds=0.1) for _ in range(2)
    ]
    async with acquire_lease(storage, sweeper, "sweep", "another", seconds=60) as lease, running(*workers):
        assert lease is not None
        await storage.append(ORG, said("x"))
        await asyncio.sleep(QUIET_SECONDS)
        assert work.started == []
        async with storage.begin(sweeper) as tx:
            await tx.leases.finish(lease)
        await until(lambda: work.done)
    assert work.started == [ANNAS]


async def test_workers_index_organisation_by_organisation(storage: Storage, redis_url: str) -> None:
    """Many documents of one organisation and one of another get vectors; an embedder that was down is tried again."""
    await storage.append(ORG, said(*(f"turn {n}" for n in range(100))))
    await storage.append(OTHER_ORG, said("turn"))
    embedder = BrokenEmbedder(WordEmbedder(), ProviderTimeout("no answer"))
    embedder.refuses = lambda text: True
    index = EmbeddingBackfill(storage, embedder).run_one
    workers = [worker(storage, queue(redis_url), Work(storage), index, sweep_seconds=0.3) for _ in range(2)]
    async with running(*workers):
        await until(lambda: embedder.calls >= 2)
        assert await storage.unembedded_count() == 101
        embedder.error = None

        async def is_indexed() -> bool:
            return not await storage.unembedded_count()

        await until_found(is_indexed)


class Bomb:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return exploded.append, ("boom",)


exploded: list[str] = []


async def test_what_others_write_into_the_queue_is_not_run(
    storage: Storage, redis_url: str, redis: Redis
) -> None:
    """Who can write to Redis can waste our time, and no more: no record is executed, and none ends the worker."""
    good = {"t": None, "k": {}, "et": 1}
    records = [
        pickle.dumps(Bomb()),
        b"\xff\x00",
        json.dumps(good | {"f": "os.system", "a": ["true"]}).encode(),
        json.dumps(good | {"f": "learn", "a": [1, {"x": 2}]}).encode(),
        json.dumps(good | {"f": "learn", "a": []}).encode(),
        json.dumps([1, 2]).encode(),
    ]
    for n, record in enumerate(records):
        await redis.set(f"arq:job:bad-{n}", record)
        await redis.zadd(JobKind.LEARN.queue, {f"bad-{n}": 1})
    await storage.append(ORG, said("x"))
    work = Work(storage)
    works = worker(storage, queue(redis_url), work)
    async with running(works):
        await until(lambda: work.done)
        await queued(redis, JobKind.LEARN, 0)
        assert works.is_running
    assert (work.started, exploded) == ([ANNAS], [])


@pytest.mark.parametrize("url", ["", "http://:hunter2@host", "redis://:hunter2@host:port/0"])
def test_wrong_url_is_refused_without_its_password(url: str) -> None:
    """The message names the setting, shows how to write it, and tells no secret."""
    with pytest.raises(ConfigError, match=r"SAGACITY_REDIS_URL.*redis://") as caught:
        open_queue(url, tenant_concurrency=1, lease_seconds=1)
    assert "hunter2" not in str(caught.value)
