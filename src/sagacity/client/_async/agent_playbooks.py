"""How an agent should act for everybody: read, written, reviewed, edited, deleted."""

from collections.abc import Mapping, Sequence

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
from sagacity.client.words import ApprovalWord, StatusWord, statuses
from sagacity.schemas.interactions import Deleted, DeletedMany
from sagacity.schemas.playbooks import (
    AddAgentPlaybooksBody,
    AgentPlaybookData,
    AgentPlaybooksPage,
    AggregationChangeLogPage,
    BlockingIssueData,
    DeleteAgentPlaybookBody,
    DeleteAgentPlaybooksByIdsBody,
    GetAgentPlaybooksBody,
    UpdateAgentPlaybookBody,
    UpdateAgentPlaybookStatusBody,
    UpdatedAgentPlaybook,
)
from sagacity.schemas.profiles import Added


async def get_agent_playbooks(
    connection: AsyncConnection,
    *,
    limit: int | None = None,
    agent_playbook_ids: Sequence[int] | None = None,
    playbook_name: str | None = None,
    agent_version: str | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    playbook_status_filter: ApprovalWord | None = None,
) -> AgentPlaybooksPage:
    """Return agent playbooks, last changed first; those of *agent_playbook_ids* in that order and in any state."""
    fields = {
        "limit": limit,
        "agent_playbook_ids": agent_playbook_ids,
        "playbook_name": playbook_name,
        "agent_version": agent_version,
        "status_filter": statuses(status_filter),
        "playbook_status_filter": playbook_status_filter,
    }
    body = checked(GetAgentPlaybooksBody, fields)
    return await connection.send(
        "POST", "/api/get_agent_playbooks", AgentPlaybooksPage, body=body, repeatable=True
    )


async def get_playbook_aggregation_change_logs(
    connection: AsyncConnection, playbook_name: str, agent_version: str
) -> AggregationChangeLogPage:
    """Return what the last aggregations changed in the agent playbooks of one name and version."""
    params = {"playbook_name": playbook_name, "agent_version": agent_version}
    return await connection.get(
        "/api/playbook_aggregation_change_logs", AggregationChangeLogPage, params=params
    )


async def add_agent_playbooks(
    connection: AsyncConnection, agent_playbooks: Sequence[AgentPlaybookData | Mapping[str, object]]
) -> Added:
    """Write agent playbooks by hand; each needs content."""
    body = checked(AddAgentPlaybooksBody, {"agent_playbooks": list(agent_playbooks)})
    return await connection.send("POST", "/api/add_agent_playbook", Added, body=body)


async def update_agent_playbook(
    connection: AsyncConnection,
    agent_playbook_id: int,
    *,
    playbook_name: str | None = None,
    content: str | None = None,
    trigger: str | None = None,
    pitfall: str | None = None,
    rationale: str | None = None,
    blocking_issue: BlockingIssueData | None = None,
    playbook_metadata: str | None = None,
    playbook_status: ApprovalWord | None = None,
) -> UpdatedAgentPlaybook:
    """Change an agent playbook; what is not given stays."""
    fields = {
        "agent_playbook_id": agent_playbook_id,
        "playbook_name": playbook_name,
        "content": content,
        "trigger": trigger,
        "pitfall": pitfall,
        "rationale": rationale,
        "blocking_issue": blocking_issue,
        "playbook_metadata": playbook_metadata,
        "playbook_status": playbook_status,
    }
    body = checked(UpdateAgentPlaybookBody, fields)
    return await connection.send(
        "PUT", "/api/update_agent_playbook", UpdatedAgentPlaybook, body=body, repeatable=True
    )


async def update_agent_playbook_status(
    connection: AsyncConnection, agent_playbook_id: int, playbook_status: ApprovalWord
) -> UpdatedAgentPlaybook:
    """Say whether an agent playbook may serve all users; an approved one takes the place of the one that it names."""
    fields = {"agent_playbook_id": agent_playbook_id, "playbook_status": playbook_status}
    body = checked(UpdateAgentPlaybookStatusBody, fields)
    return await connection.send(
        "PUT", "/api/update_agent_playbook_status", UpdatedAgentPlaybook, body=body, repeatable=True
    )


async def delete_agent_playbook(connection: AsyncConnection, agent_playbook_id: int) -> Deleted:
    """Delete one agent playbook."""
    body = checked(DeleteAgentPlaybookBody, {"agent_playbook_id": agent_playbook_id})
    return await connection.send("DELETE", "/api/delete_agent_playbook", Deleted, body=body)


async def delete_agent_playbooks_by_ids(
    connection: AsyncConnection, agent_playbook_ids: Sequence[int]
) -> DeletedMany:
    """Delete agent playbooks; the count is of those that were there."""
    body = checked(DeleteAgentPlaybooksByIdsBody, {"agent_playbook_ids": list(agent_playbook_ids)})
    return await connection.send("DELETE", "/api/delete_agent_playbooks_by_ids", DeletedMany, body=body)


async def delete_all_agent_playbooks(connection: AsyncConnection) -> DeletedMany:
    """Delete all agent playbooks."""
    return await connection.send("DELETE", "/api/delete_all_agent_playbooks", DeletedMany)
