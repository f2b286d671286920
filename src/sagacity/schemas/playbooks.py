"""Bodies and envelopes of user playbooks and agent playbooks."""

from datetime import datetime
from typing import Self

from pydantic import Field, JsonValue, model_validator

from sagacity.domain.clock import from_epoch
from sagacity.domain.ids import InteractionId, MemoryUid, RequestId, UserId
from sagacity.domain.memory import (
    Approval,
    Attributes,
    BlockingIssue,
    BlockingIssueKind,
    Memory,
    MemoryKind,
    NewMemory,
    Status,
)
from sagacity.domain.trust import Origin
from sagacity.domain.views.agent_playbook import AgentPlaybookView
from sagacity.domain.views.change_log import AggregationChangeLogView
from sagacity.domain.views.user_playbook import PLAYBOOK_METADATA, UserPlaybookView
from sagacity.schemas.base import (
    Body,
    Epoch,
    Id,
    Label,
    LifecycleStatus,
    Limit,
    MaybeId,
    Number,
    Reply,
    Said,
    Schema,
    Span,
    Statuses,
    Text,
    WriteBody,
    WritePart,
)
from sagacity.schemas.profiles import DIRECT, ORIGIN_WRITTEN, Updated


class BlockingIssueData(WritePart):
    """What prevented an agent from doing what was asked."""

    kind: BlockingIssueKind
    details: Text = ""

    def to_domain(self) -> BlockingIssue:
        """Return the value that is stored."""
        return BlockingIssue(kind=self.kind, details=self.details)


class PlaybookText(WritePart):
    """What both sorts of playbook say."""

    playbook_name: Label = ""
    content: Text = ""
    trigger: Text | None = None
    pitfall: Text | None = None
    rationale: Text | None = None
    blocking_issue: BlockingIssueData | None = None
    playbook_metadata: Text = ""
    origin: Origin | None = Field(default=None, description=ORIGIN_WRITTEN)

    @property
    def metadata(self) -> dict[str, JsonValue]:
        """The metadata to store."""
        return {PLAYBOOK_METADATA: self.playbook_metadata} if self.playbook_metadata else {}

    @property
    def issue(self) -> BlockingIssue | None:
        """The blocking issue to store."""
        return self.blocking_issue.to_domain() if self.blocking_issue else None


class UserPlaybookData(PlaybookText):
    """A user playbook as a client writes it."""

    user_id: Id | None = None
    agent_version: Label = ""
    request_id: MaybeId = ""
    created_at: Epoch | None = None
    status: LifecycleStatus = Status.CURRENT
    source: Label | None = None
    source_interaction_ids: tuple[Number, ...] = Field(default=(), max_length=10_000)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.content.strip() and not (self.trigger or "").strip():
            raise ValueError("content or trigger is required")
        return self

    def to_memory(self, uid: MemoryUid, now: datetime) -> NewMemory:
        """Return the memory to store under *uid*."""
        created_at = now if self.created_at is None else from_epoch(self.created_at)
        return NewMemory(
            uid=uid,
            kind=MemoryKind.USER_PLAYBOOK,
            user_id=None if self.user_id is None else UserId(self.user_id),
            agent_version=self.agent_version,
            name=self.playbook_name,
            source=self.source or "",
            content=self.content,
            trigger=self.trigger,
            pitfall=self.pitfall,
            rationale=self.rationale,
            blocking_issue=self.issue,
            source_request_ids=(RequestId(self.request_id),) if self.request_id else (),
            source_interaction_ids=tuple(InteractionId(number) for number in self.source_interaction_ids),
            attributes=Attributes(origin=self.origin),
            provenance=DIRECT,
            status=self.status,
            created_at=created_at,
            updated_at=created_at,
            metadata=self.metadata,
        )


class AddUserPlaybooksBody(WriteBody):
    """User playbooks to store."""

    user_playbooks: tuple[UserPlaybookData, ...] = Field(min_length=1, max_length=1_000)


class AgentPlaybookData(PlaybookText):
    """An agent playbook as a client writes it."""

    agent_version: Label = ""
    playbook_status: Approval = Approval.PENDING

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.content.strip():
            raise ValueError("content is required")
        return self

    def to_memory(self, uid: MemoryUid, now: datetime) -> NewMemory:
        """Return the memory to store under *uid*."""
        return NewMemory(
            uid=uid,
            kind=MemoryKind.AGENT_PLAYBOOK,
            agent_version=self.agent_version,
            name=self.playbook_name,
            content=self.content,
            trigger=self.trigger,
            pitfall=self.pitfall,
            rationale=self.rationale,
            blocking_issue=self.issue,
            attributes=Attributes(origin=self.origin),
            provenance=DIRECT,
            approval=self.playbook_status,
            created_at=now,
            updated_at=now,
            metadata=self.metadata,
        )


class AddAgentPlaybooksBody(WriteBody):
    """Agent playbooks to store."""

    agent_playbooks: tuple[AgentPlaybookData, ...] = Field(min_length=1, max_length=1_000)


class PlaybookChange(WriteBody):
    """What to change in a playbook; a missing field stays as it is."""

    playbook_name: Label | None = None
    content: Said | None = None
    trigger: Text | None = None
    pitfall: Text | None = None
    rationale: Text | None = None
    blocking_issue: BlockingIssueData | None = None
    playbook_metadata: Text | None = None

    def changes(self, memory: Memory) -> dict[str, object]:
        """Return the fields of *memory* that are given, with their new values."""
        given: dict[str, object] = {
            "name": self.playbook_name,
            "content": self.content,
            "trigger": self.trigger,
            "pitfall": self.pitfall,
            "rationale": self.rationale,
            "blocking_issue": self.blocking_issue.to_domain() if self.blocking_issue else None,
            "metadata": None
            if self.playbook_metadata is None
            else memory.metadata | {PLAYBOOK_METADATA: self.playbook_metadata},
        }
        return {name: value for name, value in given.items() if value is not None}


class UpdateUserPlaybookBody(PlaybookChange):
    """What to change in a user playbook; a missing field stays as it is."""

    user_playbook_id: Number
    status: Status | None = None
    """Use `current` for current, because null leaves the status as it is."""


class UpdateAgentPlaybookBody(PlaybookChange):
    """What to change in an agent playbook; a missing field stays as it is."""

    agent_playbook_id: Number
    playbook_status: Approval | None = None


class UpdateAgentPlaybookStatusBody(WriteBody):
    """A reviewer's verdict on an agent playbook."""

    agent_playbook_id: Number
    playbook_status: Approval


class UpdatedAgentPlaybook(Updated):
    """The result, and other agent playbooks that it changed."""

    archived_agent_playbook_ids: tuple[int, ...] = ()
    """Those that the approved one replaced."""


class GetUserPlaybooksBody(Span):
    """Which user playbooks to return, last changed first; with a query, those that its words find, best first."""

    limit: Limit = 100
    user_id: Id | None = None
    playbook_name: Label | None = None
    agent_version: Label | None = None
    status_filter: Statuses | None = None
    query: str | None = Field(default=None, max_length=20_000)


class UserPlaybooksPage(Reply):
    """User playbooks, last changed first or best first."""

    user_playbooks: tuple[UserPlaybookView, ...] = ()


class GetAgentPlaybooksBody(Body):
    """Which agent playbooks to return, last changed first; or those with the given numbers, in any state."""

    limit: Limit = 100
    agent_playbook_ids: tuple[Number, ...] | None = Field(default=None, min_length=1, max_length=1_000)
    playbook_name: Label | None = None
    agent_version: Label | None = None
    status_filter: Statuses | None = None
    playbook_status_filter: Approval | None = None

    @model_validator(mode="after")
    def _named_or_filtered(self) -> Self:
        filters = (self.playbook_name, self.agent_version, self.status_filter, self.playbook_status_filter)
        if self.agent_playbook_ids is not None and any(one is not None for one in filters):
            raise ValueError("agent_playbook_ids cannot be combined with other filters")
        return self


class AgentPlaybooksPage(Reply):
    """Agent playbooks, last changed first or best first."""

    agent_playbooks: tuple[AgentPlaybookView, ...] = ()


class AggregationChangeLogPage(Schema):
    """What the last aggregations changed, newest first. Null fields are included."""

    success: bool = True
    change_logs: tuple[AggregationChangeLogView, ...] = ()


class DeleteUserPlaybookBody(Body):
    """Which user playbook to delete."""

    user_playbook_id: Number


class DeleteAgentPlaybookBody(Body):
    """Which agent playbook to delete."""

    agent_playbook_id: Number


class DeleteUserPlaybooksByIdsBody(Body):
    """Which user playbooks to delete."""

    user_playbook_ids: tuple[Number, ...] = Field(min_length=1, max_length=10_000)


class DeleteAgentPlaybooksByIdsBody(Body):
    """Which agent playbooks to delete."""

    agent_playbook_ids: tuple[Number, ...] = Field(min_length=1, max_length=10_000)
