"""Whole users: list them, export one, or erase one with a report that proves it."""

from typing import Annotated, Any

from fastapi import Path, Query
from fastapi.responses import StreamingResponse

from sagacity.api.dependencies import Administers, Reads
from sagacity.api.parameters import MaxRows
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.runs import Waits, wait_seconds
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.views.operation import operation_view
from sagacity.memories.erasure import erase_user, erasure_of, list_erasures
from sagacity.memories.export import export_user
from sagacity.memories.known_users import list_users
from sagacity.memories.of_user import stored_of_user
from sagacity.schemas.base import ExactId, Id
from sagacity.schemas.erasure import (
    ClearedUserData,
    ClearUserDataBody,
    ErasuresPage,
    ErasureView,
    UserErasureReply,
    erasure_view,
)
from sagacity.schemas.known_users import UsersPage, known_user_view
from sagacity.schemas.profiles import StorageStats

router = resource("users")
Whom = Annotated[ExactId, Path(description="The user: the person who talks to the agent.")]
ErasureId = Annotated[ExactId, Path(description="The erasure: the id of its operation.")]

_COUNTED = (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK)

LINES = "application/x-ndjson"
"""A JSON object on each line."""
_EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The lines of the file; the last one says that it is whole.",
        "content": {LINES: {"schema": {"type": "string"}}},
    }
}


@router.get("/users", response_model_exclude_none=True, openapi_extra=sdk())
@limited(Rate.SEARCH)
async def get_users(
    caller: Reads,
    after: Annotated[
        ExactId | None, Query(description="Only users after this one: `next` of the previous page.")
    ] = None,
    limit: MaxRows = 100,
) -> UsersPage:
    """
    Return the organisation's users by id, each with turns, last publish and memories.

    A user is listed if they published turns, or if there are memories of them. A token of one user gets 403.
    """
    found = await list_users(caller.acting, after=None if after is None else UserId(after), limit=limit + 1)
    page = found[:limit]
    return UsersPage(
        users=tuple(map(known_user_view, page)),
        next=page[-1].user_id if len(found) > limit else None,
        msg=counted(len(page), "user"),
    )


@router.get(
    "/users/{user_id:path}/export",
    response_class=StreamingResponse,
    responses=_EXPORTED,
    openapi_extra=sdk(generated=False),
    operation_id="export_user",
)
@limited(Rate.RUN)
async def export(user_id: Whom, caller: Reads) -> StreamingResponse:
    """
    Return everything stored of a user as JSON Lines: what was said, what was learned, and how it was used.

    The first line says what the file is, and the last one holds counts and a hash: without it, the file is incomplete.
    Secrets are not in it. `sagacity import` reads it into any organisation. Users get their own data.
    """
    pieces = await export_user(caller.acting, UserId(user_id))
    headers = {"Content-Disposition": 'attachment; filename="user.jsonl"', "Cache-Control": "no-store"}
    return StreamingResponse(pieces, media_type=LINES, headers=headers)


@router.delete(
    "/users/{user_id:path}",
    response_model_exclude_none=True,
    openapi_extra=sdk(follows=True, defaults={"wait_for_response": True}),
    operation_id="erase_user",
)
@limited(Rate.RUN)
async def erase(user_id: Whom, caller: Administers, *, wait_for_response: Waits = None) -> UserErasureReply:
    """
    Erase all that is stored of a user, in every table, in the files of the database and in the copy of the vectors.

    What was made of it for all users is deleted and made again without it. If the user has an account, it goes with
    its roles and invitations in all organisations; erasing the last owner of one gets 409. It cannot be cancelled,
    and survives restarts. Until it has ended, publishes of the user are refused with 409. Its report is signed;
    get it by the `operation_id`. If it takes longer than the call may, the reply says so and the run continues.
    """
    operation = await erase_user(
        caller.acting, UserId(user_id), wait_seconds=wait_seconds(caller, wait=wait_for_response)
    )
    return UserErasureReply.of(operation_view(operation))


@router.post("/clear_user_data", openapi_extra=sdk(generated=False))
@limited(Rate.RUN)
async def clear_user_data(body: ClearUserDataBody, caller: Administers) -> ClearedUserData:
    """
    Erase all that is stored of a user, as `DELETE /api/users/{user_id}` does, and wait for the end.

    The counts are of rows, by table. If it takes longer than the call may, there are none yet, and the run continues.
    """
    operation = await erase_user(
        caller.acting, UserId(body.user_id), wait_seconds=wait_seconds(caller, wait=True)
    )
    erasure = await erasure_of(caller.acting, operation.operation_id)
    return ClearedUserData.of(
        operation_view(operation), {} if erasure.report is None else erasure.report.deleted
    )


@router.get("/storage_stats", response_model_exclude_none=True, openapi_extra=sdk())
@limited(Rate.SEARCH)
async def get_storage_stats(
    user_id: Annotated[Id, Query(description="The user: the person who talks to the agent.")],
    caller: Reads,
) -> StorageStats:
    """Return how many profiles and user playbooks are stored of a user, in any status, expired ones too."""
    counts = await stored_of_user(caller.acting, UserId(user_id), _COUNTED)
    profiles, playbooks = (counts.get(kind) for kind in _COUNTED)
    return StorageStats(
        profile_count=profiles.total if profiles else 0,
        playbook_count=playbooks.total if playbooks else 0,
        oldest_profile_modified=profiles.oldest_change if profiles else None,
        newest_profile_modified=profiles.newest_change if profiles else None,
    )


@router.get("/erasures", response_model_exclude_none=True, openapi_extra=sdk())
async def get_erasures(caller: Administers, limit: MaxRows = 100) -> ErasuresPage:
    """Return erasures of users, newest first, without their reports."""
    found = await list_erasures(caller.acting, limit=limit)
    return ErasuresPage(
        erasures=tuple(erasure_view(one, with_report=False) for one in found),
        msg=counted(len(found), "erasure"),
    )


@router.get("/erasures/{erasure_id}", response_model_exclude_none=True, openapi_extra=sdk())
async def get_erasure(erasure_id: ErasureId, caller: Administers) -> ErasureView:
    """Return an erasure, with its signed report once it has ended."""
    return erasure_view(await erasure_of(caller.acting, erasure_id))
