"""Rules for an agent that hold for all users: agent playbooks."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query

from sagacity.api.dependencies import Caller, CallerDep
from sagacity.api.writes import add_memories, edit_memory, playbook_changes
from sagacity.domain.errors import InvalidInput, NotFound
from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.views.agent_playbook import agent_playbook_view
from sagacity.domain.views.change_log import aggregation_change_log_view
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
)
from sagacity.schemas.profiles import Added, Updated

router = APIRouter(tags=["agent playbooks"])
KIND = MemoryKind.AGENT_PLAYBOOK
CHANGE_LOG_ROWS = 100


@router.post("/add_agent_playbook", response_model_exclude_none=True)
async def add_agent_playbook(body: AddAgentPlaybooksBody, caller: CallerDep) -> Added:
    """Store agent playbooks as they are given, all or none."""
    runtime = caller.runtime
    now = runtime.clock.now()
    stored = await add_memories(
        caller, [one.to_memory(MemoryUid(runtime.ids.new()), now) for one in body.agent_playbooks]
    )
    return Added(message=f"stored {len(stored)} agent playbooks", added_count=len(stored))


@router.put("/update_agent_playbook", response_model_exclude_none=True)
async def update_agent_playbook(body: UpdateAgentPlaybookBody, caller: CallerDep) -> Updated:
    """Change an agent playbook; fields that are not given stay."""
    now = caller.runtime.clock.now()

    def change(memory: Memory) -> Memory:
        approval = memory.approval if body.playbook_status is None else body.playbook_status
        return memory.model_copy(
            update=playbook_changes(body, memory) | {"approval": approval, "updated_at": now}
        )

    await edit_memory(caller, MemoryId(body.agent_playbook_id), KIND, change)
    text = f"updated agent playbook {body.agent_playbook_id}"
    return Updated(msg=text, message=text)


@router.put("/update_agent_playbook_status", response_model_exclude_none=True)
async def update_agent_playbook_status(body: UpdateAgentPlaybookStatusBody, caller: CallerDep) -> Updated:
    """Approve or reject an agent playbook, or put it back to pending."""
    now = caller.runtime.clock.now()

    def change(memory: Memory) -> Memory:
        return memory.model_copy(update={"approval": body.playbook_status, "updated_at": now})

    await edit_memory(caller, MemoryId(body.agent_playbook_id), KIND, change)
    text = f"agent playbook {body.agent_playbook_id} is {body.playbook_status}"
    return Updated(msg=text, message=text)


@router.post("/get_agent_playbooks", response_model_exclude_none=True)
async def get_agent_playbooks(body: GetAgentPlaybooksBody, caller: CallerDep) -> AgentPlaybooksPage:
    """Return agent playbooks, last changed first; without filters the current ones, whatever a reviewer said."""
    async with caller.read() as snapshot:
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
        msg=f"{len(found)} agent playbooks",
    )


@router.get("/playbook_aggregation_change_logs")
async def get_playbook_aggregation_change_logs(
    caller: CallerDep,
    playbook_name: Annotated[str, Query(max_length=512)],
    agent_version: Annotated[str, Query(max_length=512)],
) -> AggregationChangeLogPage:
    """Return what the last 100 aggregations changed in the agent playbooks of one name and version."""
    if "\x00" in playbook_name + agent_version:
        raise InvalidInput("text must not hold NUL characters")
    async with caller.read() as snapshot:
        logs = await snapshot.changes.list_runs(KIND, limit=CHANGE_LOG_ROWS)
    views = (
        aggregation_change_log_view(log, playbook_name=playbook_name, agent_version=agent_version)
        for log in logs
    )
    return AggregationChangeLogPage(change_logs=tuple(view for view in views if view is not None))


@router.delete("/delete_agent_playbook")
async def delete_agent_playbook(body: DeleteAgentPlaybookBody, caller: CallerDep) -> Deleted:
    """Delete one agent playbook."""
    if not (await _delete(caller, [body.agent_playbook_id])).deleted_count:
        raise NotFound(f"no agent playbook with id {body.agent_playbook_id}")
    return Deleted(message=f"deleted agent playbook {body.agent_playbook_id}")


@router.delete("/delete_agent_playbooks_by_ids")
async def delete_agent_playbooks_by_ids(
    body: DeleteAgentPlaybooksByIdsBody, caller: CallerDep
) -> DeletedMany:
    """Delete many agent playbooks; those that are not there are passed over."""
    return await _delete(caller, body.agent_playbook_ids)


@router.delete("/delete_all_agent_playbooks")
async def delete_all_agent_playbooks(caller: CallerDep) -> DeletedMany:
    """Delete all agent playbooks."""
    return await _delete(caller, None)


@router.delete("/delete_all_playbooks")
async def delete_all_playbooks(caller: CallerDep) -> DeletedMany:
    """Delete all playbooks, of users and of agents."""
    async with caller.begin() as transaction:
        count = await transaction.memories.delete(MemoryKind.USER_PLAYBOOK)
        count += await transaction.memories.delete(MemoryKind.AGENT_PLAYBOOK)
    return DeletedMany(message=f"deleted {count} playbooks", deleted_count=count)


async def _delete(caller: Caller, ids: Sequence[int] | None) -> DeletedMany:
    async with caller.begin() as transaction:
        count = await transaction.memories.delete(KIND, ids=ids)
    return DeletedMany(message=f"deleted {count} agent playbooks", deleted_count=count)
