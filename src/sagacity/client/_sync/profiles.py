# Generated from _async by scripts/unasync; edit it there.
"""What is known about users: read, written, edited, deleted."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.client.words import StatusWord, statuses
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


def get_profiles(
    connection: Connection,
    user_id: str,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    top_k: int | None = None,
    status_filter: Sequence[StatusWord] | None = None,
) -> ProfilesPage:
    """Return a user's profiles that hold now, last changed first; other than current ones by *status_filter*."""
    fields = {
        "user_id": user_id,
        "start_time": start_time,
        "end_time": end_time,
        "top_k": top_k,
        "status_filter": statuses(status_filter),
    }
    body = checked(GetProfilesBody, fields)
    return connection.send("POST", "/api/get_profiles", ProfilesPage, body=body, repeatable=True)


def get_all_profiles(
    connection: Connection, limit: int = 100, *, status_filter: StatusWord | None = None
) -> ProfilesPage:
    """Return the profiles of all users, last changed first."""
    params = {"limit": limit, "status_filter": status_filter}
    return connection.get("/api/get_all_profiles", ProfilesPage, params=params)


def get_profile_statistics(connection: Connection) -> ProfileStatistics:
    """Count the profiles that hold now, by status."""
    return connection.get("/api/get_profile_statistics", ProfileStatistics)


def get_profile_change_log(connection: Connection) -> ProfileChangeLogPage:
    """Return what the last runs of learners changed in profiles, newest first."""
    return connection.get("/api/profile_change_log", ProfileChangeLogPage)


def add_user_profile(
    connection: Connection, user_profiles: Sequence[ProfileData | Mapping[str, object]]
) -> Added:
    """Write profiles by hand; one whose profile_id its user has already is replaced."""
    body = checked(AddProfilesBody, {"user_profiles": list(user_profiles)})
    return connection.send("POST", "/api/add_user_profile", Added, body=body)


def update_user_profile(
    connection: Connection,
    user_id: str,
    profile_id: str,
    *,
    content: str | None = None,
    custom_features: Mapping[str, object] | None = None,
) -> Updated:
    """Change a profile; what is not given stays. It is found by its new words at once."""
    fields = {
        "user_id": user_id,
        "profile_id": profile_id,
        "content": content,
        "custom_features": custom_features,
    }
    body = checked(UpdateProfileBody, fields)
    return connection.send("PUT", "/api/update_user_profile", Updated, body=body, repeatable=True)


def delete_profile(
    connection: Connection,
    user_id: str,
    profile_id: str | None = None,
    *,
    search_query: str | None = None,
) -> Deleted:
    """Delete one profile of a user, or those that *search_query* finds."""
    fields = {"user_id": user_id, "profile_id": profile_id, "search_query": search_query}
    body = checked(DeleteProfileBody, fields)
    return connection.send("DELETE", "/api/delete_profile", Deleted, body=body)


def delete_profiles_by_ids(connection: Connection, profile_ids: Sequence[str]) -> DeletedMany:
    """Delete profiles; the count is of those that were there."""
    body = checked(DeleteProfilesByIdsBody, {"profile_ids": list(profile_ids)})
    return connection.send("DELETE", "/api/delete_profiles_by_ids", DeletedMany, body=body)


def delete_all_profiles(connection: Connection) -> DeletedMany:
    """Delete the profiles of all users."""
    return connection.send("DELETE", "/api/delete_all_profiles", DeletedMany)
