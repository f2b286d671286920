"""Configurations in memory, with news in one process and over a server: old ones are never served for long."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from sagacity.config.cached import CachedConfigs
from sagacity.config.database import DatabaseConfigs
from sagacity.config.tenant_config import TenantConfig
from sagacity.coordination.base import SharedState
from sagacity.coordination.open import open_shared
from sagacity.domain.audit import SYSTEM
from sagacity.domain.errors import StorageError
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage
from support.local_servers import running_valkey
from support.parts import ORG, OTHER_ORG
from support.waiting import until

FOR_EVER = 1e9
URLS = {"local": lambda request: "", "valkey": lambda request: request.getfixturevalue("redis_url")}


@pytest.fixture(params=list(URLS))
async def shared(request: pytest.FixtureRequest) -> AsyncIterator[SharedState]:
    async with open_shared(URLS[request.param](request)) as state:
        yield state


class Seconds:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Slow:
    """A store that counts its reads. One reads at once what it answers when the gate opens."""

    def __init__(self) -> None:
        self.kept: dict[Tenant, TenantConfig] = {}
        self.reads = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.failures: list[Exception] = []

    async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
        self.reads += 1
        found = self.kept.get(tenant, TenantConfig())
        await self.gate.wait()
        return found

    async def set(self, tenant: Tenant, config: TenantConfig, *, by: str = SYSTEM) -> None:
        self.kept[tenant] = config
        if self.failures:
            raise self.failures.pop()


def sized(size: int) -> TenantConfig:
    return TenantConfig(batch_size=size, batch_interval=1)


async def standing(shared: SharedState, inner: Slow) -> CachedConfigs:
    """A cache that hears the news by now, and keeps what it has until it hears some."""
    configs = CachedConfigs(inner, shared.topic, ttl_seconds=FOR_EVER)
    heard: list[str | None] = []
    shared.topic.subscribe(heard.append)

    async def hears() -> bool:
        await shared.topic.publish("ready?")
        return "ready?" in heard

    await until(hears)
    return configs


async def test_a_configuration_is_read_once(shared: SharedState) -> None:
    """The next calls are answered from memory; a fresh one is not, and what it read is kept."""
    inner = Slow()
    configs = await standing(shared, inner)
    inner.kept[ORG] = sized(7)
    assert [(await configs.get(ORG)).batch_size for _ in range(3)] == [7, 7, 7]
    assert inner.reads == 1
    inner.kept[ORG] = sized(8)
    assert (await configs.get(ORG)).batch_size == 7
    assert (await configs.get(ORG, fresh=True)).batch_size == 8
    assert (await configs.get(ORG)).batch_size == 8
    assert inner.reads == 2


async def test_calls_at_once_share_a_read(shared: SharedState) -> None:
    """Two hundred messages after a pause ask the bucket once; who comes with a change in between is told of it."""
    inner = Slow()
    configs = await standing(shared, inner)

    async def was_asked(times: int) -> bool:
        return inner.reads == times

    inner.gate.clear()
    early = [asyncio.create_task(configs.get(ORG)) for _ in range(50)]
    await until(lambda: was_asked(1))
    early[0].cancel()  # whoever asked first may go away
    late = [asyncio.create_task(configs.get(ORG)) for _ in range(50)]
    inner.gate.set()
    assert {one.batch_size for one in await asyncio.gather(*early[1:], *late)} == {TenantConfig().batch_size}
    assert inner.reads == 1

    inner.gate.clear()
    before = asyncio.create_task(configs.get(ORG, fresh=True))
    await until(lambda: was_asked(2))
    await configs.set(ORG, sized(9))
    after = [asyncio.create_task(configs.get(ORG)) for _ in range(50)]
    inner.gate.set()
    assert {one.batch_size for one in await asyncio.gather(*after)} == {9}
    assert (await before).batch_size == TenantConfig().batch_size
    assert inner.reads == 3


async def test_after_a_few_seconds_it_is_read_again(shared: SharedState) -> None:
    """Whatever happened to the news, nothing older than two seconds is served."""
    inner, seconds = Slow(), Seconds()
    configs = CachedConfigs(inner, shared.topic, monotonic=seconds)

    async def kept() -> bool:  # a connection that comes to stand drops everything once
        before = inner.reads
        await configs.get(ORG)
        return inner.reads == before

    await until(kept)
    inner.kept[ORG] = sized(8)
    seconds.now = 1.99
    assert (await configs.get(ORG)).batch_size != 8
    seconds.now = 2.0
    assert (await configs.get(ORG)).batch_size == 8


async def test_what_was_set_here_is_seen_by_the_next_get(shared: SharedState) -> None:
    """Without waiting for any news; other organisations' stay."""
    inner = Slow()
    configs = await standing(shared, inner)
    for size in range(1, 20):
        await configs.set(ORG, sized(size))
        assert (await configs.get(ORG)).batch_size == size
    await configs.get(OTHER_ORG)
    reads = inner.reads
    await configs.set(ORG, sized(30))
    await configs.get(OTHER_ORG)
    assert inner.reads == reads


async def test_what_was_set_elsewhere_is_seen_with_its_news(shared: SharedState) -> None:
    """Two processes over one store: the one that did not set it drops it too."""
    inner = Slow()
    here, there = await standing(shared, inner), await standing(shared, inner)
    assert (await there.get(ORG)).batch_size != 5

    async def seen() -> bool:
        return (await there.get(ORG)).batch_size == 5

    await here.set(ORG, sized(5))
    await until(seen)


async def test_a_get_that_began_before_a_set_keeps_nothing(shared: SharedState) -> None:
    """Its answer may be from before; the next get must not find it."""
    inner = Slow()
    configs = await standing(shared, inner)
    inner.gate.clear()
    early = asyncio.create_task(configs.get(ORG))

    async def reading() -> bool:
        return inner.reads == 1

    await until(reading)
    await configs.set(ORG, sized(9))
    inner.gate.set()
    assert (await early).batch_size != 9
    assert (await configs.get(ORG)).batch_size == 9


async def test_a_set_that_failed_drops_what_is_kept(shared: SharedState) -> None:
    """Nobody knows whether it was stored: the store is asked."""
    inner = Slow()
    configs = await standing(shared, inner)
    await configs.get(ORG)
    inner.failures.append(StorageError("no answer to the commit"))
    with pytest.raises(StorageError):
        await configs.set(ORG, sized(9))
    assert (await configs.get(ORG)).batch_size == 9


async def test_what_is_kept_is_bounded(shared: SharedState) -> None:
    """The organisation asked for longest ago is read again."""
    inner = Slow()
    configs = CachedConfigs(inner, shared.topic, ttl_seconds=FOR_EVER, tenants=2)
    tenants = [Tenant(org_id=f"org-{number}") for number in range(3)]

    async def settled() -> bool:
        before = inner.reads
        for tenant in tenants[1:] * 2:
            await configs.get(tenant)
        return inner.reads == before

    await until(settled)
    await configs.get(tenants[0])
    reads = inner.reads
    await configs.get(tenants[2])
    assert inner.reads == reads
    await configs.get(tenants[1])
    assert inner.reads == reads + 1


@pytest.mark.parametrize("seed", range(5))
async def test_no_order_of_gets_and_sets_serves_an_older_one(shared: SharedState, seed: int) -> None:
    """Whoever begins to get after a set has ended sees that one, or a later one."""
    chance = random.Random(seed)

    class Uneven(Slow):
        async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
            for _ in range(chance.randrange(3)):
                await asyncio.sleep(0)
            found = await super().get(tenant)
            for _ in range(chance.randrange(5)):
                await asyncio.sleep(0)
            return found

        async def set(self, tenant: Tenant, config: TenantConfig, *, by: str = SYSTEM) -> None:
            for _ in range(chance.randrange(3)):
                await asyncio.sleep(0)
            await super().set(tenant, config, by=by)
            for _ in range(chance.randrange(5)):
                await asyncio.sleep(0)

    inner = Uneven()
    configs = await standing(shared, inner)
    await configs.set(ORG, sized(1))
    ended = 1
    looks = 0

    async def write() -> None:
        nonlocal ended
        for size in range(2, 200):
            await configs.set(ORG, sized(size))
            ended = size
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)

    async def look() -> None:
        nonlocal looks
        while ended < 199:
            least = ended
            assert (await configs.get(ORG)).batch_size >= least
            looks += 1
            await asyncio.sleep(0)

    await asyncio.gather(write(), *(look() for _ in range(4)))
    assert looks > 200


async def test_without_news_an_old_one_lasts_no_longer_than_its_time(tmp_path) -> None:
    """The server of the news dies: sets work, this process sees its own, another one two seconds later."""
    inner, seconds = Slow(), Seconds()
    with running_valkey(tmp_path) as server:
        async with open_shared(server.url) as ours, open_shared(server.url) as theirs:
            await standing(ours, inner)
            await standing(theirs, inner)
            here = CachedConfigs(inner, ours.topic, monotonic=seconds)
            there = CachedConfigs(inner, theirs.topic, monotonic=seconds)
            before = (await there.get(ORG)).batch_size
            server.kill()
            await here.set(ORG, sized(before + 1))
            assert (await here.get(ORG)).batch_size == before + 1
            assert (await there.get(ORG)).batch_size == before
            seconds.now = 5.0
            assert (await there.get(ORG)).batch_size == before + 1


async def test_over_the_database(shared: SharedState, storage: Storage) -> None:
    """What is set is stored, and seen by a process that starts afterwards."""
    configs = CachedConfigs(DatabaseConfigs(storage), shared.topic)
    assert await configs.get(ORG) == TenantConfig()
    await configs.set(ORG, sized(6))
    assert (await configs.get(ORG)).batch_size == 6
    assert (await configs.get(OTHER_ORG)) == TenantConfig()
    assert (await DatabaseConfigs(storage).get(ORG)).batch_size == 6
