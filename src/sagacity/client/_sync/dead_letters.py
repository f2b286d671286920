# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Turns that a learner gave up on."""

from sagacity.client._sync.connection import Connection
from sagacity.client.words.cursor import DeadLetterStatusWord
from sagacity.schemas.dead_letters import DeadLettersPage, Replayed


def list_dead_letters(
    connection: Connection,
    *,
    status: DeadLetterStatusWord | None = None,
    user_id: str | None = None,
    limit: int = 100,
) -> DeadLettersPage:
    """
    Return windows that a learner gave up on, with the last error, newest first.

    Args:
        connection: to the server.
        status: only windows in this state. Default: any state.
        user_id: only windows of this user. Default: all users.
        limit: the largest number of results to return.
    """
    params = {"status": status, "user_id": user_id, "limit": limit}
    return connection.get("/api/dead_letters", DeadLettersPage, params=params)


def replay_dead_letter(connection: Connection, dead_letter_id: int) -> Replayed:
    """
    Queue one window to be read again now.

    Args:
        connection: to the server.
        dead_letter_id: the window's number, as `GET /api/dead_letters` lists it.
    """
    return connection.send("POST", f"/api/dead_letters/{dead_letter_id:d}/replay", Replayed)
