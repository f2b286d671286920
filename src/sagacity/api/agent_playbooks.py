"""Rules for an agent that hold for all users: agent playbooks."""

from collections.abc import Callable, Sequence
from typing import Annotated

from fastapi import APIRouter, Query

from sagacity.api.dependencies import Caller, Reads, Reviews
from sagacity.api.rates import Rate, limited
from sagacity.api.route import Route
from sagacity.api.sdk import sdk
from sagacity.api.writes import (
    add_memories,
    by_hand,
    delete_memories,
    delete_noted,
    edit_memory,
    playbook_changes,
    told_deleted,
)
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput, NotFound
from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status
from sagacity.domain.views.agent_playbook import agent_playbook_view
from sagacity.domain.views.change_log import aggregation_change_log_view
from sagacity.learning.distil.agent_playbooks.plan import replaced_by
from sagacity.learning.distil.agent_playbooks.trigger import LEARNER
from sagacity.learning.distil.spec import actor_of
from sagacity.schemas.interactions import Deleted, DeletedMany
from sagacity.schemas.playbooks import (
    AddAgentPlaybooksBody,
    AgentPlaybooksPage,
    AggregationChangeLogPage,
    DeleteAgentPlaybookBody,
    DeleteAgentPlaybooksByIdsBody,
    GetAgentPlaybooksBody,
    UpdateAgentPlaybookBody,
    UpdateAgentPlaybookStatusBody,
    UpdatedAgentPlaybook,
)
from sagacity.schemas.profiles import Added
from sagacity.storage.transaction import Transaction

router = APIRouter(tags=["agent playbooks"], route_class=Route)
KIND = MemoryKind.AGENT_PLAYBOOK
CHANGE_LOG_ROWS = 100


@router.post("/add_agent_playbook", response_model_exclude_none=True, operation_id="add_agent_playbooks")
@limited(Rate.WRITE)
async def add_agent_playbook(body: AddAgentPlaybooksBody, caller: Reviews) -> Added:
    """Add agent playbooks; either all are stored, or none."""
    runtime = caller.runtime
    now = runtime.clock.now()
    stored = await add_memories(
        caller,
        [one.to_memory(MemoryUid(runtime.ids.new()), now) for one in body.agent_playbooks],
        reason="agent playbook written",
    )
    return Added(message=f"stored {counted(len(stored), 'agent playbook')}", added_count=len(stored))


@router.put("/update_agent_playbook", response_model_exclude_none=True)
async def update_agent_playbook(body: UpdateAgentPlaybookBody, caller: Reviews) -> UpdatedAgentPlaybook:
    """Change an agent playbook; fields that are not given stay as they are."""
    now = caller.runtime.clock.now()

    def change(memory: Memory) -> Memory:
        approval = memory.approval if body.playbook_status is None else body.playbook_status
        return memory.model_copy(
            update=playbook_changes(body, memory) | {"approval": approval, "updated_at": now}
        )

    said = body.playbook_status
    reason = "agent playbook edited" if said is None else f"agent playbook {body.agent_playbook_id} is {said}"
    archived = await _edit(caller, MemoryId(body.agent_playbook_id), change, reason)
    return _updated(f"updated agent playbook {body.agent_playbook_id}", archived)


@router.put("/update_agent_playbook_status", response_model_exclude_none=True)
async def update_agent_playbook_status(
    body: UpdateAgentPlaybookStatusBody, caller: Reviews
) -> UpdatedAgentPlaybook:
    """
    Approve or reject an agent playbook, or set it back to pending.

    Approving one archives the agent playbook that it was written to replace.
    """
    now = caller.runtime.clock.now()

    def change(memory: Memory) -> Memory:
        return memory.model_copy(update={"approval": body.playbook_status, "updated_at": now})

    text = f"agent playbook {body.agent_playbook_id} is {body.playbook_status}"
    return _updated(text, await _edit(caller, MemoryId(body.agent_playbook_id), change, text))


async def _edit(
    caller: Caller, memory_id: MemoryId, change: Callable[[Memory], Memory], reason: str
) -> tuple[MemoryId, ...]:
    """Change a playbook; returns the numbers of those whose place it took."""
    archived: list[MemoryId] = []

    async def make_room(
        transaction: Transaction, before: Memory, after: Memory
    ) -> list[tuple[Memory, Memory]]:
        is_new = before.approval is not Approval.APPROVED and after.approval is Approval.APPROVED
        replaced = await _replaced_by(transaction, after) if is_new else []
        archived[:] = [one.memory_id for one in replaced]
        away = {
            "status": Status.ARCHIVED,
            "superseded_by": after.memory_id,
            "updated_at": after.updated_at,
        }
        return [(one, by_hand(one, one.model_copy(update=away))) for one in replaced]

    await caller.runtime.storage.retry(
        lambda: edit_memory(caller, memory_id, KIND, change, reason=reason, follow=make_room)
    )
    return tuple(archived)


async def _replaced_by(transaction: Transaction, playbook: Memory) -> list[Memory]:
    """Return the current playbooks whose place *playbook* takes: the one that it names, and so on from there."""
    found: list[Memory] = []
    named = replaced_by(playbook) if playbook.status is Status.CURRENT else None
    while named is not None:
        before = await transaction.memories.get_many([named], kind=KIND)
        if not before or before[0].status is not Status.CURRENT or before[0] in found:
            break
        found += before
        named = replaced_by(before[0])
    return found


def _updated(text: str, archived: tuple[MemoryId, ...]) -> UpdatedAgentPlaybook:
    if archived:
        text += f" in place of {', '.join(map(str, archived))}"
    return UpdatedAgentPlaybook(msg=text, message=text, archived_agent_playbook_ids=archived)


@router.post("/get_agent_playbooks", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
async def get_agent_playbooks(body: GetAgentPlaybooksBody, caller: Reads) -> AgentPlaybooksPage:
    """
    Return agent playbooks, last changed first; by default current ones, approved or not.

    With `agent_playbook_ids`, those come in that order and in any state; no other filter can be combined with it.
    """
    async with caller.read() as snapshot:
        if body.agent_playbook_ids is not None:
            found = await snapshot.memories.get_many(body.agent_playbook_ids, kind=KIND)
        else:
            found = await snapshot.memories.list_newest(
                KIND,
                statuses=body.status_filter or (Status.CURRENT,),
                approvals=() if body.playbook_status_filter is None else (body.playbook_status_filter,),
                name=body.playbook_name,
                agent_version=body.agent_version,
                valid_at=caller.runtime.clock.now(),
                limit=body.limit,
            )
    return AgentPlaybooksPage(
        agent_playbooks=tuple(agent_playbook_view(memory) for memory in found),
        msg=counted(len(found), "agent playbook"),
    )


@router.get("/playbook_aggregation_change_logs")
async def get_playbook_aggregation_change_logs(
    caller: Reads,
    playbook_name: Annotated[str, Query(max_length=512)],
    agent_version: Annotated[str, Query(max_length=512)],
) -> AggregationChangeLogPage:
    """Return what the last 100 aggregations changed in the agent playbooks of one name and version."""
    if "\x00" in playbook_name + agent_version:
        raise InvalidInput("text must not hold NUL characters")
    async with caller.read() as snapshot:
        logs = await snapshot.changes.list_runs(
            KIND,
            actor=actor_of(LEARNER, playbook_name),
            name=playbook_name,
            agent_version=agent_version,
            limit=CHANGE_LOG_ROWS,
        )
    views = (
        aggregation_change_log_view(log, playbook_name=playbook_name, agent_version=agent_version)
        for log in logs
    )
    return AggregationChangeLogPage(change_logs=tuple(view for view in views if view is not None))


@router.delete("/delete_agent_playbook")
async def delete_agent_playbook(body: DeleteAgentPlaybookBody, caller: Reviews) -> Deleted:
    """Delete one agent playbook."""
    if not (await _delete(caller, [body.agent_playbook_id])).deleted_count:
        raise NotFound(f"no agent playbook with id {body.agent_playbook_id}")
    return Deleted(message=f"deleted agent playbook {body.agent_playbook_id}")


@router.delete("/delete_agent_playbooks_by_ids")
async def delete_agent_playbooks_by_ids(body: DeleteAgentPlaybooksByIdsBody, caller: Reviews) -> DeletedMany:
    """Delete several agent playbooks; unknown ids are ignored."""
    return await _delete(caller, body.agent_playbook_ids)


@router.delete("/delete_all_agent_playbooks")
async def delete_all_agent_playbooks(caller: Reviews) -> DeletedMany:
    """Delete all agent playbooks."""
    return await _delete(caller, None)


@router.delete("/delete_all_playbooks")
async def delete_all_playbooks(caller: Reviews) -> DeletedMany:
    """Delete all playbooks, of users and of agents."""
    config = await caller.runtime.configs.get(caller.tenant)
    async with caller.begin() as transaction:
        counts = {
            kind: await delete_noted(transaction, config, kind)
            for kind in (MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK)
        }
    for kind, one in counts.items():
        told_deleted(caller, kind, one)
    caller.runtime.dispatcher.look()
    count = sum(counts.values())
    return DeletedMany(message=f"deleted {counted(count, 'playbook')}", deleted_count=count)


async def _delete(caller: Caller, ids: Sequence[int] | None) -> DeletedMany:
    count = await delete_memories(caller, KIND, ids=ids)
    return DeletedMany(message=f"deleted {counted(count, 'agent playbook')}", deleted_count=count)
