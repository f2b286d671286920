"""Time, passed in so that tests can stop it."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where the present moment comes from."""

    def now(self) -> datetime:
        """Return the present moment in UTC, with its zone."""
        ...

    def monotonic(self) -> float:
        """Return seconds from some moment on, which nobody who sets the machine's clock changes."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """Return the present moment in UTC."""
        return datetime.now(UTC)  # noqa: TID251  the one place where the machine is asked

    def monotonic(self) -> float:
        """Return seconds from some moment on."""
        return time.monotonic()


def from_epoch(seconds: float) -> datetime:
    """Turn seconds since 1970 into a UTC datetime."""
    return datetime.fromtimestamp(seconds, UTC)


def to_epoch(moment: datetime) -> int:
    """Turn a datetime into whole seconds since 1970."""
    return int(moment.timestamp())
