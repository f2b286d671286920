"""Shared state of one process, by clocks that stand still."""

from sagacity.coordination.local import LocalCache, LocalLimiter


class Seconds:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_bucket_is_full_at_first_and_refills_evenly() -> None:
    """60 a minute: 60 at once, then one a second; the wait says when."""
    seconds = Seconds()
    limiter = LocalLimiter(seconds)
    assert [await limiter.take("a", 60) for _ in range(60)] == [0.0] * 60
    assert await limiter.take("a", 60) == 1.0
    seconds.now = 0.75
    assert await limiter.take("a", 60) == 0.25
    seconds.now = 1.0
    assert await limiter.take("a", 60) == 0.0
    assert await limiter.take("b", 60) == 0.0
    seconds.now = 10_000
    assert [await limiter.take("a", 60) for _ in range(60)] == [0.0] * 60
    assert await limiter.take("a", 60) == 1.0


async def test_who_waits_as_long_as_told_gets_in() -> None:
    """No rounding sends away a caller who came when it was told to."""
    seconds = Seconds()
    limiter = LocalLimiter(seconds)
    for per_minute in (1, 7, 61, 997):
        while not (wait := await limiter.take(str(per_minute), per_minute)):
            pass
        for _ in range(100):
            seconds.now += wait
            assert await limiter.take(str(per_minute), per_minute) == 0.0
            wait = await limiter.take(str(per_minute), per_minute)
            assert wait > 0


async def test_limits_that_are_remembered_are_bounded() -> None:
    """The key longest out of use is forgotten first."""
    limiter = LocalLimiter(Seconds(), keys=2)
    for key in ("a", "b", "c"):
        assert await limiter.take(key, 1) == 0.0
    assert await limiter.take("c", 1) > 0
    assert await limiter.take("a", 1) == 0.0


async def test_what_is_cached_ends_on_time() -> None:
    """It is there until its last moment, and not at it."""
    seconds = Seconds()
    cache = LocalCache(seconds)
    await cache.set_many({"a": b"1"}, 10)
    seconds.now = 9.99
    assert await cache.get_many(["a"]) == [b"1"]
    seconds.now = 10
    assert await cache.get_many(["a"]) == [None]


async def test_what_is_cached_is_bounded() -> None:
    """The value longest out of use goes first."""
    cache = LocalCache(Seconds(), keys=2)
    await cache.set_many({"a": b"1", "b": b"2"}, 10)
    assert await cache.get_many(["a"]) == [b"1"]
    await cache.set_many({"c": b"3"}, 10)
    assert await cache.get_many(["a", "b", "c"]) == [b"1", None, b"3"]
