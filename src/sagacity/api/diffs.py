"""What an upgrade would change, to decide whether to do it."""

from collections.abc import Sequence

from sagacity.api.dependencies import Reads
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.paced import each
from sagacity.domain.version import ChangedPair, VersionFilter
from sagacity.domain.views.profile import profile_view
from sagacity.domain.views.user_playbook import user_playbook_view
from sagacity.memories.version_diff import Compared, compare_versions
from sagacity.memories.versions import nothing_pending
from sagacity.schemas.versions import (
    ChangedProfile,
    ChangedUserPlaybook,
    DiffCounts,
    GetProfileDiffBody,
    GetUserPlaybookDiffBody,
    ProfileDiff,
    UserPlaybookDiff,
)

router = resource("versions")


@router.post(
    "/get_profile_diff",
    response_model_exclude_none=True,
    openapi_extra=sdk(repeatable=True, defaults={"only_affected_users": True}),
)
async def get_profile_diff(body: GetProfileDiffBody, caller: Reads) -> ProfileDiff:
    """
    Compare pending profiles with current ones: what an upgrade with the same filters would add, lose and change.

    A change is a pair of profiles that have the same slot or nearly the same meaning; the most similar come first, each
    profile is in one pair. Counts are of all; of each list, up to `limit` are returned. If nothing is pending,
    `success` is false, because an upgrade would change nothing.
    """
    wanted = VersionFilter(
        kind=MemoryKind.PROFILE,
        user_ids=() if body.user_id is None else (UserId(body.user_id),),
        names=body.extractor_names,
        only_affected_users=body.only_affected_users,
    )
    compared = await compare_versions(caller.acting, wanted, limit=body.limit)
    found = compared.shown
    return ProfileDiff(
        **_counts(wanted.kind, compared).model_dump(),
        added=tuple(await each(profile_view, found.added)),
        lost=tuple(await each(profile_view, found.lost)),
        changed=await _changed_profiles(found.changed),
        covered=await _changed_profiles(found.covered),
    )


@router.post(
    "/get_user_playbook_diff",
    response_model_exclude_none=True,
    openapi_extra=sdk(repeatable=True, defaults={"only_affected_users": True}),
)
async def get_user_playbook_diff(body: GetUserPlaybookDiffBody, caller: Reads) -> UserPlaybookDiff:
    """
    Compare pending user playbooks with current ones: what an upgrade with the same filters would add, lose and change.

    A change is a pair of one user, agent version and name with nearly the same meaning; the most similar come first,
    each playbook is in one pair. Counts are of all; of each list, up to `limit` are returned. If nothing is pending,
    `success` is false, because an upgrade would change nothing.
    """
    wanted = VersionFilter(
        kind=MemoryKind.USER_PLAYBOOK,
        user_ids=() if body.user_id is None else (UserId(body.user_id),),
        names=() if body.playbook_name is None else (body.playbook_name,),
        agent_versions=() if body.agent_version is None else (body.agent_version,),
        only_affected_users=body.only_affected_users,
    )
    compared = await compare_versions(caller.acting, wanted, limit=body.limit)
    found = compared.shown
    return UserPlaybookDiff(
        **_counts(wanted.kind, compared).model_dump(),
        added=tuple(await each(user_playbook_view, found.added)),
        lost=tuple(await each(user_playbook_view, found.lost)),
        changed=await _changed_playbooks(found.changed),
        covered=await _changed_playbooks(found.covered),
    )


def _counts(kind: MemoryKind, found: Compared) -> DiffCounts:
    covered = f" ({found.covered_count} of them covered by another)" if found.covered_count else ""
    summary = (
        f"{found.added_count} added, {found.lost_count} lost{covered}, "
        f"{found.changed_count} changed, {found.unchanged_count} unchanged"
    )
    return DiffCounts(
        success=found.is_pending,
        msg=summary if found.is_pending else nothing_pending(kind),
        added_count=found.added_count,
        lost_count=found.lost_count,
        covered_count=found.covered_count,
        changed_count=found.changed_count,
        unchanged_count=found.unchanged_count,
    )


async def _changed_profiles(pairs: Sequence[ChangedPair]) -> tuple[ChangedProfile, ...]:
    def changed(pair: ChangedPair) -> ChangedProfile:
        before, after = profile_view(pair.before), profile_view(pair.after)
        return ChangedProfile(before=before, after=after, similarity=pair.similarity)

    return tuple(await each(changed, pairs))


async def _changed_playbooks(pairs: Sequence[ChangedPair]) -> tuple[ChangedUserPlaybook, ...]:
    def changed(pair: ChangedPair) -> ChangedUserPlaybook:
        before, after = user_playbook_view(pair.before), user_playbook_view(pair.after)
        return ChangedUserPlaybook(before=before, after=after, similarity=pair.similarity)

    return tuple(await each(changed, pairs))
