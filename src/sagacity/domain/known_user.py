"""A user as an operator sees them: the id, how active they are, and how much is remembered."""

from datetime import datetime

from sagacity.domain.base import Value
from sagacity.domain.ids import UserId


class KnownUser(Value):
    """A user who published turns or has memories."""

    user_id: UserId
    turns: int
    """Turns published so far, including deleted ones."""
    last_publish_at: datetime | None
    """None if nothing was ever published."""
    memories: int
    """Current memories of every kind."""
