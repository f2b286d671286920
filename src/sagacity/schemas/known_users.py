"""Replies that list users."""

from datetime import datetime

from sagacity.domain.known_user import KnownUser
from sagacity.schemas.base import Reply, Schema


class KnownUserView(Schema):
    """A user who published turns or has memories."""

    user_id: str
    """The user: the person who talks to the agent."""
    turns: int
    """Turns published so far, including deleted ones."""
    last_publish_at: datetime | None = None
    """When the last turns were stored."""
    memories: int
    """Current memories of every kind."""


class UsersPage(Reply):
    """Users, in the order of their ids."""

    users: tuple[KnownUserView, ...] = ()
    """Each with turns, last publish and memories."""
    next: str | None = None
    """Send it as `after` to get the next page; null at the end."""


def known_user_view(user: KnownUser) -> KnownUserView:
    """Show a user."""
    return KnownUserView(**user.model_dump())
