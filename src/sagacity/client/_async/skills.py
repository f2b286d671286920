# Generated from the API's description by scripts/sdk; change it there.
"""Instructions for one kind of task, for all agents."""

from collections.abc import Callable, Mapping, Sequence

from sagacity.client._async.connection import AsyncConnection
from sagacity.client._async.waiting import follow
from sagacity.client.wire import checked, statuses
from sagacity.client.words import ApprovalWord, StatusWord
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.interactions import Deleted, DeletedMany
from sagacity.schemas.playbooks import BlockingIssueData
from sagacity.schemas.skills import (
    AddedSkills,
    AddSkillsBody,
    DeleteSkillBody,
    DeleteSkillsByIdsBody,
    ExportedSkills,
    ExportSkillsBody,
    GetSkillsBody,
    RunSkillGenerationBody,
    SkillData,
    SkillGenerationReply,
    SkillsPage,
    UpdatedSkill,
    UpdatedSkillStatus,
    UpdateSkillBody,
    UpdateSkillStatusBody,
)


async def get_skills(
    connection: AsyncConnection,
    *,
    playbook_name: str | None = None,
    agent_version: str | None = None,
    skill_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
    limit: int | None = None,
    skill_ids: Sequence[int] | None = None,
    status_filter: Sequence[StatusWord] | None = None,
) -> SkillsPage:
    """
    Return skills, last changed first; without filters the current ones, whatever a reviewer said.

    Args:
        connection: to the server.
        skill_status_filter: what a reviewer said.
    """
    body = checked(
        GetSkillsBody,
        {
            "playbook_name": playbook_name,
            "agent_version": agent_version,
            "skill_status_filter": skill_status_filter,
            "limit": limit,
            "skill_ids": skill_ids,
            "status_filter": statuses(status_filter),
        },
    )
    return await connection.send("POST", "/api/get_skills", SkillsPage, body=body, repeatable=True)


async def add_skills(
    connection: AsyncConnection, skills: Sequence[SkillData | Mapping[str, object]]
) -> AddedSkills:
    """Store skills as they are given, all or none."""
    body = checked(AddSkillsBody, {"skills": skills})
    return await connection.send("POST", "/api/add_skill", AddedSkills, body=body)


async def update_skill(
    connection: AsyncConnection,
    skill_id: int,
    *,
    skill_name: str | None = None,
    description: str | None = None,
    instructions: str | None = None,
    playbook_name: str | None = None,
    allowed_tools: Sequence[str] | None = None,
    blocking_issues: Sequence[BlockingIssueData | Mapping[str, object]] | None = None,
) -> UpdatedSkill:
    """Change a skill; fields that are not given stay. What it says in other words is the next patch version."""
    body = checked(
        UpdateSkillBody,
        {
            "skill_id": skill_id,
            "skill_name": skill_name,
            "description": description,
            "instructions": instructions,
            "playbook_name": playbook_name,
            "allowed_tools": allowed_tools,
            "blocking_issues": blocking_issues,
        },
    )
    return await connection.send("PUT", "/api/update_skill", UpdatedSkill, body=body)


async def update_skill_status(
    connection: AsyncConnection, skill_id: int, skill_status: ApprovalWord
) -> UpdatedSkillStatus:
    """
    Approve or reject a skill, or put it back to pending.

    An approved one takes the place of the skill that it was written to replace: that one is archived with it.
    """
    body = checked(UpdateSkillStatusBody, {"skill_id": skill_id, "skill_status": skill_status})
    return await connection.send("PUT", "/api/update_skill_status", UpdatedSkillStatus, body=body)


async def run_skill_generation(
    connection: AsyncConnection,
    playbook_name: str,
    *,
    agent_version: str | None = None,
    wait_for_response: bool = True,
    timeout_seconds: float | None = None,
    on_progress: Callable[[OperationView], None] | None = None,
) -> SkillGenerationReply:
    """
    Write up user playbooks of one name and agent version as skills, now, and say how many came of it.

    Neither the cooldown nor the switch counts, and no cooldown begins. What is written waits for its approval. If
    it takes longer than the call may, the reply says so and the run goes on. While one runs, a second start is
    refused with 409.

    Args:
        connection: to the server.
        wait_for_response: return when it has ended; otherwise at once, with the `operation_id`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.
    """
    body = checked(RunSkillGenerationBody, {"playbook_name": playbook_name, "agent_version": agent_version})
    started = await connection.send(
        "POST",
        "/api/run_skill_generation",
        SkillGenerationReply,
        params={"wait_for_response": False},
        body=body,
    )
    if not wait_for_response:
        return started
    return await follow(connection, started, timeout_seconds=timeout_seconds, on_progress=on_progress)


async def export_skills(
    connection: AsyncConnection,
    *,
    playbook_name: str | None = None,
    agent_version: str | None = None,
    skill_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
    skill_ids: Sequence[int] | None = None,
) -> ExportedSkills:
    """
    Return skills as files of the Agent Skills convention: one document, or a zip archive with a folder each.

    Without `skill_status_filter` only approved ones are exported. A skill that is approved has the same folder in
    every export. In the one document a line begins with `---` only where front matter begins and ends.

    Args:
        connection: to the server.
        skill_status_filter: what a reviewer said.
    """
    body = checked(
        ExportSkillsBody,
        {
            "playbook_name": playbook_name,
            "agent_version": agent_version,
            "skill_status_filter": skill_status_filter,
            "skill_ids": skill_ids,
        },
    )
    return await connection.send("POST", "/api/export_skills", ExportedSkills, body=body, repeatable=True)


async def delete_skill(connection: AsyncConnection, skill_id: int) -> Deleted:
    """Delete one skill with its history."""
    body = checked(DeleteSkillBody, {"skill_id": skill_id})
    return await connection.send("DELETE", "/api/delete_skill", Deleted, body=body)


async def delete_skills_by_ids(connection: AsyncConnection, skill_ids: Sequence[int]) -> DeletedMany:
    """Delete many skills; those that are not there are passed over."""
    body = checked(DeleteSkillsByIdsBody, {"skill_ids": skill_ids})
    return await connection.send("DELETE", "/api/delete_skills_by_ids", DeletedMany, body=body)
