"""Time, passed in so that tests can stop it."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where the present moment comes from."""

    def now(self) -> datetime:
        """Return the present moment in UTC, with its zone."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """Return the present moment in UTC."""
        return datetime.now(UTC)  # noqa: TID251  the one place where the machine is asked


def from_epoch(seconds: float) -> datetime:
    """Turn seconds since 1970 into a UTC datetime."""
    return datetime.fromtimestamp(seconds, UTC)


def to_epoch(moment: datetime) -> int:
    """Turn a datetime into whole seconds since 1970."""
    return int(moment.timestamp())
