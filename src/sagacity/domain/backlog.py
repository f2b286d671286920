"""How much work is waiting, over all organisations."""

from datetime import datetime

from sagacity.domain.base import Value


class Backlog(Value):
    """What waits, counted; nothing of it says whose it is."""

    due_count: int = 0
    """Users and organisations whose logs have to be looked at by now."""
    oldest_due_at: datetime | None = None
    """Since when the one waits that has waited longest; None where none does."""
    cursors_behind: int = 0
    """Cursors that have turns before them which a worker has still to read."""
    unembedded_count: int = 0
    """Documents without their vectors."""
    parked_count: int = 0
    """Dead letters that nobody has looked after."""


class ConnectionUse(Value):
    """How many connections to the database this process may have, and how many are in use."""

    limit: int
    in_use: int
