"""A user as an operator sees it: that there is one, how active, and how much is remembered."""

from datetime import datetime

from sagacity.domain.base import Value
from sagacity.domain.ids import UserId


class KnownUser(Value):
    """A user who published turns, or of whom something is remembered."""

    user_id: UserId
    turns: int
    """Turns published so far, deleted ones too."""
    last_publish_at: datetime | None
    """None if nothing was ever published."""
    memories: int
    """Current memories of every kind."""
