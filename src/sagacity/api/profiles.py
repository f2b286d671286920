"""Profiles: facts about users."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query

from sagacity.api.dependencies import Caller, Reads, Writes
from sagacity.api.parameters import MaxRows
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.ids import MemoryUid, UserId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.paced import each
from sagacity.domain.views.change_log import profile_change_log_view
from sagacity.domain.views.profile import profile_view
from sagacity.memories.change_logs import profile_changes
from sagacity.memories.delete import delete_memories
from sagacity.memories.listing import Choice, list_memories
from sagacity.memories.profiles import (
    count_profiles,
    delete_profile_of_user,
    delete_profiles_matching,
    edit_profile,
    put_profiles,
)
from sagacity.schemas.base import Id, Label, Moment, Storable
from sagacity.schemas.interactions import Deleted, DeletedMany
from sagacity.schemas.profiles import (
    Added,
    AddProfilesBody,
    DeleteProfileBody,
    DeleteProfilesByIdsBody,
    GetProfilesBody,
    ProfileChangeLogPage,
    ProfilesPage,
    ProfileStatistics,
    Updated,
    UpdateProfileBody,
)
from sagacity.schemas.search import MAX_QUERY

router = resource("profiles")
_LISTED = {str(status): status for status in (Status.CURRENT, Status.PENDING, Status.ARCHIVED)}


@router.post("/add_user_profile", response_model_exclude_none=True)
@limited(Rate.WRITE)
async def add_user_profile(body: AddProfilesBody, caller: Writes) -> Added:
    """
    Add profiles; either all are stored, or none.

    An existing `profile_id` of the same user is replaced; one of another user is refused with 409.
    """
    parts = caller.acting.parts
    now = parts.clock.now()
    profiles = [
        one.to_memory(MemoryUid(one.profile_id.strip() or parts.ids.new()), now) for one in body.user_profiles
    ]
    count = await put_profiles(caller.acting, profiles)
    return Added(message=f"stored {counted(count, 'profile')}", added_count=count)


@router.put("/update_user_profile", response_model_exclude_none=True)
async def update_user_profile(body: UpdateProfileBody, caller: Writes) -> Updated:
    """Change a current profile; fields that are not given stay as they are."""
    await edit_profile(
        caller.acting,
        MemoryUid(body.profile_id),
        UserId(body.user_id),
        content=body.content,
        custom_features=body.custom_features,
    )
    return Updated(msg=f"updated profile {body.profile_id}", message=f"updated profile {body.profile_id}")


@router.post("/get_profiles", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
async def get_profiles(body: GetProfilesBody, caller: Reads) -> ProfilesPage:
    """Return a user's unexpired profiles, last changed first; by default the current ones."""
    choice = Choice(
        kind=MemoryKind.PROFILE,
        user_id=UserId(body.user_id),
        statuses=body.status_filter or (),
        start=body.start_time,
        end=body.end_time,
    )
    return await _page(await list_memories(caller.acting, choice, limit=body.top_k))


@router.get("/get_all_profiles", response_model_exclude_none=True, openapi_extra=sdk(positional=("limit",)))
async def get_all_profiles(
    caller: Reads,
    *,
    limit: MaxRows = 100,
    status_filter: Annotated[
        Storable | None,
        Query(max_length=64, description="`current`, `pending` or `archived`. Default: `current`."),
    ] = None,
    user_id: Annotated[
        Id | None, Query(description="Only profiles of this user. Default: all users.")
    ] = None,
    profile_id: Annotated[Id | None, Query(description="Only the profile with this id.")] = None,
    source: Annotated[
        Label | None, Query(description="Only profiles learned from requests with this `source`.")
    ] = None,
    start_time: Annotated[
        Moment | None, Query(description="Only profiles last changed at this time or later.")
    ] = None,
    end_time: Annotated[
        Moment | None, Query(description="Only profiles last changed at this time or earlier.")
    ] = None,
    query: Annotated[
        Storable | None,
        Query(max_length=MAX_QUERY, description="Words to look for; the best match comes first."),
    ] = None,
) -> ProfilesPage:
    """
    Return profiles, last changed first: `current` (the default), `pending` or `archived`.

    Without `user_id`, those of all users. With a `query`, those that match its words, best first.
    """
    choice = Choice(
        kind=MemoryKind.PROFILE,
        uid=None if profile_id is None else MemoryUid(profile_id),
        statuses=(_LISTED.get(status_filter or "", Status.CURRENT),),
        user_id=None if user_id is None else UserId(user_id),
        source=source,
        start=start_time,
        end=end_time,
        words=query,
    )
    return await _page(await list_memories(caller.acting, choice, limit=limit))


async def _page(found: Sequence[Memory]) -> ProfilesPage:
    return ProfilesPage(
        user_profiles=tuple(await each(profile_view, found)), msg=counted(len(found), "profile")
    )


@router.get("/get_profile_statistics", response_model_exclude_none=True)
async def get_profile_statistics(caller: Reads) -> ProfileStatistics:
    """Count the unexpired profiles of all users by status, and the current ones that expire within a week."""
    counts = await count_profiles(caller.acting)
    return ProfileStatistics(
        current_count=counts.by_status.get(Status.CURRENT, 0),
        pending_count=counts.by_status.get(Status.PENDING, 0),
        archived_count=counts.by_status.get(Status.ARCHIVED, 0),
        expiring_soon_count=counts.expiring_soon,
    )


@router.get("/profile_change_log")
async def get_profile_change_log(caller: Reads) -> ProfileChangeLogPage:
    """Return what the last 100 runs changed in profiles, newest first."""
    logs = await profile_changes(caller.acting)
    return ProfileChangeLogPage(profile_change_logs=tuple(await each(profile_change_log_view, logs)))


@router.delete("/delete_profile", openapi_extra=sdk(positional=("user_id", "profile_id")))
async def delete_profile(body: DeleteProfileBody, caller: Writes) -> Deleted:
    """
    Delete a user's profile by its id, or all of the user's profiles that contain every word of `search_query`.

    If both are given, the id counts. If nothing matches, the reply is 404.
    """
    user_id, uid = UserId(body.user_id), body.profile_id.strip()
    if uid:
        count = await delete_profile_of_user(caller.acting, user_id, MemoryUid(uid))
    else:
        count = await delete_profiles_matching(caller.acting, user_id, body.search_query)
    return Deleted(message=f"deleted {counted(count, 'profile')}")


@router.delete("/delete_profiles_by_ids")
async def delete_profiles_by_ids(body: DeleteProfilesByIdsBody, caller: Writes) -> DeletedMany:
    """Delete several profiles; unknown ids are ignored."""
    return await _delete(caller, [MemoryUid(uid) for uid in body.profile_ids])


@router.delete("/delete_all_profiles")
async def delete_all_profiles(caller: Writes) -> DeletedMany:
    """Delete all profiles of all users."""
    return await _delete(caller, None)


async def _delete(caller: Caller, uids: Sequence[MemoryUid] | None) -> DeletedMany:
    count = await delete_memories(caller.acting, MemoryKind.PROFILE, uids=uids)
    return DeletedMany(message=f"deleted {counted(count, 'profile')}", deleted_count=count)
