# Generated from _async by scripts/unasync; edit it there.
"""Instructions for one kind of task, for all agents: read, written, reviewed, generated, exported, deleted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Unpack

from sagacity.client._sync.connection import Connection
from sagacity.client._sync.operations import wait_for_operation
from sagacity.client.search_options import PlaybookOptions, asked
from sagacity.client.wire import checked
from sagacity.client.words import ApprovalWord, StatusWord, statuses
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.found import FoundSkills
from sagacity.schemas.interactions import Deleted, DeletedMany
from sagacity.schemas.playbooks import BlockingIssueData
from sagacity.schemas.search import SearchSkillsBody
from sagacity.schemas.skills import (
    AddedSkills,
    AddSkillsBody,
    DeleteSkillBody,
    DeleteSkillsByIdsBody,
    ExportedSkills,
    ExportFormat,
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
    skill_generation_reply,
)

OnProgress = Callable[[OperationView], None]


def get_skills(
    connection: Connection,
    *,
    limit: int | None = None,
    skill_ids: Sequence[int] | None = None,
    playbook_name: str | None = None,
    agent_version: str | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    skill_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
) -> SkillsPage:
    """Return skills, last changed first; those of *skill_ids* in that order and in any state."""
    fields = {
        "limit": limit,
        "skill_ids": skill_ids,
        "playbook_name": playbook_name,
        "agent_version": agent_version,
        "status_filter": statuses(status_filter),
        "skill_status_filter": skill_status_filter,
    }
    body = checked(GetSkillsBody, fields)
    return connection.send("POST", "/api/get_skills", SkillsPage, body=body, repeatable=True)


def search_skills(
    connection: Connection,
    query: str | None = None,
    *,
    skill_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
    top_k: int | None = None,
    **options: Unpack[PlaybookOptions],
) -> FoundSkills:
    """
    Find skills; without a query those changed last are returned.

    Args:
        connection: to the server.
        query: the question, in plain words.
        skill_status_filter: what a reviewer said of them; by default what may be served.
        top_k: how many at most; by default 10.
        options: as every search has them; `threshold` is 0.4 by default.
    """
    fields = {"query": query, "skill_status_filter": skill_status_filter, "top_k": top_k}
    body = asked(SearchSkillsBody, fields, options)
    return connection.send("POST", "/api/search_skills", FoundSkills, body=body, repeatable=True)


def add_skills(connection: Connection, skills: Sequence[SkillData | Mapping[str, object]]) -> AddedSkills:
    """Write skills by hand; each needs `skill_name`, `description` and `instructions`."""
    body = checked(AddSkillsBody, {"skills": list(skills)})
    return connection.send("POST", "/api/add_skill", AddedSkills, body=body)


def update_skill(
    connection: Connection,
    skill_id: int,
    *,
    skill_name: str | None = None,
    description: str | None = None,
    instructions: str | None = None,
    playbook_name: str | None = None,
    allowed_tools: Sequence[str] | None = None,
    blocking_issues: Sequence[BlockingIssueData] | None = None,
) -> UpdatedSkill:
    """Change a skill; what is not given stays. What it says in other words is the next patch version."""
    fields = {
        "skill_id": skill_id,
        "skill_name": skill_name,
        "description": description,
        "instructions": instructions,
        "playbook_name": playbook_name,
        "allowed_tools": allowed_tools,
        "blocking_issues": blocking_issues,
    }
    body = checked(UpdateSkillBody, fields)
    return connection.send("PUT", "/api/update_skill", UpdatedSkill, body=body)


def update_skill_status(
    connection: Connection, skill_id: int, skill_status: ApprovalWord
) -> UpdatedSkillStatus:
    """Say whether a skill may serve all users; an approved one takes the place of the one that it replaces."""
    body = checked(UpdateSkillStatusBody, {"skill_id": skill_id, "skill_status": skill_status})
    return connection.send("PUT", "/api/update_skill_status", UpdatedSkillStatus, body=body)


def run_skill_generation(
    connection: Connection,
    playbook_name: str,
    *,
    agent_version: str | None = None,
    wait_for_response: bool = True,
    timeout_seconds: float | None = None,
    on_progress: OnProgress | None = None,
) -> SkillGenerationReply:
    """
    Write up user playbooks as skills, now.

    Args:
        connection: to the server.
        playbook_name: of the playbooks.
        agent_version: for which they hold; by default `agent-v0`.
        wait_for_response: return when it has ended; otherwise at once, with the `operation_id`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.

    Raises:
        Conflict: one is running already.
        WaitedTooLong: it has not ended in time; it goes on.
    """
    body = checked(RunSkillGenerationBody, {"playbook_name": playbook_name, "agent_version": agent_version})
    started = connection.send(
        "POST", "/api/run_skill_generation?wait_for_response=false", SkillGenerationReply, body=body
    )
    if not wait_for_response:
        return started
    ended = wait_for_operation(
        connection, started.operation_id, timeout_seconds=timeout_seconds, on_progress=on_progress
    )
    return skill_generation_reply(ended)


def export_skills(
    connection: Connection,
    *,
    skill_ids: Sequence[int] | None = None,
    playbook_name: str | None = None,
    agent_version: str | None = None,
    skill_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
) -> ExportedSkills:
    """Return skills as one document: the `SKILL.md` of each. Without *skill_status_filter* only approved ones."""
    fields = {
        "skill_ids": skill_ids,
        "playbook_name": playbook_name,
        "agent_version": agent_version,
        "skill_status_filter": skill_status_filter,
    }
    body = checked(ExportSkillsBody, fields)
    return connection.send("POST", "/api/export_skills", ExportedSkills, body=body, repeatable=True)


def export_skill_folders(
    connection: Connection,
    *,
    skill_ids: Sequence[int] | None = None,
    playbook_name: str | None = None,
    agent_version: str | None = None,
    skill_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
) -> bytes:
    """Return skills as a zip archive with a folder each, as agents load them; see `export_skills`."""
    fields = {
        "format": ExportFormat.ZIP,
        "skill_ids": skill_ids,
        "playbook_name": playbook_name,
        "agent_version": agent_version,
        "skill_status_filter": skill_status_filter,
    }
    body = checked(ExportSkillsBody, fields)
    return connection.download("POST", "/api/export_skills", body=body)


def delete_skill(connection: Connection, skill_id: int) -> Deleted:
    """Delete one skill."""
    body = checked(DeleteSkillBody, {"skill_id": skill_id})
    return connection.send("DELETE", "/api/delete_skill", Deleted, body=body)


def delete_skills_by_ids(connection: Connection, skill_ids: Sequence[int]) -> DeletedMany:
    """Delete skills; the count is of those that were there."""
    body = checked(DeleteSkillsByIdsBody, {"skill_ids": list(skill_ids)})
    return connection.send("DELETE", "/api/delete_skills_by_ids", DeletedMany, body=body)
