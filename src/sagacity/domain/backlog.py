"""How much work is waiting, over all organisations."""

from datetime import datetime

from sagacity.domain.base import Value


class Backlog(Value):
    """Counts of waiting work, which name no user or organisation."""

    due_count: int = 0
    """Users and organisations that are due now."""
    oldest_due_at: datetime | None = None
    """Since when the longest has been waiting; None if none is."""
    cursors_behind: int = 0
    """Cursors with unread turns."""
    unembedded_count: int = 0
    """Documents without vectors."""
    parked_count: int = 0
    """Dead letters that were not replayed."""


class ConnectionUse(Value):
    """The database connections that this process may have, and those in use."""

    limit: int
    in_use: int
