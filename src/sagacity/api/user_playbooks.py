"""User playbooks: rules for an agent that one user taught."""

from collections.abc import Sequence

from sagacity.api.dependencies import Caller, Reads, Writes
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.errors import NotFound
from sagacity.domain.ids import MemoryId, MemoryUid, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.paced import each
from sagacity.domain.views.user_playbook import user_playbook_view
from sagacity.memories.delete import delete_memories
from sagacity.memories.listing import Choice, list_memories
from sagacity.memories.write import add_memories, edit_user_playbook
from sagacity.schemas.interactions import Deleted, DeletedMany
from sagacity.schemas.playbooks import (
    AddUserPlaybooksBody,
    DeleteUserPlaybookBody,
    DeleteUserPlaybooksByIdsBody,
    GetUserPlaybooksBody,
    UpdateUserPlaybookBody,
    UserPlaybooksPage,
)
from sagacity.schemas.profiles import Added, Updated

router = resource("user playbooks")
KIND = MemoryKind.USER_PLAYBOOK


@router.post("/add_user_playbook", response_model_exclude_none=True)
@limited(Rate.WRITE)
async def add_user_playbook(body: AddUserPlaybooksBody, caller: Writes) -> Added:
    """Add user playbooks; either all are stored, or none."""
    parts = caller.acting.parts
    now = parts.clock.now()
    stored = await add_memories(
        caller.acting,
        [one.to_memory(MemoryUid(parts.ids.new()), now) for one in body.user_playbooks],
        reason="user playbook written",
    )
    return Added(message=f"stored {counted(len(stored), 'user playbook')}", added_count=len(stored))


@router.put("/update_user_playbook", response_model_exclude_none=True)
async def update_user_playbook(body: UpdateUserPlaybookBody, caller: Writes) -> Updated:
    """Change a user playbook; fields that are not given stay as they are."""
    await edit_user_playbook(caller.acting, MemoryId(body.user_playbook_id), body.changes, status=body.status)
    text = f"updated user playbook {body.user_playbook_id}"
    return Updated(msg=text, message=text)


@router.post("/get_user_playbooks", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
async def get_user_playbooks(body: GetUserPlaybooksBody, caller: Reads) -> UserPlaybooksPage:
    """Return unexpired user playbooks, last changed first; by default those of any status."""
    choice = Choice(
        kind=KIND,
        user_id=None if body.user_id is None else UserId(body.user_id),
        statuses=body.status_filter or (),
        name=body.playbook_name,
        agent_version=body.agent_version,
        start=body.start_time,
        end=body.end_time,
        words=body.query,
    )
    found = await list_memories(caller.acting, choice, limit=body.limit)
    return UserPlaybooksPage(
        user_playbooks=tuple(await each(user_playbook_view, found)),
        msg=counted(len(found), "user playbook"),
    )


@router.delete("/delete_user_playbook")
async def delete_user_playbook(body: DeleteUserPlaybookBody, caller: Writes) -> Deleted:
    """Delete one user playbook."""
    if not (await _delete(caller, [body.user_playbook_id])).deleted_count:
        raise NotFound(f"no user playbook with id {body.user_playbook_id}")
    return Deleted(message=f"deleted user playbook {body.user_playbook_id}")


@router.delete("/delete_user_playbooks_by_ids")
async def delete_user_playbooks_by_ids(body: DeleteUserPlaybooksByIdsBody, caller: Writes) -> DeletedMany:
    """Delete several user playbooks; unknown ids are ignored."""
    return await _delete(caller, body.user_playbook_ids)


@router.delete("/delete_all_user_playbooks")
async def delete_all_user_playbooks(caller: Writes) -> DeletedMany:
    """Delete all user playbooks of all users."""
    return await _delete(caller, None)


async def _delete(caller: Caller, ids: Sequence[int] | None) -> DeletedMany:
    count = await delete_memories(caller.acting, KIND, ids=ids)
    return DeletedMany(message=f"deleted {counted(count, 'user playbook')}", deleted_count=count)
