"""The calls on a user's memories and settings that have no object for a reply."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import segment


async def delete_memory(connection: AsyncConnection, memory_id: str, *, user_id: str | None = None) -> None:
    """
    Delete a memory of a user with its history.

    Args:
        connection: to the server.
        memory_id: the memory's id, or its number as a chat's sources name it.
        user_id: whose; needed with an organisation's token.

    Raises:
        NotFound: the user has no such memory.
    """
    path = f"/api/memories/{segment(memory_id)}"
    await connection.discard(path, params={"user_id": user_id})


async def delete_memories(
    connection: AsyncConnection,
    *,
    memory_type: str | None = None,
    confirm: bool = False,
    user_id: str | None = None,
) -> None:
    """
    Delete all memories of a user, or all of one type, with their history, current or not.

    Args:
        connection: to the server.
        memory_type: only those of this type.
        confirm: must be true; otherwise nothing is deleted.
        user_id: whose; needed with an organisation's token.

    Raises:
        InvalidInput: it is not confirmed.
    """
    params = {"memory_type": memory_type, "confirm": confirm, "user_id": user_id}
    await connection.discard("/api/memories", params=params)


async def delete_user_settings(connection: AsyncConnection, *, user_id: str | None = None) -> None:
    """
    Delete a user's record, with what may be remembered; the memories stay.

    Args:
        connection: to the server.
        user_id: whose; needed with an organisation's token.
    """
    await connection.discard("/api/profile", params={"user_id": user_id})
