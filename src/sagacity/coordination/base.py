"""The interfaces of state that processes share. It is never the only copy, and losing it fails no call."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

Hear = Callable[[str | None], None]
"""Told the subject that changed, or None: anything may have. It returns at once and does not raise."""


class Limiter(Protocol):
    """Counts calls."""

    async def take(self, key: str, per_minute: int) -> float:
        """
        Take one call from the allowance of *key*: full at first, refilled evenly over a minute.

        Args:
            key: whose allowance; any text, but no secret.
            per_minute: calls a minute, 1 or more.

        Returns:
            0 if the call was taken, or after how many seconds to try again.
        """
        ...


class Cache(Protocol):
    """Keeps bytes for a while. What it lost is answered as None, and computed again by its caller."""

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        """Return what is kept under each of *keys*, in their order."""
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
    Spreads the news that something changed to all who listen, in every process.

    News can be lost while the connection is. Everybody is told None when it is back.
    """

    async def publish(self, subject: str) -> None:
        """Tell everybody, also in this process, that *subject* changed."""
        ...

    def subscribe(self, hear: Hear) -> None:
        """Have *hear* told what is published from now on; an event loop must run."""
        ...


@dataclass(frozen=True, slots=True)
class SharedState:
    """All that the processes of one installation share besides the database; closed at the end of its block."""

    limiter: Limiter
    cache: Cache
    topic: Topic
    check: Callable[[], Awaitable[bool]]
    """Whether it is shared now; while it is not, each process goes on alone."""
    close: Callable[[], Awaitable[None]]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
