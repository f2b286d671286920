"""Time, passed in so that tests can stop it."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The source of the current time."""

    def now(self) -> datetime:
        """Return the current time in UTC, with its time zone."""
        ...

    def monotonic(self) -> float:
        """Return monotonic seconds, unaffected by changes of the machine's clock."""
        ...


class SystemClock:
    """The system clock."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)  # noqa: TID251  the one place where the machine is asked

    def monotonic(self) -> float:
        """Return monotonic seconds."""
        return time.monotonic()


def from_epoch(seconds: float) -> datetime:
    """Turn seconds since 1970 into a UTC datetime."""
    return datetime.fromtimestamp(seconds, UTC)


def to_epoch(moment: datetime) -> int:
    """Turn a datetime into whole seconds since 1970."""
    return int(moment.timestamp())
