# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""What was learned anew: compared, taken into use, taken back."""

from collections.abc import Sequence

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.schemas.versions import (
    DowngradeUserPlaybooksBody,
    GetProfileDiffBody,
    GetUserPlaybookDiffBody,
    ProfileDiff,
    ProfilesDowngraded,
    ProfilesUpgraded,
    SwapProfilesBody,
    UpgradeUserPlaybooksBody,
    UserPlaybookDiff,
    UserPlaybooksDowngraded,
    UserPlaybooksUpgraded,
)


def upgrade_profiles(
    connection: Connection,
    *,
    user_id: str | None = None,
    profile_ids: Sequence[str] | None = None,
    extractor_names: Sequence[str] | None = None,
    only_affected_users: bool = True,
) -> ProfilesUpgraded:
    """
    Take pending profiles into use: archived ones are deleted, current ones archived, pending ones current.

    All of it happens, or nothing. Filters hold for each step. Without anything pending `success` is false and
    nothing changes; while profiles of these users are generated it is refused with 409.

    Args:
        connection: to the server.
        extractor_names: only these extractors; without any, and with an empty list, all.
        only_affected_users: only users who have something to promote, or to restore; the others keep what they
            have.
    """
    body = checked(
        SwapProfilesBody,
        {
            "user_id": user_id,
            "profile_ids": profile_ids,
            "extractor_names": extractor_names,
            "only_affected_users": only_affected_users,
        },
    )
    return connection.send("POST", "/api/upgrade_all_profiles", ProfilesUpgraded, body=body)


def downgrade_profiles(
    connection: Connection,
    *,
    user_id: str | None = None,
    profile_ids: Sequence[str] | None = None,
    extractor_names: Sequence[str] | None = None,
    only_affected_users: bool = True,
) -> ProfilesDowngraded:
    """
    Take back the profiles that the last upgrade archived; the current ones are archived in their place.

    All of it happens, or nothing. Done twice it is as before. Without anything archived `success` is false and
    nothing changes; while profiles of these users are generated it is refused with 409.

    Args:
        connection: to the server.
        extractor_names: only these extractors; without any, and with an empty list, all.
        only_affected_users: only users who have something to promote, or to restore; the others keep what they
            have.
    """
    body = checked(
        SwapProfilesBody,
        {
            "user_id": user_id,
            "profile_ids": profile_ids,
            "extractor_names": extractor_names,
            "only_affected_users": only_affected_users,
        },
    )
    return connection.send("POST", "/api/downgrade_all_profiles", ProfilesDowngraded, body=body)


def upgrade_user_playbooks(
    connection: Connection,
    *,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    user_id: str | None = None,
    user_playbook_ids: Sequence[int] | None = None,
    only_affected_users: bool = True,
    archive_current: bool = True,
) -> UserPlaybooksUpgraded:
    """
    Take pending user playbooks into use: archived ones are deleted, current ones archived, pending ones current.

    With `archive_current=false` the pending ones join the current ones, and nothing is archived or deleted. All
    of it happens, or nothing. Without anything pending `success` is false and nothing changes; while playbooks of
    these users are generated it is refused with 409.

    Args:
        connection: to the server.
        only_affected_users: only users who have something to promote, or to restore; the others keep what they
            have.
        archive_current: without it what is pending joins what is current, and nothing is put away.
    """
    body = checked(
        UpgradeUserPlaybooksBody,
        {
            "agent_version": agent_version,
            "playbook_name": playbook_name,
            "user_id": user_id,
            "user_playbook_ids": user_playbook_ids,
            "only_affected_users": only_affected_users,
            "archive_current": archive_current,
        },
    )
    return connection.send("POST", "/api/upgrade_all_user_playbooks", UserPlaybooksUpgraded, body=body)


def downgrade_user_playbooks(
    connection: Connection,
    *,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    user_id: str | None = None,
    user_playbook_ids: Sequence[int] | None = None,
    only_affected_users: bool = True,
) -> UserPlaybooksDowngraded:
    """
    Take back the user playbooks that the last upgrade archived; the current ones are archived in their place.

    All of it happens, or nothing. Done twice it is as before. Without anything archived `success` is false and
    nothing changes; while playbooks of these users are generated it is refused with 409.

    Args:
        connection: to the server.
        only_affected_users: only users who have something to promote, or to restore; the others keep what they
            have.
    """
    body = checked(
        DowngradeUserPlaybooksBody,
        {
            "agent_version": agent_version,
            "playbook_name": playbook_name,
            "user_id": user_id,
            "user_playbook_ids": user_playbook_ids,
            "only_affected_users": only_affected_users,
        },
    )
    return connection.send("POST", "/api/downgrade_all_user_playbooks", UserPlaybooksDowngraded, body=body)


def get_profile_diff(
    connection: Connection,
    *,
    user_id: str | None = None,
    extractor_names: Sequence[str] | None = None,
    only_affected_users: bool = True,
    limit: int | None = None,
) -> ProfileDiff:
    """
    Compare pending profiles with current ones: what an upgrade with the same filters would add, lose and change.

    Changed are pairs that answer the same or mean nearly the same, most alike first, one to one. All are counted;
    of each sort up to `limit` are shown. Without anything pending `success` is false, as an upgrade would change
    nothing.

    Args:
        connection: to the server.
        extractor_names: only these extractors; without any, and with an empty list, all.
        only_affected_users: only users who have something pending.
    """
    body = checked(
        GetProfileDiffBody,
        {
            "user_id": user_id,
            "extractor_names": extractor_names,
            "only_affected_users": only_affected_users,
            "limit": limit,
        },
    )
    return connection.send("POST", "/api/get_profile_diff", ProfileDiff, body=body, repeatable=True)


def get_user_playbook_diff(
    connection: Connection,
    *,
    user_id: str | None = None,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    only_affected_users: bool = True,
    limit: int | None = None,
) -> UserPlaybookDiff:
    """
    Compare pending user playbooks with current ones: what an upgrade with the same filters would add, lose and change.

    Changed are pairs of one user, agent version and name that mean nearly the same, most alike first, one to one.
    All are counted; of each sort up to `limit` are shown. Without anything pending `success` is false, as an
    upgrade would change nothing.

    Args:
        connection: to the server.
        only_affected_users: only users who have something pending.
    """
    body = checked(
        GetUserPlaybookDiffBody,
        {
            "user_id": user_id,
            "agent_version": agent_version,
            "playbook_name": playbook_name,
            "only_affected_users": only_affected_users,
            "limit": limit,
        },
    )
    return connection.send(
        "POST", "/api/get_user_playbook_diff", UserPlaybookDiff, body=body, repeatable=True
    )
