# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""What is known about users."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked, statuses
from sagacity.client.words.memory import StatusWord
from sagacity.schemas.interactions import Deleted, DeletedMany
from sagacity.schemas.profiles import (
    Added,
    AddProfilesBody,
    DeleteProfileBody,
    DeleteProfilesByIdsBody,
    GetProfilesBody,
    ProfileChangeLogPage,
    ProfileData,
    ProfilesPage,
    ProfileStatistics,
    Updated,
    UpdateProfileBody,
)


def add_user_profile(
    connection: Connection, user_profiles: Sequence[ProfileData | Mapping[str, object]]
) -> Added:
    """
    Add profiles; either all are stored, or none.

    An existing `profile_id` of the same user is replaced; one of another user is refused with 409.

    Args:
        connection: to the server.
        user_profiles: facts about users.
    """
    body = checked(AddProfilesBody, {"user_profiles": user_profiles})
    return connection.send("POST", "/api/add_user_profile", Added, body=body)


def update_user_profile(
    connection: Connection,
    user_id: str,
    profile_id: str,
    *,
    content: str | None = None,
    custom_features: Mapping[str, object] | None = None,
) -> Updated:
    """
    Change a current profile; fields that are not given stay as they are.

    Args:
        connection: to the server.
        content: what the memory says.
        custom_features: free JSON that an extractor noted beside the fact.
    """
    body = checked(
        UpdateProfileBody,
        {
            "user_id": user_id,
            "profile_id": profile_id,
            "content": content,
            "custom_features": custom_features,
        },
    )
    return connection.send("PUT", "/api/update_user_profile", Updated, body=body, repeatable=True)


def get_profiles(
    connection: Connection,
    user_id: str,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    top_k: int | None = None,
    status_filter: Sequence[StatusWord] | None = None,
) -> ProfilesPage:
    """
    Return a user's unexpired profiles, last changed first; by default the current ones.

    Args:
        connection: to the server.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        top_k: the largest number of results to return; by default 30.
        status_filter: only memories with one of these statuses; null stands for current. Default: current.
    """
    body = checked(
        GetProfilesBody,
        {
            "user_id": user_id,
            "start_time": start_time,
            "end_time": end_time,
            "top_k": top_k,
            "status_filter": statuses(status_filter),
        },
    )
    return connection.send("POST", "/api/get_profiles", ProfilesPage, body=body, repeatable=True)


def get_all_profiles(
    connection: Connection,
    limit: int = 100,
    *,
    status_filter: str | None = None,
    user_id: str | None = None,
    profile_id: str | None = None,
    source: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    query: str | None = None,
) -> ProfilesPage:
    """
    Return profiles, last changed first: `current` (the default), `pending` or `archived`.

    Without `user_id`, those of all users. With a `query`, those that match its words, best first.

    Args:
        connection: to the server.
        limit: the largest number of results to return.
        status_filter: `current`, `pending` or `archived`. Default: `current`.
        user_id: only profiles of this user. Default: all users.
        profile_id: only the profile with this id.
        source: only profiles learned from requests with this `source`.
        start_time: only profiles last changed at this time or later.
        end_time: only profiles last changed at this time or earlier.
        query: words to look for; the best match comes first.
    """
    params = {
        "limit": limit,
        "status_filter": status_filter,
        "user_id": user_id,
        "profile_id": profile_id,
        "source": source,
        "start_time": start_time,
        "end_time": end_time,
        "query": query,
    }
    return connection.get("/api/get_all_profiles", ProfilesPage, params=params)


def get_profile_statistics(connection: Connection) -> ProfileStatistics:
    """Count the unexpired profiles of all users by status, and the current ones that expire within a week."""
    return connection.get("/api/get_profile_statistics", ProfileStatistics)


def get_profile_change_log(connection: Connection) -> ProfileChangeLogPage:
    """Return what the last 100 runs changed in profiles, newest first."""
    return connection.get("/api/profile_change_log", ProfileChangeLogPage)


def delete_profile(
    connection: Connection,
    user_id: str,
    profile_id: str | None = None,
    *,
    search_query: str | None = None,
) -> Deleted:
    """
    Delete a user's profile by its id, or all of the user's profiles that contain every word of `search_query`.

    If both are given, the id counts. If nothing matches, the reply is 404.

    Args:
        connection: to the server.
        search_query: delete the profiles that contain every one of these words.
    """
    body = checked(
        DeleteProfileBody, {"user_id": user_id, "profile_id": profile_id, "search_query": search_query}
    )
    return connection.send("DELETE", "/api/delete_profile", Deleted, body=body)


def delete_profiles_by_ids(connection: Connection, profile_ids: Sequence[str]) -> DeletedMany:
    """
    Delete several profiles; unknown ids are ignored.

    Args:
        connection: to the server.
        profile_ids: only these profiles.
    """
    body = checked(DeleteProfilesByIdsBody, {"profile_ids": profile_ids})
    return connection.send("DELETE", "/api/delete_profiles_by_ids", DeletedMany, body=body)


def delete_all_profiles(connection: Connection) -> DeletedMany:
    """Delete all profiles of all users."""
    return connection.send("DELETE", "/api/delete_all_profiles", DeletedMany)
