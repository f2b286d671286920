# Generated from the API's description by scripts/sdk; change it there.
"""Instructions for one kind of task, for all agents."""

from collections.abc import Callable, Mapping, Sequence

from sagacity.client._async.connection import AsyncConnection
from sagacity.client._async.waiting import follow
from sagacity.client.wire import checked, statuses
from sagacity.client.words.memory import ApprovalWord, StatusWord
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
    Return skills, last changed first; by default current ones, approved or not.

    Args:
        connection: to the server.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        agent_version: which version of the agent it belongs to.
        skill_status_filter: what a reviewer said.
        limit: the largest number of results to return; by default 100.
        skill_ids: only these skills.
        status_filter: only memories with one of these statuses; null stands for current. Default: current.
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
    """
    Add skills; either all are stored, or none.

    Args:
        connection: to the server.
        skills: procedures that an agent can load.
    """
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
    """
    Change a skill; fields that are not given stay as they are. New text increases the patch version.

    Args:
        connection: to the server.
        skill_id: the skill's number.
        skill_name: a short name that says what the skill does.
        description: what the skill is for and when to use it.
        instructions: the whole procedure, in Markdown.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        allowed_tools: tools that the instructions use.
        blocking_issues: what prevented the agent from doing what was asked, in the conversations it was learned
            from.
    """
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
    Approve or reject a skill, or set it back to pending.

    Approving one archives the skill that it was written to replace.

    Args:
        connection: to the server.
        skill_id: the skill's number.
        skill_status: a reviewer's verdict; an agent uses only what is approved.
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
    Write skills from the user playbooks of one name and agent version, now, and return how many.

    This ignores the cooldown and whether skill generation is switched on, and starts no cooldown. New skills wait
    for approval. If the run takes longer than the call may, the reply says so and the run continues. While one
    runs, a second start is refused with 409.

    Args:
        connection: to the server.
        agent_version: which version of the agent it belongs to; by default agent-v0.
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
    Return skills in the Agent Skills format: as one document, or as a zip archive with a folder for each.

    By default only approved ones are exported. An approved skill has the same folder in every export. In the
    document, a line starts with `---` only where front matter starts and ends.

    Args:
        connection: to the server.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        agent_version: which version of the agent it belongs to.
        skill_status_filter: what a reviewer said.
        skill_ids: only these skills.
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
    """
    Delete one skill with its history.

    Args:
        connection: to the server.
        skill_id: the skill's number.
    """
    body = checked(DeleteSkillBody, {"skill_id": skill_id})
    return await connection.send("DELETE", "/api/delete_skill", Deleted, body=body)


async def delete_skills_by_ids(connection: AsyncConnection, skill_ids: Sequence[int]) -> DeletedMany:
    """
    Delete several skills; unknown ids are ignored.

    Args:
        connection: to the server.
        skill_ids: only these skills.
    """
    body = checked(DeleteSkillsByIdsBody, {"skill_ids": skill_ids})
    return await connection.send("DELETE", "/api/delete_skills_by_ids", DeletedMany, body=body)
