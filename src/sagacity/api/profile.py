"""A user's own settings: what they say of themselves, and what may be remembered."""

from fastapi import Response

from sagacity.api.chat import ReadsForUser, WritesForUser
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.memories.settings import (
    change_memory_settings,
    change_settings,
    forget_settings,
    settings_of,
)
from sagacity.schemas.settings import (
    MemorySettingsView,
    SettingsView,
    UpdateMemorySettingsBody,
    UpdateSettingsBody,
    memory_settings_view,
    settings_view,
)

router = resource("settings", path="/profile")


@router.get("", openapi_extra=sdk(positional=()))
async def get_user_settings(for_user: ReadsForUser) -> SettingsView:
    """Return the user's record; a missing one is created with the defaults."""
    return settings_view(await settings_of(for_user.acting, for_user.user_id))


@router.patch("", openapi_extra=sdk(positional=()))
@limited(Rate.WRITE)
async def update_user_settings(body: UpdateSettingsBody, for_user: WritesForUser) -> SettingsView:
    """Change the user's record; fields and preferences that are not given stay as they are."""
    preferences = body.preferences or {}
    changed = await change_settings(for_user.acting, for_user.user_id, body.changes, preferences)
    return settings_view(changed)


@router.delete("", status_code=204, openapi_extra=sdk(generated=False))
async def delete_user_settings(for_user: WritesForUser) -> Response:
    """Delete the user's record, with what may be remembered; the memories stay."""
    await forget_settings(for_user.acting, for_user.user_id)
    return Response(status_code=204)


@router.get("/memory-settings", openapi_extra=sdk(positional=()))
async def get_memory_settings(for_user: ReadsForUser) -> MemorySettingsView:
    """Return what may be remembered of the user."""
    return memory_settings_view((await settings_of(for_user.acting, for_user.user_id)).memory)


@router.patch("/memory-settings", openapi_extra=sdk(positional=()))
@limited(Rate.WRITE)
async def update_memory_settings(
    body: UpdateMemorySettingsBody, for_user: WritesForUser
) -> MemorySettingsView:
    """
    Change what may be remembered of the user; settings that are not given stay as they are.

    What the user says while something is switched off is not learned later either.
    """
    return memory_settings_view(await change_memory_settings(for_user.acting, for_user.user_id, body.changes))


@router.post("/memory-settings/reset", openapi_extra=sdk(positional=()))
@limited(Rate.WRITE)
async def reset_memory_settings(for_user: WritesForUser) -> MemorySettingsView:
    """Reset to the defaults what may be remembered of the user."""
    return memory_settings_view(await change_memory_settings(for_user.acting, for_user.user_id, None))
