"""Skills: read, written, reviewed, generated, exported, deleted."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Response

from sagacity.api.dependencies import Caller, Reads, Reviews, Runs
from sagacity.api.names import check_names
from sagacity.api.rates import Rate, limited
from sagacity.api.route import Route
from sagacity.api.runs import Waits, run_for_tenant
from sagacity.api.sdk import sdk
from sagacity.api.writes import add_memories, by_hand, delete_memories, edit_memory, record
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput, NotFound
from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.memory import Approval, Memory, MemoryKind, SkillFacts, Status
from sagacity.domain.operation import OperationName, OperationParameters
from sagacity.domain.views.operation import operation_view
from sagacity.domain.views.skill import skill_view
from sagacity.learning.distil.skills.export import as_one_document, as_zip, skill_folders
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
from sagacity.storage.transaction import Transaction

router = APIRouter(tags=["skills"], route_class=Route)
KIND = MemoryKind.SKILL
ZIP_REPLY: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": {}}}}


@router.post("/get_skills", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
async def get_skills(body: GetSkillsBody, caller: Reads) -> SkillsPage:
    """Return skills, last changed first; by default current ones, approved or not."""
    async with caller.read() as snapshot:
        if body.skill_ids is None:
            found = await snapshot.memories.list_newest(
                KIND,
                statuses=body.status_filter or (Status.CURRENT,),
                approvals=body.approvals,
                name=body.playbook_name,
                agent_version=body.agent_version,
                valid_at=caller.runtime.clock.now(),
                limit=body.limit,
            )
        else:
            named = await snapshot.memories.get_many(body.skill_ids, kind=KIND)
            in_states = [one for one in named if one.status in (body.status_filter or Status)]
            found = [one for one in in_states if _is_wanted(one, body, body.approvals)][: body.limit]
    return SkillsPage(skills=tuple(map(skill_view, found)), msg=counted(len(found), "skill"))


def _is_wanted(skill: Memory, body: SkillFilter, approvals: Sequence[Approval]) -> bool:
    """Whether the filters admit a skill that was named by its number."""
    return (
        (not approvals or skill.approval in approvals)
        and body.playbook_name in {None, skill.name}
        and body.agent_version in {None, skill.agent_version}
    )


@router.post("/add_skill", response_model_exclude_none=True, operation_id="add_skills")
@limited(Rate.WRITE)
async def add_skill(body: AddSkillsBody, caller: Reviews) -> AddedSkills:
    """Add skills; either all are stored, or none."""
    runtime = caller.runtime
    now = runtime.clock.now()
    new = [one.to_memory(MemoryUid(runtime.ids.new()), now) for one in body.skills]
    stored = await add_memories(caller, new, reason="skill written")
    return AddedSkills(
        message=f"stored {counted(len(stored), 'skill')}",
        added_count=len(stored),
        skill_ids=tuple(one.memory_id for one in stored),
    )


@router.put("/update_skill", response_model_exclude_none=True, openapi_extra=sdk(repeatable=False))
async def update_skill(body: UpdateSkillBody, caller: Reviews) -> UpdatedSkill:
    """Change a skill; fields that are not given stay as they are. New text increases the patch version."""
    change = _changed(body, caller)
    skill = await edit_memory(caller, MemoryId(body.skill_id), KIND, change, reason="skill edited")
    text = f"updated skill {body.skill_id}"
    return UpdatedSkill(msg=text, message=text, skill=skill_view(skill))


def _changed(body: UpdateSkillBody, caller: Caller) -> Callable[[Memory], Memory]:
    now = caller.runtime.clock.now()
    issues = body.blocking_issues
    given = {
        "name": body.skill_name,
        "tools": body.allowed_tools,
        "blocking_issues": None if issues is None else tuple(issue.to_domain() for issue in issues),
    }
    texts = {"name": body.playbook_name, "content": body.instructions, "trigger": body.description}

    def change(skill: Memory) -> Memory:
        before = skill.attributes.skill or SkillFacts()
        facts = before.model_copy(update={name: value for name, value in given.items() if value is not None})
        fields = {name: value for name, value in texts.items() if value is not None}
        changed = skill.model_copy(update=fields)
        if facts != before or (changed.content, changed.trigger) != (skill.content, skill.trigger):
            facts = facts.model_copy(update={"version": before.next_patch, "is_edited": True})
        attributes = skill.attributes.model_copy(update={"skill": facts})
        return changed.model_copy(update={"attributes": attributes, "updated_at": now})

    return change


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

    async def decide() -> list[Memory]:
        async with caller.begin() as transaction:
            return await _decide(transaction, body, caller)

    archived = await caller.runtime.storage.retry(decide)
    text = f"skill {body.skill_id} is {body.skill_status}"
    numbers = tuple(one.memory_id for one in archived)
    if numbers:
        text += f" in place of {', '.join(map(str, numbers))}"
    return UpdatedSkillStatus(msg=text, message=text, archived_skill_ids=numbers)


async def _decide(transaction: Transaction, body: UpdateSkillStatusBody, caller: Caller) -> list[Memory]:
    """Write what a reviewer said; returns the skills that make room for an approved one."""
    now = caller.runtime.clock.now()
    skill = await transaction.memories.get(MemoryId(body.skill_id), kind=KIND)
    after = skill.model_copy(update={"approval": body.skill_status, "updated_at": now})
    replaced: list[Memory] = []
    if after.approval is Approval.APPROVED and skill.status is Status.CURRENT:
        replaced = await _replaced_by(transaction, skill)
    away = {"status": Status.ARCHIVED, "superseded_by": skill.memory_id, "updated_at": now}
    changed = [
        (skill, after),
        *((one, by_hand(one, one.model_copy(update=away))) for one in replaced),
    ]
    await transaction.memories.save([one for _, one in changed])
    await record(caller, transaction, changed, reason=f"skill {skill.memory_id} is {body.skill_status}")
    return replaced


async def _replaced_by(transaction: Transaction, skill: Memory) -> list[Memory]:
    """Return the current skills whose place *skill* takes: the one that it names, and so on from there."""
    found: list[Memory] = []
    facts = skill.attributes.skill
    while facts is not None and facts.replaces is not None:
        [*before] = await transaction.memories.get_many([facts.replaces], kind=KIND)
        if not before or before[0].status is not Status.CURRENT:
            break
        found += before
        facts = before[0].attributes.skill
    return found


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
    await check_names(
        caller, MemoryKind.USER_PLAYBOOK, [body.playbook_name], agent_version=body.agent_version
    )
    operation = await run_for_tenant(
        caller,
        OperationName.SKILL_GENERATION,
        OperationParameters(agent_version=body.agent_version, extractor_names=(body.playbook_name,)),
        patient=bool(wait_for_response),
        wait=wait_for_response is not False,
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
    skills, approved = await _exported(body, caller)
    folders = await asyncio.to_thread(skill_folders, skills, approved)
    if body.format is ExportFormat.ZIP:
        archive = await asyncio.to_thread(as_zip, folders)
        disposition = 'attachment; filename="skills.zip"'
        return Response(archive, media_type="application/zip", headers={"Content-Disposition": disposition})
    text = counted(len(skills), "skill")
    return ExportedSkills(markdown=as_one_document(folders), skill_count=len(skills), msg=text, message=text)


async def _exported(
    body: ExportSkillsBody, caller: Caller
) -> tuple[Sequence[Memory], Mapping[MemoryId, str]]:
    """
    Return the current skills that are asked for, oldest first, and what all that are approved are called.

    Raises:
        InvalidInput: they are too many for one export.
        NotFound: one that is asked for by number is not there.
    """
    approvals = body.approvals or (Approval.APPROVED,)
    async with caller.read() as snapshot:
        if body.skill_ids is None:
            found = await snapshot.memories.list_newest(
                KIND,
                statuses=(Status.CURRENT,),
                approvals=approvals,
                name=body.playbook_name,
                agent_version=body.agent_version,
                valid_at=caller.runtime.clock.now(),
                limit=MAX_EXPORTED + 1,
            )
        else:
            wanted = sorted(set(body.skill_ids))
            named = await snapshot.memories.get_many(wanted, kind=KIND)
            if missing := sorted(set(wanted) - {one.memory_id for one in named}):
                raise NotFound(f"no skill with id {missing[0]}")
            current = [one for one in named if one.status is Status.CURRENT]
            found = [one for one in current if _is_wanted(one, body, approvals)]
        approved = await snapshot.memories.approved_skills()
    if len(found) > MAX_EXPORTED:
        raise InvalidInput(
            f"more than {MAX_EXPORTED} skills; narrow them down with playbook_name or agent_version"
        )
    return sorted(found, key=lambda skill: skill.memory_id), approved


@router.delete("/delete_skill")
async def delete_skill(body: DeleteSkillBody, caller: Reviews) -> Deleted:
    """Delete one skill with its history."""
    if not await delete_memories(caller, KIND, ids=[body.skill_id]):
        raise NotFound(f"no skill with id {body.skill_id}")
    return Deleted(message=f"deleted skill {body.skill_id}")


@router.delete("/delete_skills_by_ids")
async def delete_skills_by_ids(body: DeleteSkillsByIdsBody, caller: Reviews) -> DeletedMany:
    """Delete several skills; unknown ids are ignored."""
    count = await delete_memories(caller, KIND, ids=body.skill_ids)
    return DeletedMany(message=f"deleted {counted(count, 'skill')}", deleted_count=count)
