"""The interface of a dispatcher: it receives hints that work may be due, and sees that the work is done."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from sagacity.domain.tenant import DueScope

Handler = Callable[[DueScope], Awaitable[int | None]]
"""
Does what is due of one user's log; run twice, it finds nothing the second time.

Returns how many more turns of that log give it something to do; None: it does not know.
"""


class Dispatcher(Protocol):
    """
    Hears hints about due work, and does it or passes them on to those who do.

    Hints may get lost, also all of them: what is due is in the database, and a sweep of it finds the rest.
    """

    @property
    def is_running(self) -> bool:
        """Whether it works: it was started, and nothing of it has ended since."""
        ...

    def wake(self, scope: DueScope, *, turns: int | None = None) -> None:
        """Hint that a user's log has news, so many *turns* or of another kind; neither waits nor fails."""
        ...

    def poll_now(self) -> None:
        """Hint that something may be due or unindexed, whoever's it is; neither waits nor fails."""
        ...

    async def start(self) -> None:
        """Start."""
        ...

    async def stop(self) -> None:
        """Stop at once. What is unfinished stays due in the database."""
        ...
