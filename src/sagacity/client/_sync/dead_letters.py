# Generated from _async by scripts/unasync; edit it there.
"""Turns that a learner gave up on."""

from sagacity.client._sync.connection import Connection
from sagacity.client.words import LetterWord
from sagacity.schemas.dead_letters import DeadLettersPage, Replayed


def list_dead_letters(
    connection: Connection,
    *,
    status: LetterWord | None = None,
    user_id: str | None = None,
    limit: int = 100,
) -> DeadLettersPage:
    """Return what was given up, newest first, with the last error of each."""
    params = {"status": status, "user_id": user_id, "limit": limit}
    return connection.get("/api/dead_letters", DeadLettersPage, params=params)


def replay_dead_letter(connection: Connection, dead_letter_id: int) -> Replayed:
    """Learn again from what was given up."""
    return connection.send("POST", f"/api/dead_letters/{dead_letter_id:d}/replay", Replayed)
