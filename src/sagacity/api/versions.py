"""Versions: put PENDING in force, and undo that."""

from sagacity.api.dependencies import Runs
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.version import Downgraded, Upgraded
from sagacity.memories.versions import (
    VersionChoice,
    downgrade,
    nothing_archived,
    nothing_pending,
    upgrade,
)
from sagacity.schemas.versions import (
    DowngradeUserPlaybooksBody,
    ProfilesDowngraded,
    ProfilesUpgraded,
    SwapProfilesBody,
    UpgradeUserPlaybooksBody,
    UserPlaybooksDowngraded,
    UserPlaybooksUpgraded,
)

router = resource("versions")


@router.post(
    "/upgrade_all_profiles",
    response_model_exclude_none=True,
    operation_id="upgrade_profiles",
    openapi_extra=sdk(defaults={"only_affected_users": True}),
)
async def upgrade_all_profiles(body: SwapProfilesBody, caller: Runs) -> ProfilesUpgraded:
    """
    Put pending profiles in force: archived ones are deleted, current ones archived, pending ones become current.

    All of this happens, or nothing. Filters apply to each step. If nothing is pending, `success` is false and nothing
    changes. While profiles of these users are being generated, the call is refused with 409.
    """
    moved = await upgrade(caller.acting, _profiles(body))
    return ProfilesUpgraded(
        success=not moved.is_empty,
        message=_upgraded(MemoryKind.PROFILE, moved),
        profiles_archived=moved.archived_count,
        profiles_promoted=moved.promoted_count,
        profiles_deleted=moved.deleted_count,
    )


@router.post(
    "/downgrade_all_profiles",
    response_model_exclude_none=True,
    operation_id="downgrade_profiles",
    openapi_extra=sdk(defaults={"only_affected_users": True}),
)
async def downgrade_all_profiles(body: SwapProfilesBody, caller: Runs) -> ProfilesDowngraded:
    """
    Restore the profiles that the last upgrade archived; the current ones are archived instead.

    All of this happens, or nothing. A second downgrade undoes the first. If nothing is archived, `success` is false and
    nothing changes. While profiles of these users are being generated, the call is refused with 409.
    """
    moved = await downgrade(caller.acting, _profiles(body))
    return ProfilesDowngraded(
        success=not moved.is_empty,
        message=_downgraded(MemoryKind.PROFILE, moved),
        profiles_demoted=moved.demoted_count,
        profiles_restored=moved.restored_count,
    )


@router.post(
    "/upgrade_all_user_playbooks",
    response_model_exclude_none=True,
    operation_id="upgrade_user_playbooks",
    openapi_extra=sdk(defaults={"only_affected_users": True, "archive_current": True}),
)
async def upgrade_all_user_playbooks(body: UpgradeUserPlaybooksBody, caller: Runs) -> UserPlaybooksUpgraded:
    """
    Put pending user playbooks in force: archived ones are deleted, current ones archived, pending ones become current.

    With `archive_current=false`, pending ones are added to the current ones, and nothing is archived or deleted. All of
    this happens, or nothing. If nothing is pending, `success` is false and nothing changes. While playbooks of these
    users are being generated, the call is refused with 409.
    """
    moved = await upgrade(caller.acting, _playbooks(body), archive_current=body.archive_current)
    return UserPlaybooksUpgraded(
        success=not moved.is_empty,
        message=_upgraded(MemoryKind.USER_PLAYBOOK, moved),
        user_playbooks_archived=moved.archived_count,
        user_playbooks_promoted=moved.promoted_count,
        user_playbooks_deleted=moved.deleted_count,
    )


@router.post(
    "/downgrade_all_user_playbooks",
    response_model_exclude_none=True,
    operation_id="downgrade_user_playbooks",
    openapi_extra=sdk(defaults={"only_affected_users": True}),
)
async def downgrade_all_user_playbooks(
    body: DowngradeUserPlaybooksBody, caller: Runs
) -> UserPlaybooksDowngraded:
    """
    Restore the user playbooks that the last upgrade archived; the current ones are archived instead.

    All of this happens, or nothing. A second downgrade undoes the first. If nothing is archived, `success` is false and
    nothing changes. While playbooks of these users are being generated, the call is refused with 409.
    """
    moved = await downgrade(caller.acting, _playbooks(body))
    return UserPlaybooksDowngraded(
        success=not moved.is_empty,
        message=_downgraded(MemoryKind.USER_PLAYBOOK, moved),
        user_playbooks_demoted=moved.demoted_count,
        user_playbooks_restored=moved.restored_count,
    )


def _profiles(body: SwapProfilesBody) -> VersionChoice:
    return VersionChoice(
        kind=MemoryKind.PROFILE,
        user_id=None if body.user_id is None else UserId(body.user_id),
        uids=body.profile_ids or (),
        names=body.extractor_names,
        only_affected_users=body.only_affected_users,
    )


def _playbooks(body: DowngradeUserPlaybooksBody) -> VersionChoice:
    return VersionChoice(
        kind=MemoryKind.USER_PLAYBOOK,
        user_id=None if body.user_id is None else UserId(body.user_id),
        ids=body.user_playbook_ids or (),
        names=() if body.playbook_name is None else (body.playbook_name,),
        agent_version=body.agent_version,
        only_affected_users=body.only_affected_users,
    )


def _upgraded(kind: MemoryKind, moved: Upgraded) -> str:
    if moved.is_empty:
        return nothing_pending(kind)
    return (
        f"{moved.promoted_count} promoted, {moved.archived_count} archived, "
        f"{moved.deleted_count} formerly archived deleted"
    )


def _downgraded(kind: MemoryKind, moved: Downgraded) -> str:
    if moved.is_empty:
        return nothing_archived(kind)
    return f"{moved.restored_count} restored, {moved.demoted_count} archived in their place"
