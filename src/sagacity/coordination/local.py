"""Shared state of a single process, in memory."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence

from sagacity.coordination import bucket
from sagacity.coordination.base import Hear, SharedState

_CALLERS = 10_000
_CACHED = 10_000

Monotonic = Callable[[], float]


class LocalLimiter:
    """
    A token bucket for each key.

    If there are too many keys, the least recently used are dropped; that can only let more calls through.
    """

    def __init__(self, monotonic: Monotonic = time.monotonic, keys: int = _CALLERS) -> None:
        self._monotonic = monotonic
        self._keys = keys
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def take(self, key: str, per_minute: int) -> float:
        """Take one call from the bucket of *key*; returns 0, or the seconds to wait before the next try."""
        now = self._monotonic()
        left, since = self._buckets.pop(key, (float(per_minute), now))
        left, wait = bucket.take(left, since, now, per_minute)
        self._buckets[key] = (left, now)
        if len(self._buckets) > self._keys:
            self._buckets.popitem(last=False)
        return wait


class LocalCache:
    """Bytes with an expiry; if there are too many, the least recently used are dropped."""

    def __init__(self, monotonic: Monotonic = time.monotonic, keys: int = _CACHED) -> None:
        self._monotonic = monotonic
        self._keys = keys
        self._kept: OrderedDict[str, tuple[bytes, float]] = OrderedDict()

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        """Return the value of each of *keys*, in their order; None for those not cached."""
        now = self._monotonic()
        return [self._get(key, now) for key in keys]

    async def set_many(self, values: Mapping[str, bytes], seconds: float) -> None:
        """Keep *values* under their keys, for *seconds* at most."""
        until = self._monotonic() + seconds
        for key, value in values.items():
            self._kept[key] = (value, until)
            self._kept.move_to_end(key)
        while len(self._kept) > self._keys:
            self._kept.popitem(last=False)

    def _get(self, key: str, now: float) -> bytes | None:
        value, until = self._kept.get(key, (None, now))
        if now >= until:
            self._kept.pop(key, None)
            return None
        self._kept.move_to_end(key)
        return value


class LocalTopic:
    """Calls all subscribers at once."""

    def __init__(self) -> None:
        self._listeners: list[Hear] = []

    async def publish(self, subject: str) -> None:
        """Announce that *subject* changed."""
        for hear in self._listeners:
            hear(subject)

    def subscribe(self, hear: Hear) -> None:
        """Call *hear* with what is announced from now on."""
        self._listeners.append(hear)


def open_local() -> SharedState:
    """Return the shared state of a single process, which is always available."""

    async def check() -> bool:
        return True

    async def close() -> None:
        return None

    return SharedState(LocalLimiter(), LocalCache(), LocalTopic(), check, close)
