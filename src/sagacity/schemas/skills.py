"""Bodies and envelopes of skills."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AliasChoices, BeforeValidator, Field, StringConstraints

from sagacity.domain.cluster import SkillsMade
from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.interaction import DEFAULT_AGENT_VERSION
from sagacity.domain.memory import (
    FIRST_VERSION,
    Approval,
    Attributes,
    MemoryKind,
    NewMemory,
    SkillFacts,
)
from sagacity.domain.trust import Origin
from sagacity.domain.views.operation import OperationView
from sagacity.domain.views.skill import SkillView
from sagacity.schemas.base import (
    Body,
    Id,
    Label,
    Limit,
    Number,
    Reply,
    Statuses,
    WriteBody,
    WritePart,
    WriteReply,
)
from sagacity.schemas.interactions import AgentVersion
from sagacity.schemas.operations import outcome
from sagacity.schemas.playbooks import BlockingIssueData
from sagacity.schemas.profiles import DIRECT, ORIGIN_WRITTEN
from sagacity.schemas.search import Approvals, approval_words

MAX_EXPORTED = 1_000
SkillStatus = Annotated[Approval, BeforeValidator(approval_words)]
"""A reviewer's verdict on a skill."""
SkillStatuses = Annotated[Approval | Approvals, BeforeValidator(approval_words)]
"""One or several of them."""
SkillName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Description = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4_096)]
Instructions = Annotated[str, StringConstraints(min_length=1, max_length=100_000, pattern=r"\S")]
_INSTRUCTIONS = AliasChoices("instructions", "content")
Version = Annotated[
    str,
    StringConstraints(pattern=r"^(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){2}$"),
    Field(examples=["1.0.0"]),
]
"""MAJOR.MINOR.PATCH."""
Tools = Annotated[tuple[Label, ...], Field(max_length=100, fail_fast=True)]
Issues = Annotated[tuple[BlockingIssueData, ...], Field(max_length=100, fail_fast=True)]


class SkillData(WritePart):
    """A skill as a client writes it."""

    skill_name: SkillName
    description: Description
    instructions: Instructions = Field(validation_alias=_INSTRUCTIONS)
    version: Version = FIRST_VERSION
    agent_version: Label = ""
    playbook_name: Label = ""
    allowed_tools: Tools = ()
    blocking_issues: Issues = ()
    user_playbook_ids: tuple[Number, ...] = Field(default=(), max_length=10_000)
    skill_status: SkillStatus = Approval.PENDING
    origin: Origin | None = Field(default=None, description=ORIGIN_WRITTEN)

    def to_memory(self, uid: MemoryUid, now: datetime) -> NewMemory:
        """Return the memory to store under *uid*."""
        return NewMemory(
            uid=uid,
            kind=MemoryKind.SKILL,
            agent_version=self.agent_version,
            name=self.playbook_name,
            content=self.instructions,
            trigger=self.description,
            attributes=Attributes(
                skill=SkillFacts(
                    name=self.skill_name,
                    version=self.version,
                    user_playbook_ids=tuple(MemoryId(number) for number in self.user_playbook_ids),
                    tools=self.allowed_tools,
                    blocking_issues=tuple(issue.to_domain() for issue in self.blocking_issues),
                    is_edited=True,
                ),
                origin=self.origin,
            ),
            provenance=DIRECT,
            approval=self.skill_status,
            created_at=now,
            updated_at=now,
        )


class AddSkillsBody(WriteBody):
    """Skills to store."""

    skills: tuple[SkillData, ...] = Field(min_length=1, max_length=100)


class AddedSkills(WriteReply):
    """What was stored."""

    added_count: int = 0
    skill_ids: tuple[int, ...] = ()
    """Their numbers, in the order given."""


class UpdateSkillBody(WriteBody):
    """What to change in a skill; a missing field stays as it is. New text increases the patch version."""

    skill_id: Number
    skill_name: SkillName | None = None
    description: Description | None = None
    instructions: Instructions | None = Field(default=None, validation_alias=_INSTRUCTIONS)
    playbook_name: Label | None = None
    allowed_tools: Tools | None = None
    blocking_issues: Issues | None = None

    @property
    def texts(self) -> dict[str, object]:
        """New values by field of the memory."""
        given = {"name": self.playbook_name, "content": self.instructions, "trigger": self.description}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def facts(self) -> dict[str, object]:
        """New values by field of the skill's facts."""
        issues = self.blocking_issues
        given = {
            "name": self.skill_name,
            "tools": self.allowed_tools,
            "blocking_issues": None if issues is None else tuple(issue.to_domain() for issue in issues),
        }
        return {name: value for name, value in given.items() if value is not None}


class UpdatedSkill(WriteReply):
    """The skill as it is now."""

    skill: SkillView


class UpdateSkillStatusBody(WriteBody):
    """A reviewer's verdict on a skill."""

    skill_id: Number
    skill_status: SkillStatus


class UpdatedSkillStatus(WriteReply):
    """The result of a verdict."""

    archived_skill_ids: tuple[int, ...] = ()
    """Skills that the approved one replaced."""


class SkillFilter(Body):
    """Which skills are meant."""

    playbook_name: Label | None = None
    agent_version: Label | None = None
    skill_status_filter: SkillStatuses | None = None
    """What a reviewer said."""

    @property
    def approvals(self) -> tuple[Approval, ...]:
        """The requested approvals; empty if none."""
        said = self.skill_status_filter
        return (said,) if isinstance(said, Approval) else said or ()


class GetSkillsBody(SkillFilter):
    """Which skills to return, last changed first."""

    limit: Limit = 100
    skill_ids: tuple[Number, ...] | None = Field(default=None, min_length=1, max_length=1_000)
    status_filter: Statuses | None = None


class SkillsPage(Reply):
    """Skills, last changed first or best first."""

    skills: tuple[SkillView, ...] = ()


class DeleteSkillBody(Body):
    """Which skill to delete."""

    skill_id: Number


class DeleteSkillsByIdsBody(Body):
    """Which skills to delete."""

    skill_ids: tuple[Number, ...] = Field(min_length=1, max_length=10_000)


class ExportFormat(StrEnum):
    """One document, or a zip archive with a folder for each skill."""

    MARKDOWN = "markdown"
    ZIP = "zip"


class ExportSkillsBody(SkillFilter):
    """Which current skills to export; by default approved ones."""

    format: ExportFormat = ExportFormat.MARKDOWN
    skill_ids: tuple[Number, ...] | None = Field(default=None, min_length=1, max_length=MAX_EXPORTED)


class ExportedSkills(Reply):
    """Skills as one document."""

    markdown: str = ""
    """The `SKILL.md` of each, one after another."""
    skill_count: int = 0


class RunSkillGenerationBody(Body):
    """Which playbooks to write skills from."""

    agent_version: AgentVersion = DEFAULT_AGENT_VERSION
    playbook_name: Id


class SkillGenerationReply(Reply):
    """The result of generating skills."""

    skills_generated: int = 0
    skills_updated: int = 0
    operation_id: str = ""
    operation_status: OperationView | None = None

    @classmethod
    def of(cls, operation: OperationView) -> Self:
        """Return the result of a run that writes skills, or that it is still running."""
        made = SkillsMade.model_validate(operation.result or {}, extra="ignore")
        text = outcome(operation, made.message)
        return cls(
            success=operation.status.is_successful,
            message=text,
            msg=text,
            skills_generated=made.created,
            skills_updated=made.updated,
            operation_id=operation.operation_id,
            operation_status=operation,
        )
