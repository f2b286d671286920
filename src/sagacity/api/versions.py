"""Versions of what was learned: what is pending taken into use, and what it replaced taken back."""

from collections.abc import Sequence

from fastapi import APIRouter

from sagacity.api.dependencies import Caller, Runs
from sagacity.api.route import Route
from sagacity.api.sdk import sdk
from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import MemoryId, UserId
from sagacity.domain.kinds import KINDS
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.operation import GENERATED, OperationStatus
from sagacity.domain.version import Downgraded, Upgraded, VersionFilter
from sagacity.learning.distil.agent_playbooks.trigger import note_swapped_playbooks
from sagacity.memories.names import check_names
from sagacity.schemas.versions import (
    DowngradeUserPlaybooksBody,
    ProfilesDowngraded,
    ProfilesUpgraded,
    SwapProfilesBody,
    UpgradeUserPlaybooksBody,
    UserPlaybooksDowngraded,
    UserPlaybooksUpgraded,
)
from sagacity.storage.transaction import Transaction

router = APIRouter(tags=["versions"], route_class=Route)
_RERUNS = {
    MemoryKind.PROFILE: "POST /api/rerun_profile_generation, or `sagacity profiles regenerate`",
    MemoryKind.USER_PLAYBOOK: "POST /api/rerun_playbook_generation, or `sagacity user-playbooks regenerate`",
}


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
    moved = await _upgrade(caller, MemoryKind.PROFILE, body)
    return ProfilesUpgraded(
        success=moved.promoted_count > 0,
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
    moved = await _downgrade(caller, MemoryKind.PROFILE, body)
    return ProfilesDowngraded(
        success=moved.restored_count > 0,
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
    moved = await _upgrade(caller, MemoryKind.USER_PLAYBOOK, body, archive_current=body.archive_current)
    return UserPlaybooksUpgraded(
        success=moved.promoted_count > 0,
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
    moved = await _downgrade(caller, MemoryKind.USER_PLAYBOOK, body)
    return UserPlaybooksDowngraded(
        success=moved.restored_count > 0,
        message=_downgraded(MemoryKind.USER_PLAYBOOK, moved),
        user_playbooks_demoted=moved.demoted_count,
        user_playbooks_restored=moved.restored_count,
    )


async def _upgrade(
    caller: Caller,
    kind: MemoryKind,
    body: SwapProfilesBody | DowngradeUserPlaybooksBody,
    *,
    archive_current: bool = True,
) -> Upgraded:
    """Promote what is pending."""
    await _check(caller, kind, body)
    config = await caller.runtime.configs.get(caller.tenant)

    async def swap() -> Upgraded:
        async with caller.begin() as transaction:
            wanted = await _wanted(transaction, kind, body)
            await _refuse_while_generating(transaction, wanted)
            moved = await transaction.versions.upgrade(wanted, archive_current=archive_current)
            if moved.promoted_count:
                await note_swapped_playbooks(transaction, config, wanted)
            return moved

    moved = await caller.runtime.storage.retry(swap)
    caller.runtime.dispatcher.look()  # turns that came since are learned into what is current now
    return moved


async def _downgrade(
    caller: Caller, kind: MemoryKind, body: SwapProfilesBody | DowngradeUserPlaybooksBody
) -> Downgraded:
    """Restore what is archived."""
    await _check(caller, kind, body)
    config = await caller.runtime.configs.get(caller.tenant)

    async def swap() -> Downgraded:
        async with caller.begin() as transaction:
            wanted = await _wanted(transaction, kind, body)
            await _refuse_while_generating(transaction, wanted)
            moved = await transaction.versions.downgrade(wanted)
            if moved.restored_count:
                await note_swapped_playbooks(transaction, config, wanted)
            return moved

    moved = await caller.runtime.storage.retry(swap)
    caller.runtime.dispatcher.look()
    return moved


async def _check(
    caller: Caller, kind: MemoryKind, body: SwapProfilesBody | DowngradeUserPlaybooksBody
) -> None:
    agent_version = body.agent_version if isinstance(body, DowngradeUserPlaybooksBody) else None
    await check_names(caller.acting, kind, _names(body), agent_version=agent_version)


async def _wanted(
    transaction: Transaction, kind: MemoryKind, body: SwapProfilesBody | DowngradeUserPlaybooksBody
) -> VersionFilter:
    """
    Return what the body asks for.

    Raises:
        NotFound: one of the memories that it names does not exist, or is another user's.
    """
    named = await _named(transaction, kind, body)
    foreign = [one for one in named if body.user_id not in (None, one.user_id)]
    if foreign:
        raise NotFound(f"{_id_of(foreign[0])} is not one of user {body.user_id!r}")
    users = [UserId(body.user_id)] if body.user_id else [one.user_id for one in named if one.user_id]
    playbooks = body if isinstance(body, DowngradeUserPlaybooksBody) else None
    return VersionFilter(
        kind=kind,
        user_ids=tuple(dict.fromkeys(users)),
        memory_ids=tuple(one.memory_id for one in named),
        names=_names(body),
        agent_versions=(playbooks.agent_version,)
        if playbooks and playbooks.agent_version is not None
        else (),
        only_affected_users=body.only_affected_users,
    )


def _names(body: SwapProfilesBody | DowngradeUserPlaybooksBody) -> tuple[str, ...]:
    if isinstance(body, SwapProfilesBody):
        return body.extractor_names
    return () if body.playbook_name is None else (body.playbook_name,)


async def _named(
    transaction: Transaction, kind: MemoryKind, body: SwapProfilesBody | DowngradeUserPlaybooksBody
) -> Sequence[Memory]:
    """Return the memories that the body names one by one; NotFound if one is not there."""
    if isinstance(body, SwapProfilesBody):
        uids = body.profile_ids or ()
        found = await transaction.memories.find_uids(uids)
        missing = [uid for uid in uids if uid not in found or found[uid].kind is not kind]
        known = list(found.values())
    else:
        ids = [MemoryId(number) for number in body.user_playbook_ids or ()]
        known = await transaction.memories.get_many(ids, kind=kind)
        missing = sorted(set(ids) - {one.memory_id for one in known})
    if missing:
        more = f" and {len(missing) - 1} more of those asked for" if len(missing) > 1 else ""
        raise NotFound(f"no {_what(kind)} with id {missing[0]!r}{more}")
    return known


async def _refuse_while_generating(transaction: Transaction, wanted: VersionFilter) -> None:
    """
    Make sure that nothing writes what is to be swapped.

    Raises:
        Conflict: an operation does, or will.
    """
    [name] = (name for name, kind in GENERATED.items() if kind is wanted.kind)
    running = await transaction.operations.list_newest(
        name=name, statuses=[OperationStatus.IN_PROGRESS], limit=1
    )
    if not running:
        return
    [operation] = running
    for user_id in wanted.user_ids:
        waiting = await transaction.operations.waiting_for(user_id)
        if any(one.operation_id == operation.operation_id for one, _ in waiting):
            break
    else:
        if wanted.user_ids:
            return
    raise Conflict(
        f"{name} is running, as operation {operation.operation_id!r}; wait for its end, or cancel it "
        f"(POST /api/cancel_operation, or `sagacity operations cancel {operation.operation_id}`)"
    )


def nothing_pending(kind: MemoryKind) -> str:
    """Return what is said where an upgrade has nothing to take into use, or to be compared with."""
    return f"no {_what(kind)} is pending here; make some first ({_RERUNS[kind]})"


def _upgraded(kind: MemoryKind, moved: Upgraded) -> str:
    if not moved.promoted_count:
        return nothing_pending(kind)
    return (
        f"{moved.promoted_count} promoted, {moved.archived_count} archived, "
        f"{moved.deleted_count} formerly archived deleted"
    )


def _downgraded(kind: MemoryKind, moved: Downgraded) -> str:
    if not moved.restored_count:
        return f"no {_what(kind)} was archived by an upgrade here, so there is nothing to go back to"
    return f"{moved.restored_count} restored, {moved.demoted_count} archived in their place"


def _what(kind: MemoryKind) -> str:
    return str(kind).replace("_", " ")


def _id_of(memory: Memory) -> str:
    return f"{_what(memory.kind)} {KINDS[memory.kind].wire_id(memory)!r}"
