# Generated from _async by scripts/unasync; edit it there.
"""The calls on a user's memories and settings that have no object for a reply."""

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import segment


def delete_memory(connection: Connection, memory_id: str, *, user_id: str | None = None) -> None:
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
    connection.discard(path, params={"user_id": user_id})


def delete_memories(
    connection: Connection,
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
    connection.discard("/api/memories", params=params)


def delete_user_settings(connection: Connection, *, user_id: str | None = None) -> None:
    """
    Delete a user's record, with what may be remembered; the memories stay.

    Args:
        connection: to the server.
        user_id: whose; needed with an organisation's token.
    """
    connection.discard("/api/profile", params={"user_id": user_id})
