"""The interface of a dispatcher, which receives hints that work may be due, and ensures that the work is done."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from sagacity.domain.tenant import DueScope

Handler = Callable[[DueScope], Awaitable[int | None]]
"""
Does the due work of one scope; a second run finds nothing to do.

Returns how many more turns the log needs before there is work again; None if that is not known.
"""


class Dispatcher(Protocol):
    """
    Receives hints about due work, and does the work or passes the hints on.

    Any hint may be lost: the database knows what is due, and a sweep finds it.
    """

    @property
    def is_running(self) -> bool:
        """Whether it was started and all of its loops are alive."""
        ...

    def wake(self, scope: DueScope, *, turns: int | None = None) -> None:
        """Hint that a user's log has *turns* more turns, or has changed otherwise; neither waits nor fails."""
        ...

    async def obstacle(self) -> str:
        """Return why no work can start now, and what to do about it; empty if work can start."""
        ...

    def poll_now(self) -> None:
        """Hint that something of any user may be due or unindexed; neither waits nor fails."""
        ...

    async def start(self) -> None:
        """Start."""
        ...

    async def stop(self) -> None:
        """Stop at once. What is unfinished stays due in the database."""
        ...
