"""
What processes share, on every implementation: limits, cache, news.

*pair* is what two processes hold. In memory there is one process, which holds it twice.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import pytest

from sagacity.coordination.base import SharedState
from sagacity.coordination.open import open_shared
from support.waiting import until

Pair = tuple[SharedState, SharedState]
ODD_KEYS = ["", " ", "a\r\nb", "\x00", "ключ", "\ud800", "x" * 10_000, "{a}b*"]


def _local(request: pytest.FixtureRequest) -> Pair:
    state = open_shared("")
    return state, state


def _valkey(request: pytest.FixtureRequest) -> Pair:
    url = request.getfixturevalue("redis_url")
    return open_shared(url), open_shared(url)


STATES: dict[str, Callable[[pytest.FixtureRequest], Pair]] = {"local": _local, "valkey": _valkey}


@pytest.fixture(params=list(STATES))
async def pair(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    pair = STATES[request.param](request)
    yield pair
    for state in pair:
        await state.close()


async def test_it_is_there(pair: Pair) -> None:
    """Both processes reach it."""
    assert [await state.check() for state in pair] == [True, True]


async def test_an_allowance_is_one_over_all_processes(pair: Pair) -> None:
    """Five a minute are five over both; then the wait says when the next one is."""
    limiters = [pair[number % 2].limiter for number in range(5)]
    assert [await limiter.take("a", 5) for limiter in limiters] == [0.0] * 5
    for state in pair:
        assert 0 < await state.limiter.take("a", 5) <= 12
        assert await state.limiter.take(f"b {id(state)}", 5) == 0.0


async def test_calls_at_the_same_moment_are_counted_one_by_one(pair: Pair) -> None:
    """Of sixty calls side by side, five get through."""
    began = time.monotonic()
    waits = await asyncio.gather(*(state.limiter.take("a", 5) for state in pair * 30))
    admitted = sum(wait == 0 for wait in waits)
    assert 5 <= admitted <= 5 + (time.monotonic() - began) / 12
    assert all(0 < wait <= 12 for wait in waits if wait)


async def test_an_allowance_refills_while_time_passes(pair: Pair) -> None:
    """Who waits as long as told gets in, once."""
    one, other = pair
    began = time.monotonic()
    admitted = 0
    while not (wait := await one.limiter.take("a", 600)):
        admitted += 1
    assert 600 <= admitted <= 600 + (time.monotonic() - began) * 10
    assert 0 < wait <= 0.1
    began = time.monotonic()
    async with asyncio.timeout(60):
        while await other.limiter.take("a", 600):
            await asyncio.sleep(0.005)
    assert time.monotonic() - began >= wait - 0.02


async def test_a_lower_limit_holds_at_once(pair: Pair) -> None:
    """An allowance is never larger than what is asked with."""
    one, other = pair
    assert await one.limiter.take("a", 100) == 0.0
    assert await other.limiter.take("a", 1) == 0.0
    assert await one.limiter.take("a", 1) > 50


@pytest.mark.parametrize("key", ODD_KEYS)
async def test_any_text_is_a_key(pair: Pair, key: str) -> None:
    """Keys are told apart, whatever is in them."""
    one, other = pair
    assert await one.limiter.take(key, 1) == 0.0
    assert await other.limiter.take(key, 1) > 0
    assert await other.limiter.take(key + "'", 1) == 0.0
    await one.cache.set_many({key: b"1"}, 60)
    assert await other.cache.get_many([key + "'", key]) == [None, b"1"]


async def test_what_one_process_keeps_others_find(pair: Pair) -> None:
    """Values come back in the order of the keys, byte by byte; what is not there is None."""
    one, other = pair
    await one.cache.set_many({"a": b"1", "b": b"", "c": bytes(range(256))}, 60)
    assert await other.cache.get_many(["c", "x", "a", "b", "a"]) == [bytes(range(256)), None, b"1", b"", b"1"]
    await other.cache.set_many({"a": b"2"}, 60)
    assert await one.cache.get_many(["a"]) == [b"2"]


async def test_nothing_kept_and_nothing_asked_is_fine(pair: Pair) -> None:
    """Empty calls have empty answers."""
    one, _ = pair
    await one.cache.set_many({}, 60)
    assert await one.cache.get_many([]) == []


async def test_a_cached_value_expires(pair: Pair) -> None:
    """It goes when its time is over, and another one stays."""
    one, other = pair
    await one.cache.set_many({"long": b"1"}, 60)
    await one.cache.set_many({"short": b"1", "renewed": b"1"}, 0.2)
    assert await other.cache.get_many(["short"]) == [b"1"]
    await one.cache.set_many({"renewed": b"2"}, 60)

    async def gone() -> bool:
        return await other.cache.get_many(["short"]) == [None]

    await until(gone)
    assert await other.cache.get_many(["long", "renewed"]) == [b"1", b"2"]


async def listening(state: SharedState) -> list[str | None]:
    """Subscribe, and return what is heard once everybody hears."""
    heard: list[str | None] = []
    state.topic.subscribe(heard.append)

    async def hears() -> bool:
        await state.topic.publish("ready?")
        return "ready?" in heard

    await until(hears)
    return heard


async def test_everybody_hears_what_anyone_publishes(pair: Pair) -> None:
    """In every process, the publisher's too; by each listener, in order."""
    one, other = pair
    listeners = [await listening(state) for state in (one, other, one)]
    subjects = ["a", "org ключ", "", "\ud800", "x" * 10_000, "last"]
    for subject in subjects:
        await one.topic.publish(subject)

    async def done() -> bool:
        return all("last" in heard for heard in listeners)

    await until(done)
    for heard in listeners:
        assert [subject for subject in heard if subject != "ready?"][-len(subjects) :] == subjects
