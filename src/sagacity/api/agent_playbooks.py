"""Agent playbooks: rules for an agent that apply to all users."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query

from sagacity.api.dependencies import Caller, Reads, Reviews
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.errors import NotFound
from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.memory import MemoryKind
from sagacity.domain.paced import each
from sagacity.domain.views.agent_playbook import agent_playbook_view
from sagacity.domain.views.change_log import aggregation_change_log_view
from sagacity.memories import delete
from sagacity.memories.change_logs import aggregation_changes
from sagacity.memories.listing import Choice, list_memories
from sagacity.memories.review import edit_agent_playbook, set_approval
from sagacity.memories.write import add_memories
from sagacity.schemas.base import Label
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

router = resource("agent playbooks")
KIND = MemoryKind.AGENT_PLAYBOOK


@router.post("/add_agent_playbook", response_model_exclude_none=True, operation_id="add_agent_playbooks")
@limited(Rate.WRITE)
async def add_agent_playbook(body: AddAgentPlaybooksBody, caller: Reviews) -> Added:
    """Add agent playbooks; either all are stored, or none."""
    parts = caller.acting.parts
    now = parts.clock.now()
    stored = await add_memories(
        caller.acting,
        [one.to_memory(MemoryUid(parts.ids.new()), now) for one in body.agent_playbooks],
        reason="agent playbook written",
    )
    return Added(message=f"stored {counted(len(stored), 'agent playbook')}", added_count=len(stored))


@router.put("/update_agent_playbook", response_model_exclude_none=True)
async def update_agent_playbook(body: UpdateAgentPlaybookBody, caller: Reviews) -> UpdatedAgentPlaybook:
    """Change an agent playbook; fields that are not given stay as they are."""
    memory_id = MemoryId(body.agent_playbook_id)
    done = await edit_agent_playbook(caller.acting, memory_id, body.changes, approval=body.playbook_status)
    return _updated(f"updated agent playbook {memory_id}", done.replaced)


@router.put("/update_agent_playbook_status", response_model_exclude_none=True)
async def update_agent_playbook_status(
    body: UpdateAgentPlaybookStatusBody, caller: Reviews
) -> UpdatedAgentPlaybook:
    """
    Approve or reject an agent playbook, or set it back to pending.

    Approving one archives the agent playbook that it was written to replace.
    """
    memory_id = MemoryId(body.agent_playbook_id)
    done = await set_approval(caller.acting, memory_id, KIND, body.playbook_status)
    return _updated(f"agent playbook {memory_id} is {body.playbook_status}", done.replaced)


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
    ids, review = body.agent_playbook_ids, body.playbook_status_filter
    choice = Choice(
        kind=KIND,
        ids=ids,
        statuses=body.status_filter or (),
        approvals=() if review is None else (review,),
        name=body.playbook_name,
        agent_version=body.agent_version,
    )
    found = await list_memories(caller.acting, choice, limit=body.limit if ids is None else len(ids))
    return AgentPlaybooksPage(
        agent_playbooks=tuple(await each(agent_playbook_view, found)),
        msg=counted(len(found), "agent playbook"),
    )


@router.get("/playbook_aggregation_change_logs")
async def get_playbook_aggregation_change_logs(
    caller: Reads,
    playbook_name: Annotated[
        Label, Query(description="The name of the playbooks, as their extractor is called.")
    ],
    agent_version: Annotated[
        Label, Query(description="The version of the agent that the playbooks belong to.")
    ],
) -> AggregationChangeLogPage:
    """Return what the last 100 aggregations changed in the agent playbooks of one name and version."""
    logs = await aggregation_changes(caller.acting, playbook_name=playbook_name, agent_version=agent_version)
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
    count = await delete.delete_all_playbooks(caller.acting)
    return DeletedMany(message=f"deleted {counted(count, 'playbook')}", deleted_count=count)


async def _delete(caller: Caller, ids: Sequence[int] | None) -> DeletedMany:
    count = await delete.delete_memories(caller.acting, KIND, ids=ids)
    return DeletedMany(message=f"deleted {counted(count, 'agent playbook')}", deleted_count=count)
