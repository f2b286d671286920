# Generated from the API's description by scripts/sdk; change it there.
"""Turns that a learner gave up on."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.words import DeadLetterStatusWord
from sagacity.schemas.dead_letters import DeadLettersPage, Replayed


async def list_dead_letters(
    connection: AsyncConnection,
    *,
    status: DeadLetterStatusWord | None = None,
    user_id: str | None = None,
    limit: int = 100,
) -> DeadLettersPage:
    """Return windows that a learner gave up on, with the last error, newest first."""
    params = {"status": status, "user_id": user_id, "limit": limit}
    return await connection.get("/api/dead_letters", DeadLettersPage, params=params)


async def replay_dead_letter(connection: AsyncConnection, dead_letter_id: int) -> Replayed:
    """Queue one window to be read again, now."""
    return await connection.send("POST", f"/api/dead_letters/{dead_letter_id:d}/replay", Replayed)
