# Generated from the API's description by scripts/sdk; change it there.
"""Rules for an agent that hold for all users."""

from collections.abc import Callable, Mapping, Sequence

from sagacity.client._async.connection import AsyncConnection
from sagacity.client._async.waiting import follow
from sagacity.client.wire import checked, statuses
from sagacity.client.words.memory import ApprovalWord, StatusWord
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.aggregation import PlaybookAggregationReply, RunPlaybookAggregationBody
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


async def add_agent_playbooks(
    connection: AsyncConnection, agent_playbooks: Sequence[AgentPlaybookData | Mapping[str, object]]
) -> Added:
    """
    Add agent playbooks; either all are stored, or none.

    Args:
        connection: to the server.
        agent_playbooks: rules that apply to all users.
    """
    body = checked(AddAgentPlaybooksBody, {"agent_playbooks": agent_playbooks})
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
    blocking_issue: BlockingIssueData | Mapping[str, object] | None = None,
    playbook_metadata: str | None = None,
    playbook_status: ApprovalWord | None = None,
) -> UpdatedAgentPlaybook:
    """
    Change an agent playbook; fields that are not given stay as they are.

    Args:
        connection: to the server.
        agent_playbook_id: the agent playbook's number.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        content: what the memory says.
        trigger: when the rule applies.
        pitfall: what the agent should not do.
        rationale: why the rule holds.
        blocking_issue: what prevented the agent from doing what was asked.
        playbook_metadata: free text that is kept with the playbook.
        playbook_status: a reviewer's verdict; an agent uses only what is approved.
    """
    body = checked(
        UpdateAgentPlaybookBody,
        {
            "agent_playbook_id": agent_playbook_id,
            "playbook_name": playbook_name,
            "content": content,
            "trigger": trigger,
            "pitfall": pitfall,
            "rationale": rationale,
            "blocking_issue": blocking_issue,
            "playbook_metadata": playbook_metadata,
            "playbook_status": playbook_status,
        },
    )
    return await connection.send(
        "PUT", "/api/update_agent_playbook", UpdatedAgentPlaybook, body=body, repeatable=True
    )


async def update_agent_playbook_status(
    connection: AsyncConnection, agent_playbook_id: int, playbook_status: ApprovalWord
) -> UpdatedAgentPlaybook:
    """
    Approve or reject an agent playbook, or set it back to pending.

    Approving one archives the agent playbook that it was written to replace.

    Args:
        connection: to the server.
        agent_playbook_id: the agent playbook's number.
        playbook_status: a reviewer's verdict; an agent uses only what is approved.
    """
    body = checked(
        UpdateAgentPlaybookStatusBody,
        {"agent_playbook_id": agent_playbook_id, "playbook_status": playbook_status},
    )
    return await connection.send(
        "PUT", "/api/update_agent_playbook_status", UpdatedAgentPlaybook, body=body, repeatable=True
    )


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
    """
    Return agent playbooks, last changed first; by default current ones, approved or not.

    With `agent_playbook_ids`, those come in that order and in any state; no other filter can be combined with it.

    Args:
        connection: to the server.
        limit: the largest number of results to return; by default 100.
        agent_playbook_ids: only these agent playbooks; no other filter may be given with them.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        agent_version: which version of the agent it belongs to.
        status_filter: only playbooks with one of these statuses; null stands for current.
        playbook_status_filter: only those with this verdict.
    """
    body = checked(
        GetAgentPlaybooksBody,
        {
            "limit": limit,
            "agent_playbook_ids": agent_playbook_ids,
            "playbook_name": playbook_name,
            "agent_version": agent_version,
            "status_filter": statuses(status_filter),
            "playbook_status_filter": playbook_status_filter,
        },
    )
    return await connection.send(
        "POST", "/api/get_agent_playbooks", AgentPlaybooksPage, body=body, repeatable=True
    )


async def get_playbook_aggregation_change_logs(
    connection: AsyncConnection, playbook_name: str, agent_version: str
) -> AggregationChangeLogPage:
    """
    Return what the last 100 aggregations changed in the agent playbooks of one name and version.

    Args:
        connection: to the server.
        playbook_name: the name of the playbooks, as their extractor is called.
        agent_version: the version of the agent that the playbooks belong to.
    """
    params = {"playbook_name": playbook_name, "agent_version": agent_version}
    return await connection.get(
        "/api/playbook_aggregation_change_logs", AggregationChangeLogPage, params=params
    )


async def delete_agent_playbook(connection: AsyncConnection, agent_playbook_id: int) -> Deleted:
    """
    Delete one agent playbook.

    Args:
        connection: to the server.
        agent_playbook_id: the agent playbook's number.
    """
    body = checked(DeleteAgentPlaybookBody, {"agent_playbook_id": agent_playbook_id})
    return await connection.send("DELETE", "/api/delete_agent_playbook", Deleted, body=body)


async def delete_agent_playbooks_by_ids(
    connection: AsyncConnection, agent_playbook_ids: Sequence[int]
) -> DeletedMany:
    """
    Delete several agent playbooks; unknown ids are ignored.

    Args:
        connection: to the server.
        agent_playbook_ids: only these agent playbooks; no other filter may be given with them.
    """
    body = checked(DeleteAgentPlaybooksByIdsBody, {"agent_playbook_ids": agent_playbook_ids})
    return await connection.send("DELETE", "/api/delete_agent_playbooks_by_ids", DeletedMany, body=body)


async def delete_all_agent_playbooks(connection: AsyncConnection) -> DeletedMany:
    """Delete all agent playbooks."""
    return await connection.send("DELETE", "/api/delete_all_agent_playbooks", DeletedMany)


async def delete_all_playbooks(connection: AsyncConnection) -> DeletedMany:
    """Delete all playbooks, of users and of agents."""
    return await connection.send("DELETE", "/api/delete_all_playbooks", DeletedMany)


async def run_playbook_aggregation(
    connection: AsyncConnection,
    playbook_name: str,
    agent_version: str | None = None,
    *,
    wait_for_response: bool = True,
    timeout_seconds: float | None = None,
    on_progress: Callable[[OperationView], None] | None = None,
) -> PlaybookAggregationReply:
    """
    Aggregate all users' user playbooks of one name and agent version again, and return the result.

    Approved and rejected agent playbooks stay as they are; new ones wait for approval. If the run takes longer
    than the call may, the reply says so and the run continues. While one runs, a second start is refused with
    409.

    Args:
        connection: to the server.
        agent_version: which version of the agent it belongs to; by default agent-v0.
        wait_for_response: return when it has ended; otherwise at once, with the `operation_id`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.
    """
    body = checked(
        RunPlaybookAggregationBody, {"playbook_name": playbook_name, "agent_version": agent_version}
    )
    started = await connection.send(
        "POST",
        "/api/run_playbook_aggregation",
        PlaybookAggregationReply,
        params={"wait_for_response": False},
        body=body,
    )
    if not wait_for_response:
        return started
    return await follow(connection, started, timeout_seconds=timeout_seconds, on_progress=on_progress)
