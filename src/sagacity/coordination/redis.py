"""Shared state of many processes, in Redis or Valkey."""

import asyncio
import math
from collections.abc import AsyncGenerator, Mapping, Sequence

from sagacity.coordination import bucket
from sagacity.coordination.base import Hear, SharedState
from sagacity.coordination.local import LocalLimiter
from sagacity.coordination.redis_link import FAILURES, Link, open_link
from sagacity.coordination.redis_types import Subscription

PREFIX = "sagacity:"
CHANNEL = f"{PREFIX}changes"
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 0.05, 2.0
_SILENCE_SECONDS = 5.0
_CANCEL_AGAIN_SECONDS = 1.0


class RedisLimiter:
    """A token bucket for each key, by the server's clock; while the server is down, each process has its own."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._take = link.client.register_script(bucket.SERVER_NOW + bucket.TAKE)
        self._alone = LocalLimiter()

    async def take(self, key: str, per_minute: int) -> float:
        """Take one call from the bucket of *key*; returns 0, or the seconds to wait before the next try."""
        wait = await self._link.ask(lambda: self._take(keys=[_name("calls", key)], args=[per_minute]))
        return await self._alone.take(key, per_minute) if wait is None else float(wait)


class RedisCache:
    """Bytes that expire on the server; while it is down, nothing is cached."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        """Return the value of each of *keys*, in their order; None for those not cached."""
        if not keys:
            return []
        names = [_name("cache", key) for key in keys]
        found = await self._link.ask(lambda: self._link.client.mget(names))
        return [None] * len(keys) if found is None else list(found)

    async def set_many(self, values: Mapping[str, bytes], seconds: float) -> None:
        """Keep *values* under their keys, for *seconds* at most."""
        if not values:
            return
        lifetime = max(1, math.floor(seconds * 1000))
        pipeline = self._link.client.pipeline(transaction=False)
        for key, value in values.items():
            pipeline.set(_name("cache", key), value, px=lifetime)
        await self._link.ask(pipeline.execute)


class RedisTopic:
    """
    Announcements over a channel of the server, with one connection per process.

    It reconnects forever. After each connect, all subscribers are told that anything may have changed.
    """

    def __init__(self, link: Link, silence_seconds: float = _SILENCE_SECONDS) -> None:
        """
        Prepare to listen; the first subscriber starts it.

        Args:
            link: the connection to the server.
            silence_seconds: after this long without a message, the server is pinged; after as long again, the
                connection is given up.
        """
        self._link = link
        self._silence_seconds = silence_seconds
        self._listeners: list[Hear] = []
        self._listening: asyncio.Task[None] | None = None

    async def publish(self, subject: str) -> None:
        """Announce to all subscribers, in this process too, that *subject* changed."""
        news = subject.encode("utf-8", "surrogatepass")
        await self._link.ask(lambda: self._link.client.publish(CHANNEL, news))

    def subscribe(self, hear: Hear) -> None:
        """Call *hear* with what is announced from now on."""
        self._listeners.append(hear)
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen_for_ever())

    async def close(self) -> None:
        """Stop listening; cancelled repeatedly, because a driver may swallow a cancellation."""
        while self._listening is not None and not self._listening.done():
            self._listening.cancel()
            await asyncio.wait([self._listening], timeout=_CANCEL_AGAIN_SECONDS)

    async def _listen_for_ever(self) -> None:
        wait = _FIRST_WAIT_SECONDS
        while True:
            try:
                async with self._link.client.pubsub() as connection:
                    await connection.subscribe(CHANNEL)
                    async for subject in self._heard(connection):
                        self._link.works("topic")
                        wait = _FIRST_WAIT_SECONDS
                        for hear in self._listeners:
                            hear(subject)
            except FAILURES as error:
                self._link.failed("topic", error)
                await asyncio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT_SECONDS)

    async def _heard(self, connection: Subscription) -> AsyncGenerator[str | None]:
        """Yield announcements; None when the subscription is established, and for those that cannot be parsed."""
        asked = False
        while True:
            message = await connection.get_message(timeout=self._silence_seconds)
            if message is None:
                if asked:
                    raise TimeoutError("no sign of life")
                await connection.ping()
            elif message["type"] == "message":
                yield _subject(message["data"])
            elif message["type"] == "subscribe":
                yield None
            asked = message is None


def open_redis(url: str) -> SharedState:
    """
    Return the state shared by all processes with this *url*; nothing connects before first use.

    Raises:
        ConfigError: *url* is not that of a Redis or Valkey server.
    """
    link = open_link(url)
    topic = RedisTopic(link)

    async def check() -> bool:
        return await link.ask(link.client.ping) is not None and link.is_up

    async def close() -> None:
        await topic.close()
        await link.client.aclose()

    return SharedState(RedisLimiter(link), RedisCache(link), topic, check, close)


def _name(kind: str, key: str) -> bytes:
    return f"{PREFIX}{kind}:{key}".encode("utf-8", "surrogatepass")


def _subject(news: bytes) -> str | None:
    try:
        return news.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
