"""Types for the part of redis-py that is used; its own types are incomplete."""

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self, TypedDict


class Message(TypedDict):
    """A message that a subscription receives."""

    type: str
    data: bytes


class Script(Protocol):
    """A Lua script, which is sent again if the server has lost it."""

    async def __call__(self, *, keys: Sequence[bytes], args: Sequence[int]) -> bytes:
        """Run it."""
        ...


class Pipeline(Protocol):
    """Commands that are sent together."""

    def set(self, name: bytes, value: bytes, *, px: int) -> object:
        """Add a SET that expires after *px* milliseconds."""
        ...

    async def execute(self) -> list[object]:
        """Send them."""
        ...


class Subscription(Protocol):
    """A connection that listens."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def subscribe(self, channel: str) -> None:
        """Subscribe to *channel*; the confirmation arrives as a message."""
        ...

    async def get_message(self, *, timeout: float) -> Message | None:
        """Return the next message, or None after *timeout* seconds."""
        ...

    async def ping(self) -> None:
        """Ping the server; the reply arrives as a message."""
        ...


class Client(Protocol):
    """A pool of connections."""

    async def ping(self) -> bool:
        """Ping the server."""
        ...

    async def mget(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of *keys*."""
        ...

    async def publish(self, channel: str, message: bytes) -> int:
        """Send *message* to all subscribers of *channel*."""
        ...

    def pipeline(self, *, transaction: bool) -> Pipeline:
        """Gather commands."""
        ...

    def register_script(self, script: str) -> Script:
        """Prepare a script; nothing is sent yet."""
        ...

    def pubsub(self) -> Subscription:
        """Prepare to listen; nothing is sent yet."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...
