"""What an upgrade would change, to decide by."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from itertools import takewhile

from fastapi import APIRouter

from sagacity.api.dependencies import Caller, Reads
from sagacity.api.route import Route
from sagacity.api.sdk import sdk
from sagacity.api.versions import nothing_pending
from sagacity.domain.ids import UserId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.version import VersionDiff, VersionFilter
from sagacity.domain.views.profile import profile_view
from sagacity.domain.views.user_playbook import user_playbook_view
from sagacity.memories.diff import diff_versions
from sagacity.memories.names import check_names
from sagacity.schemas.versions import (
    ChangedProfile,
    ChangedUserPlaybook,
    DiffCounts,
    GetProfileDiffBody,
    GetUserPlaybookDiffBody,
    ProfileDiff,
    UserPlaybookDiff,
)
from sagacity.storage.base import Vectors
from sagacity.storage.transaction import Transaction

router = APIRouter(tags=["versions"], route_class=Route)
_COMPARED = (Status.CURRENT, Status.PENDING)
_ROWS_A_PAGE = 5_000


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
    await check_names(caller.acting, MemoryKind.PROFILE, wanted.names)
    found, counts = await _compare(caller, wanted, body.limit)
    return ProfileDiff(
        **counts.model_dump(),
        added=tuple(profile_view(one) for one in found.added),
        lost=tuple(profile_view(one) for one in found.lost),
        changed=tuple(
            ChangedProfile(
                before=profile_view(pair.before), after=profile_view(pair.after), similarity=pair.similarity
            )
            for pair in found.changed
        ),
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
    await check_names(caller.acting, MemoryKind.USER_PLAYBOOK, wanted.names, agent_version=body.agent_version)
    found, counts = await _compare(caller, wanted, body.limit)
    return UserPlaybookDiff(
        **counts.model_dump(),
        added=tuple(user_playbook_view(one) for one in found.added),
        lost=tuple(user_playbook_view(one) for one in found.lost),
        changed=tuple(
            ChangedUserPlaybook(
                before=user_playbook_view(pair.before),
                after=user_playbook_view(pair.after),
                similarity=pair.similarity,
            )
            for pair in found.changed
        ),
    )


async def _compare(caller: Caller, wanted: VersionFilter, limit: int) -> tuple[VersionDiff, DiffCounts]:
    """Return the first *limit* differences of each sort, in the order of users, and how many there are."""
    shown, added, lost, changed, unchanged = VersionDiff(), 0, 0, 0, 0
    now = caller.runtime.clock.now()
    async with caller.read(user_id=wanted.user_ids[0] if wanted.user_ids else None) as snapshot:
        async for page in pages(snapshot, wanted):
            valid = [memory for memory in page if memory.is_valid(now)]
            vectors = await _vectors(snapshot, wanted.kind, [memory.memory_id for memory in valid])
            found = await asyncio.to_thread(_diff, valid, vectors)
            shown = VersionDiff(
                added=(*shown.added, *found.added)[:limit],
                lost=(*shown.lost, *found.lost)[:limit],
                changed=(*shown.changed, *found.changed)[:limit],
            )
            added, lost = added + len(found.added), lost + len(found.lost)
            changed, unchanged = changed + len(found.changed), unchanged + found.unchanged_count
    is_pending = bool(added or changed or unchanged)
    told = f"{added} added, {lost} lost, {changed} changed, {unchanged} unchanged"
    counts = DiffCounts(
        success=is_pending,
        msg=told if is_pending else nothing_pending(wanted.kind),
        added_count=added,
        lost_count=lost,
        changed_count=changed,
        unchanged_count=unchanged,
    )
    return shown, counts


async def _vectors(snapshot: Transaction, kind: MemoryKind, ids: Sequence[int]) -> dict[int, Vectors]:
    found: dict[int, Vectors] = {}
    for start in range(0, len(ids), _ROWS_A_PAGE):
        found |= await snapshot.search.vector_of(kind, ids[start : start + _ROWS_A_PAGE])
    return found


def _diff(memories: Sequence[Memory], vectors: dict[int, Vectors]) -> VersionDiff:
    before = [memory for memory in memories if memory.status is Status.CURRENT]
    after = [memory for memory in memories if memory.status is Status.PENDING]
    return diff_versions(before, after, vectors)


async def pages(
    snapshot: Transaction, wanted: VersionFilter, *, row_count: int = _ROWS_A_PAGE
) -> AsyncGenerator[list[Memory]]:
    """Yield what is compared, in pages of about *row_count* that hold whole users."""
    after_user: UserId | None = None
    limit = row_count
    while True:
        page = await snapshot.versions.of_users(wanted, _COMPARED, after_user=after_user, limit=limit)
        if len(page) < limit:
            yield page
            return
        last = page[-1].user_id
        whole = list(takewhile(lambda memory: memory.user_id != last, page))  # noqa: B023  used up at once
        if whole:
            yield whole
            after_user, limit = UserId(whole[-1].user_id or ""), row_count
        else:
            limit *= 2  # one user fills the page
