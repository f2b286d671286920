"""The interfaces of state that processes share. It is never the only copy, and losing it fails no call."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

Hear = Callable[[str | None], None]
"""Called with the subject that changed; None: anything may have changed. Must return at once and not raise."""


class Limiter(Protocol):
    """Counts calls."""

    async def take(self, key: str, per_minute: int) -> float:
        """
        Take one call from the bucket of *key*, which starts full and refills evenly over a minute.

        Args:
            key: names the bucket; any text, but no secret.
            per_minute: calls per minute, at least 1.

        Returns:
            0 if the call was taken, else the seconds to wait before the next try.
        """
        ...


class Cache(Protocol):
    """Caches bytes for a while. Lost values are returned as None, and the caller computes them again."""

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        """Return the value of each of *keys*, in their order; None for those not cached."""
        ...

    async def set_many(self, values: Mapping[str, bytes], seconds: float) -> None:
        """
        Keep *values* under their keys.

        Args:
            values: by key; keys are any text, but no secret.
            seconds: for how long at most, more than 0.
        """
        ...


class Topic(Protocol):
    """
    Announces changes to all subscribers, in every process.

    Announcements can be lost while the connection is down; all subscribers are told None when it is back.
    """

    async def publish(self, subject: str) -> None:
        """Announce to all subscribers, in this process too, that *subject* changed."""
        ...

    def subscribe(self, hear: Hear) -> None:
        """Call *hear* with what is announced from now on; an event loop must be running."""
        ...


@dataclass(frozen=True, slots=True)
class SharedState:
    """What the processes of one installation share besides the database; an async context manager."""

    limiter: Limiter
    cache: Cache
    topic: Topic
    check: Callable[[], Awaitable[bool]]
    """Whether the state is shared at the moment; otherwise each process continues alone."""
    close: Callable[[], Awaitable[None]]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
