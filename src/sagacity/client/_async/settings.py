# Generated from the API's description by scripts/sdk; change it there.
"""Who a user is, and what may be remembered of them."""

from collections.abc import Mapping

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
from sagacity.schemas.settings import (
    MemorySettingsView,
    SettingsView,
    UpdateMemorySettingsBody,
    UpdateSettingsBody,
)


async def get_user_settings(connection: AsyncConnection, *, user_id: str | None = None) -> SettingsView:
    """
    Return the user's record; a missing one is created with the defaults.

    Args:
        connection: to the server.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    return await connection.get("/api/profile", SettingsView, params=params)


async def update_user_settings(
    connection: AsyncConnection,
    *,
    user_id: str | None = None,
    display_name: str | None = None,
    bio: str | None = None,
    timezone: str | None = None,
    language: str | None = None,
    preferences: Mapping[str, object] | None = None,
) -> SettingsView:
    """
    Change the user's record; fields and preferences that are not given stay as they are.

    Args:
        connection: to the server.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
        display_name: what the user wants to be called; empty for nothing.
        bio: what the user says of themselves; empty for nothing.
        timezone: the user's time zone, such as `Europe/Paris`.
        language: the user's language, such as `en` or `pt-BR`.
        preferences: other preferences by name; those not given stay, and null removes one.
    """
    params = {"user_id": user_id}
    body = checked(
        UpdateSettingsBody,
        {
            "display_name": display_name,
            "bio": bio,
            "timezone": timezone,
            "language": language,
            "preferences": preferences,
        },
    )
    return await connection.send(
        "PATCH", "/api/profile", SettingsView, params=params, body=body, repeatable=True
    )


async def get_memory_settings(
    connection: AsyncConnection, *, user_id: str | None = None
) -> MemorySettingsView:
    """
    Return what may be remembered of the user.

    Args:
        connection: to the server.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    return await connection.get("/api/profile/memory-settings", MemorySettingsView, params=params)


async def update_memory_settings(
    connection: AsyncConnection,
    *,
    user_id: str | None = None,
    memory_enabled: bool | None = None,
    auto_extract: bool | None = None,
    retention_days: int | None = None,
    max_memories_per_type: int | None = None,
    semantic_extraction: bool | None = None,
    entity_extraction: bool | None = None,
    procedural_learning: bool | None = None,
) -> MemorySettingsView:
    """
    Change what may be remembered of the user; settings that are not given stay as they are.

    What the user says while something is switched off is not learned later either.

    Args:
        connection: to the server.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
        memory_enabled: whether anything is learned of the user, and anything remembered in their chats.
        auto_extract: whether anything is learned from what the user says.
        retention_days: memories that were neither changed nor used for this many days are deleted.
        max_memories_per_type: if there are more of a type than this, the least valuable are archived.
        semantic_extraction: whether semantic memories are learned.
        entity_extraction: whether people, places and things are noted with what is learned.
        procedural_learning: whether procedural memories are learned.
    """
    params = {"user_id": user_id}
    body = checked(
        UpdateMemorySettingsBody,
        {
            "memory_enabled": memory_enabled,
            "auto_extract": auto_extract,
            "retention_days": retention_days,
            "max_memories_per_type": max_memories_per_type,
            "semantic_extraction": semantic_extraction,
            "entity_extraction": entity_extraction,
            "procedural_learning": procedural_learning,
        },
    )
    return await connection.send(
        "PATCH", "/api/profile/memory-settings", MemorySettingsView, params=params, body=body, repeatable=True
    )


async def reset_memory_settings(
    connection: AsyncConnection, *, user_id: str | None = None
) -> MemorySettingsView:
    """
    Reset to the defaults what may be remembered of the user.

    Args:
        connection: to the server.
        user_id: for whom the call is. Needed with an organisation's token; a user's own token says it. Calls from
            the server's own machine without a token may leave it out, and are then for the user `local`.
    """
    params = {"user_id": user_id}
    return await connection.send(
        "POST", "/api/profile/memory-settings/reset", MemorySettingsView, params=params
    )
