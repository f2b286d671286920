"""Wait for a server that may go away: report it at once, and reconnect."""

import time
from collections.abc import Callable
from typing import TypeVar

from sagacity.cli.output import plain
from sagacity.cli.progress import stderr
from sagacity.domain.errors import StorageError

PATIENCE_SECONDS = 30.0
_PAUSE_SECONDS = 0.5
T = TypeVar("T")


def patiently(wait: Callable[[Callable[[], None]], T], *, patience_seconds: float = PATIENCE_SECONDS) -> T:
    """
    Return what *wait* returns; while the server is gone, or its database, call it again.

    Args:
        wait: given what to call whenever the server has answered.
        patience_seconds: how long to look for a server that is gone, before that is an error.

    Raises:
        Unreachable: it did not come back.
        StorageError: its database did not.
    """
    from sagacity.client.errors import Unreachable  # noqa: PLC0415  it loads the HTTP stack
    from sagacity.client.retry import pause  # noqa: PLC0415  with it

    lost_at: float | None = None

    def heard() -> None:
        nonlocal lost_at
        lost_at = None

    while True:
        try:
            return wait(heard)
        except (Unreachable, StorageError) as error:
            if lost_at is None:
                lost_at = time.monotonic()
                stderr().print(plain(f"{error}; trying again for {patience_seconds:g} s", "yellow"))
            if time.monotonic() - lost_at >= patience_seconds:
                raise
        pause(_PAUSE_SECONDS)
