"""What is promised while the shared server is away, hangs, forgets, or says strange things."""

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from sagacity.coordination import bucket
from sagacity.coordination.base import SharedState
from sagacity.coordination.open import open_shared
from sagacity.coordination.redis import CHANNEL, RedisTopic
from sagacity.coordination.redis_link import open_link
from support.local_servers import ValkeyServer, running_valkey
from support.waiting import until

SECRET = "s3kret"
CALLS, PATIENCE_SECONDS = 800, 50
"""If each waited a second, eight at a time, as many would take twice as long."""


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[ValkeyServer]:
    """A server of this test's own, to be killed."""
    with running_valkey(tmp_path) as server:
        yield server


def hang(server: ValkeyServer) -> None:
    server._process.send_signal(signal.SIGSTOP)


def go_on(server: ValkeyServer) -> None:
    server._process.send_signal(signal.SIGCONT)


async def use(state: SharedState) -> tuple[float, list[bytes | None]]:
    """Every kind of call once: none may fail, whatever the server does."""
    wait = await state.limiter.take("a", 3)
    await state.cache.set_many({"a": b"1"}, 60)
    await state.topic.publish("a")
    return wait, await state.cache.get_many(["a", "b"])


async def test_without_the_server_each_process_goes_on_alone(mortal: ValkeyServer) -> None:
    """Limits are counted in the process, the cache is empty, no call fails or waits; it is said once."""
    async with open_shared(mortal.url) as state:
        assert await use(state) == (0.0, [b"1", None])
        mortal.kill()
        with capture_logs() as logs:
            async with asyncio.timeout(PATIENCE_SECONDS):
                outcomes = [await use(state) for _ in range(50)]
        assert [wait == 0 for wait, _ in outcomes[:4]] == [True, True, True, False]
        assert [found for _, found in outcomes] == [[None, None]] * 50
        assert await state.check() is False
        assert [(log["event"], log["log_level"], log["server"]) for log in logs] == [
            ("shared.lost", "warning", f"127.0.0.1:{mortal.port}")
        ]


async def test_when_the_server_is_back_it_is_used_again(mortal: ValkeyServer) -> None:
    """Within about a second, by many connections at once, and that is said once."""
    async with open_shared(mortal.url) as state:
        await asyncio.gather(*(use(state) for _ in range(20)))  # the pool is full
        with capture_logs() as logs:
            mortal.kill()
            await asyncio.gather(*(use(state) for _ in range(20)))
            mortal.start()
            await until(state.check)
            found = await asyncio.gather(*(use(state) for _ in range(20)))
        assert [log["event"] for log in logs] == ["shared.lost", "shared.back"]
        assert [cached for _, cached in found] == [[b"1", None]] * 20


async def test_a_server_that_hangs_costs_one_wait(mortal: ValkeyServer) -> None:
    """The calls of that moment wait a second together; those after it do not wait."""
    async with open_shared(mortal.url) as state:
        await use(state)
        hang(mortal)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                waits = await asyncio.gather(*(state.limiter.take("b", 10) for _ in range(CALLS)))
                assert sum(wait == 0 for wait in waits) == 10
                for _ in range(CALLS):
                    await state.limiter.take("b", 10)
        finally:
            go_on(mortal)
        await until(state.check)


async def test_a_server_that_comes_late_is_found(mortal: ValkeyServer) -> None:
    """A process may start before it, and its listeners hear from then on."""
    mortal.kill()
    async with open_shared(mortal.url) as state:
        heard: list[str | None] = []
        with capture_logs() as logs:
            state.topic.subscribe(heard.append)
            assert await use(state) == (0.0, [None, None])
            mortal.start()

            async def hears() -> bool:
                await state.topic.publish("a")
                return "a" in heard

            await until(hears)
            await until(state.check)
        assert heard[0] is None
        assert [log["event"] for log in logs] == ["shared.lost", "shared.back"]


async def test_listeners_are_told_that_news_may_be_lost(mortal: ValkeyServer) -> None:
    """After each time that the connection was gone, by restart or cut, comes a None; and then news again."""
    async with open_shared(mortal.url) as state:
        heard: list[str | None] = []
        state.topic.subscribe(heard.append)

        async def told() -> bool:
            return None in heard

        async def hears() -> bool:
            await state.topic.publish("a")
            return "a" in heard[heard.index(None) :]

        await until(told)
        for _ in range(2):
            heard.clear()
            mortal.kill()
            mortal.start()
            await until(told)
            await until(hears)
        heard.clear()
        with redis.Redis.from_url(mortal.url) as admin:
            admin.client_kill_filter(_type="pubsub", skipme=False)
            await until(told)
            await until(hears)


async def test_a_connection_without_a_sign_of_life_is_given_up(mortal: ValkeyServer) -> None:
    """A silent server is asked, and one that says nothing then is reconnected to; one that answers is kept."""
    link = open_link(mortal.url)
    topic = RedisTopic(link, silence_seconds=0.1)
    heard: list[str | None] = []
    topic.subscribe(heard.append)

    async def told() -> bool:
        return bool(heard)

    async def given_up() -> bool:
        return not link.is_up

    async def asked() -> bool:
        with redis.Redis.from_url(mortal.url) as admin:
            return admin.info("commandstats").get("cmdstat_ping", {"calls": 0})["calls"] >= 5

    try:
        await until(told)
        await until(asked)  # five silences, each answered
        assert heard == [None]
        assert link.is_up
        hang(mortal)
        await until(given_up)
        heard.clear()
        go_on(mortal)
        await until(told)
        assert heard == [None]
        assert link.is_up
    finally:
        go_on(mortal)
        await topic.close()
        await link.client.aclose()


async def test_a_refused_password_is_an_outage_that_does_not_show_it(redis_url: str) -> None:
    """Neither a log nor a representation has it."""
    url = redis_url.replace("redis://", f"redis://:{SECRET}@")
    async with open_shared(url) as state:
        with capture_logs() as logs:
            assert await use(state) == (0.0, [None, None])
        assert await state.check() is False
        assert [log["event"] for log in logs] == ["shared.lost"]
        assert SECRET not in f"{logs} {state!r}"


async def test_a_flushed_server_forgets_and_goes_on(redis_url: str) -> None:
    """Limits start anew, the cache is empty, scripts are sent again; it is no outage."""
    async with open_shared(redis_url) as state:
        assert [await state.limiter.take("a", 1) == 0 for _ in range(2)] == [True, False]
        await state.cache.set_many({"a": b"1"}, 60)
        with redis.Redis.from_url(redis_url) as admin, capture_logs() as logs:
            admin.flushall()
            admin.script_flush()
            assert await state.limiter.take("a", 1) == 0.0
            assert await state.cache.get_many(["a"]) == [None]
        assert logs == []


async def test_all_keys_are_ours_and_expire(redis_url: str) -> None:
    """Nothing stays behind on a server that others use too."""
    async with open_shared(redis_url) as state:
        await use(state)
        await state.cache.set_many({"b": b"1"}, 30)
    with redis.Redis.from_url(redis_url) as admin:
        left = {key: admin.pttl(key) for key in admin.scan_iter()}
    assert left.keys() == {b"sagacity:calls:a", b"sagacity:cache:a", b"sagacity:cache:b"}
    assert all(0 < milliseconds <= 60_000 for milliseconds in left.values())


async def test_strange_news_mean_that_anything_may_have_changed(redis_url: str) -> None:
    """What another program sends on our channel ends no listener."""
    async with open_shared(redis_url) as state:
        heard: list[str | None] = []
        state.topic.subscribe(heard.append)

        async def told() -> bool:
            return heard == [None]

        async def hears() -> bool:
            return heard == [None, None, "ä"]

        await until(told)
        with redis.Redis.from_url(redis_url) as admin:
            admin.publish(CHANNEL, b"\xff\xfe")
            admin.publish(CHANNEL, "ä")
        await until(hears)


STEPS = st.lists(
    st.tuples(st.floats(-5, 90, allow_nan=False) | st.just(0.0), st.integers(1, 7)), min_size=1, max_size=25
)


@pytest.fixture(scope="module")
def both(valkey: ValkeyServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(valkey.url) as client:
        yield client


@given(start=st.floats(0, 2e9, allow_nan=False), steps=STEPS)
def test_both_buckets_do_the_same_arithmetic(both: redis.Redis, start: float, steps) -> None:
    """For the same times, clocks set back included, the script on the server answers to the last bit as Python does."""
    key = "sagacity:calls:property"
    both.delete(key)
    script = both.register_script("local now = tonumber(ARGV[2])\n" + bucket.TAKE)
    now, kept = start, None
    for passed, per_minute in steps:
        now += passed
        left, since = kept or (float(per_minute), now)
        left, wait = bucket.take(left, since, now, per_minute)
        kept = (left, now)
        assert float(script(keys=[key], args=[per_minute, repr(now)])) == wait
