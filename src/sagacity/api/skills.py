"""Skills: read, written, reviewed, generated, exported, deleted."""

import asyncio
from collections.abc import Sequence
from typing import Any

from fastapi import Response

from sagacity.api.dependencies import Reads, Reviews, Runs
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.runs import Waits, wait_seconds
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.errors import NotFound
from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.operation import OperationName
from sagacity.domain.paced import each
from sagacity.domain.views.operation import operation_view
from sagacity.domain.views.skill import skill_view
from sagacity.learning.distil.skills.export import as_one_document, as_zip, skill_folders
from sagacity.memories.delete import delete_memories
from sagacity.memories.listing import Choice, list_memories
from sagacity.memories.operations import distil
from sagacity.memories.review import edit_skill, set_approval
from sagacity.memories.skills import exported_skills
from sagacity.memories.write import add_memories
from sagacity.schemas.interactions import Deleted, DeletedMany
from sagacity.schemas.skills import (
    MAX_EXPORTED,
    AddedSkills,
    AddSkillsBody,
    DeleteSkillBody,
    DeleteSkillsByIdsBody,
    ExportedSkills,
    ExportFormat,
    ExportSkillsBody,
    GetSkillsBody,
    RunSkillGenerationBody,
    SkillFilter,
    SkillGenerationReply,
    SkillsPage,
    UpdatedSkill,
    UpdatedSkillStatus,
    UpdateSkillBody,
    UpdateSkillStatusBody,
)

router = resource("skills")
KIND = MemoryKind.SKILL
ZIP_REPLY: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": {}}}}


@router.post("/get_skills", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
async def get_skills(body: GetSkillsBody, caller: Reads) -> SkillsPage:
    """Return skills, last changed first; by default current ones, approved or not."""
    choice = _choice(body, body.skill_ids, body.status_filter or ())
    found = await list_memories(caller.acting, choice, limit=body.limit)
    return SkillsPage(skills=tuple(await each(skill_view, found)), msg=counted(len(found), "skill"))


def _choice(body: SkillFilter, ids: Sequence[int] | None, statuses: Sequence[Status] = ()) -> Choice:
    return Choice(
        kind=KIND,
        ids=ids,
        statuses=statuses,
        approvals=body.approvals,
        name=body.playbook_name,
        agent_version=body.agent_version,
    )


@router.post("/add_skill", response_model_exclude_none=True, operation_id="add_skills")
@limited(Rate.WRITE)
async def add_skill(body: AddSkillsBody, caller: Reviews) -> AddedSkills:
    """Add skills; either all are stored, or none."""
    parts = caller.acting.parts
    now = parts.clock.now()
    new = [one.to_memory(MemoryUid(parts.ids.new()), now) for one in body.skills]
    stored = await add_memories(caller.acting, new, reason="skill written")
    return AddedSkills(
        message=f"stored {counted(len(stored), 'skill')}",
        added_count=len(stored),
        skill_ids=tuple(one.memory_id for one in stored),
    )


@router.put("/update_skill", response_model_exclude_none=True, openapi_extra=sdk(repeatable=False))
async def update_skill(body: UpdateSkillBody, caller: Reviews) -> UpdatedSkill:
    """Change a skill; fields that are not given stay as they are. New text increases the patch version."""
    skill = await edit_skill(caller.acting, MemoryId(body.skill_id), texts=body.texts, facts=body.facts)
    text = f"updated skill {body.skill_id}"
    return UpdatedSkill(msg=text, message=text, skill=skill_view(skill))


@router.put("/update_skill_status", response_model_exclude_none=True, openapi_extra=sdk(repeatable=False))
@router.post(
    "/update_skill_status",
    response_model_exclude_none=True,
    operation_id="update_skill_status_by_post",
    openapi_extra=sdk(generated=False),
)
async def update_skill_status(body: UpdateSkillStatusBody, caller: Reviews) -> UpdatedSkillStatus:
    """
    Approve or reject a skill, or set it back to pending.

    Approving one archives the skill that it was written to replace.
    """
    done = await set_approval(caller.acting, MemoryId(body.skill_id), KIND, body.skill_status)
    text = f"skill {body.skill_id} is {body.skill_status}"
    if done.replaced:
        text += f" in place of {', '.join(map(str, done.replaced))}"
    return UpdatedSkillStatus(msg=text, message=text, archived_skill_ids=done.replaced)


@router.post(
    "/run_skill_generation",
    response_model_exclude_none=True,
    openapi_extra=sdk(follows=True, defaults={"wait_for_response": True}),
)
@limited(Rate.RUN)
async def run_skill_generation(
    body: RunSkillGenerationBody, caller: Runs, *, wait_for_response: Waits = None
) -> SkillGenerationReply:
    """
    Write skills from the user playbooks of one name and agent version, now, and return how many.

    This ignores the cooldown and whether skill generation is switched on, and starts no cooldown. New skills wait for
    approval. If the run takes longer than the call may, the reply says so and the run continues. While one runs, a
    second start is refused with 409.
    """
    operation = await distil(
        caller.acting,
        OperationName.SKILL_GENERATION,
        playbook_name=body.playbook_name,
        agent_version=body.agent_version,
        wait_seconds=wait_seconds(caller, wait=wait_for_response),
    )
    return SkillGenerationReply.of(operation_view(operation))


@router.post(
    "/export_skills",
    response_model=ExportedSkills,
    responses=ZIP_REPLY,
    openapi_extra=sdk(omitted=("format",), repeatable=True),
)
async def export_skills(body: ExportSkillsBody, caller: Reads) -> ExportedSkills | Response:
    """
    Return skills in the Agent Skills format: as one document, or as a zip archive with a folder for each.

    By default only approved ones are exported. An approved skill has the same folder in every export. In the document,
    a line starts with `---` only where front matter starts and ends.
    """
    skills, approved = await exported_skills(caller.acting, _choice(body, body.skill_ids), most=MAX_EXPORTED)
    folders = await asyncio.to_thread(skill_folders, skills, approved)
    if body.format is ExportFormat.ZIP:
        archive = await asyncio.to_thread(as_zip, folders)
        disposition = 'attachment; filename="skills.zip"'
        return Response(archive, media_type="application/zip", headers={"Content-Disposition": disposition})
    text = counted(len(skills), "skill")
    return ExportedSkills(markdown=as_one_document(folders), skill_count=len(skills), msg=text, message=text)


@router.delete("/delete_skill")
async def delete_skill(body: DeleteSkillBody, caller: Reviews) -> Deleted:
    """Delete one skill with its history."""
    if not await delete_memories(caller.acting, KIND, ids=[body.skill_id]):
        raise NotFound(f"no skill with id {body.skill_id}")
    return Deleted(message=f"deleted skill {body.skill_id}")


@router.delete("/delete_skills_by_ids")
async def delete_skills_by_ids(body: DeleteSkillsByIdsBody, caller: Reviews) -> DeletedMany:
    """Delete several skills; unknown ids are ignored."""
    count = await delete_memories(caller.acting, KIND, ids=body.skill_ids)
    return DeletedMany(message=f"deleted {counted(count, 'skill')}", deleted_count=count)
