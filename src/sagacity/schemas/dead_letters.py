"""Replies about dead letters."""

from sagacity.domain.cursor import DeadLetter
from sagacity.schemas.base import Reply, Schema


class DeadLettersPage(Reply):
    """Windows that a learner gave up on, newest first."""

    dead_letters: tuple[DeadLetter, ...] = ()


class Replayed(Schema):
    """A window that was queued to be read again."""

    success: bool = True
    message: str = ""
    dead_letter: DeadLetter
