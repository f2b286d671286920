# Generated from the API's description by scripts/sdk; change it there.
"""Pending versions: compare, upgrade, downgrade."""

from collections.abc import Sequence

from sagacity.client._async.connection import AsyncConnection
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


async def upgrade_profiles(
    connection: AsyncConnection,
    *,
    user_id: str | None = None,
    profile_ids: Sequence[str] | None = None,
    extractor_names: Sequence[str] | None = None,
    only_affected_users: bool = True,
) -> ProfilesUpgraded:
    """
    Put pending profiles in force: archived ones are deleted, current ones archived, pending ones become current.

    All of this happens, or nothing. Filters apply to each step. If nothing is pending, `success` is false and
    nothing changes. While profiles of these users are being generated, the call is refused with 409.

    Args:
        connection: to the server.
        user_id: the user: the person who talks to the agent.
        profile_ids: only these profiles.
        extractor_names: only these extractors; if missing or empty, all.
        only_affected_users: only users with something to promote or to restore; the others stay as they are.
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
    return await connection.send("POST", "/api/upgrade_all_profiles", ProfilesUpgraded, body=body)


async def downgrade_profiles(
    connection: AsyncConnection,
    *,
    user_id: str | None = None,
    profile_ids: Sequence[str] | None = None,
    extractor_names: Sequence[str] | None = None,
    only_affected_users: bool = True,
) -> ProfilesDowngraded:
    """
    Restore the profiles that the last upgrade archived; the current ones are archived instead.

    All of this happens, or nothing. A second downgrade undoes the first. If nothing is archived, `success` is
    false and nothing changes. While profiles of these users are being generated, the call is refused with 409.

    Args:
        connection: to the server.
        user_id: the user: the person who talks to the agent.
        profile_ids: only these profiles.
        extractor_names: only these extractors; if missing or empty, all.
        only_affected_users: only users with something to promote or to restore; the others stay as they are.
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
    return await connection.send("POST", "/api/downgrade_all_profiles", ProfilesDowngraded, body=body)


async def upgrade_user_playbooks(
    connection: AsyncConnection,
    *,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    user_id: str | None = None,
    user_playbook_ids: Sequence[int] | None = None,
    only_affected_users: bool = True,
    archive_current: bool = True,
) -> UserPlaybooksUpgraded:
    """
    Put pending user playbooks in force: archived ones are deleted, current ones archived, pending ones become current.

    With `archive_current=false`, pending ones are added to the current ones, and nothing is archived or deleted.
    All of this happens, or nothing. If nothing is pending, `success` is false and nothing changes. While
    playbooks of these users are being generated, the call is refused with 409.

    Args:
        connection: to the server.
        agent_version: which version of the agent it belongs to.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        user_id: the user: the person who talks to the agent.
        user_playbook_ids: only these user playbooks.
        only_affected_users: only users with something to promote or to restore; the others stay as they are.
        archive_current: if false, pending ones are added to the current ones, and nothing is archived.
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
    return await connection.send("POST", "/api/upgrade_all_user_playbooks", UserPlaybooksUpgraded, body=body)


async def downgrade_user_playbooks(
    connection: AsyncConnection,
    *,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    user_id: str | None = None,
    user_playbook_ids: Sequence[int] | None = None,
    only_affected_users: bool = True,
) -> UserPlaybooksDowngraded:
    """
    Restore the user playbooks that the last upgrade archived; the current ones are archived instead.

    All of this happens, or nothing. A second downgrade undoes the first. If nothing is archived, `success` is
    false and nothing changes. While playbooks of these users are being generated, the call is refused with 409.

    Args:
        connection: to the server.
        agent_version: which version of the agent it belongs to.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        user_id: the user: the person who talks to the agent.
        user_playbook_ids: only these user playbooks.
        only_affected_users: only users with something to promote or to restore; the others stay as they are.
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
    return await connection.send(
        "POST", "/api/downgrade_all_user_playbooks", UserPlaybooksDowngraded, body=body
    )


async def get_profile_diff(
    connection: AsyncConnection,
    *,
    user_id: str | None = None,
    extractor_names: Sequence[str] | None = None,
    only_affected_users: bool = True,
    limit: int | None = None,
) -> ProfileDiff:
    """
    Compare pending profiles with current ones: what an upgrade with the same filters would add, lose and change.

    A change is a pair of profiles that have the same slot or nearly the same meaning; the most similar come
    first, each profile is in one pair. Counts are of all; of each list, up to `limit` are returned. If nothing is
    pending, `success` is false, because an upgrade would change nothing.

    Args:
        connection: to the server.
        user_id: the user: the person who talks to the agent.
        extractor_names: only these extractors; if missing or empty, all.
        only_affected_users: only users with something pending.
        limit: the largest number of results to return; by default 100.
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
    return await connection.send("POST", "/api/get_profile_diff", ProfileDiff, body=body, repeatable=True)


async def get_user_playbook_diff(
    connection: AsyncConnection,
    *,
    user_id: str | None = None,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    only_affected_users: bool = True,
    limit: int | None = None,
) -> UserPlaybookDiff:
    """
    Compare pending user playbooks with current ones: what an upgrade with the same filters would add, lose and change.

    A change is a pair of one user, agent version and name with nearly the same meaning; the most similar come
    first, each playbook is in one pair. Counts are of all; of each list, up to `limit` are returned. If nothing
    is pending, `success` is false, because an upgrade would change nothing.

    Args:
        connection: to the server.
        user_id: the user: the person who talks to the agent.
        agent_version: which version of the agent it belongs to.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        only_affected_users: only users with something pending.
        limit: the largest number of results to return; by default 100.
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
    return await connection.send(
        "POST", "/api/get_user_playbook_diff", UserPlaybookDiff, body=body, repeatable=True
    )
