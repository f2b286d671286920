# Generated from _async by scripts/unasync; edit it there.
"""Versions of what was learned: compared, taken into use, taken back."""

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


def get_profile_diff(
    connection: Connection,
    *,
    user_id: str | None = None,
    extractor_names: Sequence[str] | None = None,
    only_affected_users: bool = True,
    limit: int | None = None,
) -> ProfileDiff:
    """Return what `upgrade_profiles` with the same arguments would add, lose and change."""
    fields = {
        "user_id": user_id,
        "extractor_names": extractor_names,
        "only_affected_users": only_affected_users,
        "limit": limit,
    }
    body = checked(GetProfileDiffBody, fields)
    return connection.send("POST", "/api/get_profile_diff", ProfileDiff, body=body, repeatable=True)


def upgrade_profiles(
    connection: Connection,
    *,
    user_id: str | None = None,
    profile_ids: Sequence[str] | None = None,
    extractor_names: Sequence[str] | None = None,
    only_affected_users: bool = True,
) -> ProfilesUpgraded:
    """Take pending profiles into use and put the current ones away; `success` is false if none is pending."""
    fields = {
        "user_id": user_id,
        "profile_ids": profile_ids,
        "extractor_names": extractor_names,
        "only_affected_users": only_affected_users,
    }
    body = checked(SwapProfilesBody, fields)
    return connection.send("POST", "/api/upgrade_all_profiles", ProfilesUpgraded, body=body)


def downgrade_profiles(
    connection: Connection,
    *,
    user_id: str | None = None,
    profile_ids: Sequence[str] | None = None,
    extractor_names: Sequence[str] | None = None,
    only_affected_users: bool = True,
) -> ProfilesDowngraded:
    """Take the profiles back that the last upgrade put away; `success` is false if there are none."""
    fields = {
        "user_id": user_id,
        "profile_ids": profile_ids,
        "extractor_names": extractor_names,
        "only_affected_users": only_affected_users,
    }
    body = checked(SwapProfilesBody, fields)
    return connection.send("POST", "/api/downgrade_all_profiles", ProfilesDowngraded, body=body)


def get_user_playbook_diff(
    connection: Connection,
    *,
    user_id: str | None = None,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    only_affected_users: bool = True,
    limit: int | None = None,
) -> UserPlaybookDiff:
    """Return what `upgrade_user_playbooks` with the same arguments would add, lose and change."""
    fields = {
        "user_id": user_id,
        "agent_version": agent_version,
        "playbook_name": playbook_name,
        "only_affected_users": only_affected_users,
        "limit": limit,
    }
    body = checked(GetUserPlaybookDiffBody, fields)
    return connection.send(
        "POST", "/api/get_user_playbook_diff", UserPlaybookDiff, body=body, repeatable=True
    )


def upgrade_user_playbooks(
    connection: Connection,
    *,
    user_id: str | None = None,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    user_playbook_ids: Sequence[int] | None = None,
    archive_current: bool = True,
    only_affected_users: bool = True,
) -> UserPlaybooksUpgraded:
    """Take pending user playbooks into use and put the current ones away; `success` is false if none is pending."""
    fields = {
        "user_id": user_id,
        "agent_version": agent_version,
        "playbook_name": playbook_name,
        "user_playbook_ids": user_playbook_ids,
        "archive_current": archive_current,
        "only_affected_users": only_affected_users,
    }
    body = checked(UpgradeUserPlaybooksBody, fields)
    return connection.send("POST", "/api/upgrade_all_user_playbooks", UserPlaybooksUpgraded, body=body)


def downgrade_user_playbooks(
    connection: Connection,
    *,
    user_id: str | None = None,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    user_playbook_ids: Sequence[int] | None = None,
    only_affected_users: bool = True,
) -> UserPlaybooksDowngraded:
    """Take the user playbooks back that the last upgrade put away; `success` is false if there are none."""
    fields = {
        "user_id": user_id,
        "agent_version": agent_version,
        "playbook_name": playbook_name,
        "user_playbook_ids": user_playbook_ids,
        "only_affected_users": only_affected_users,
    }
    body = checked(DowngradeUserPlaybooksBody, fields)
    return connection.send("POST", "/api/downgrade_all_user_playbooks", UserPlaybooksDowngraded, body=body)
