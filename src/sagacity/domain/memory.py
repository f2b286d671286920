"""The memory: one learned thing, of a kind."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, JsonValue, StringConstraints

from sagacity.domain.base import Value
from sagacity.domain.caution import forbids
from sagacity.domain.ids import (
    InteractionId,
    MemoryId,
    MemoryUid,
    RequestId,
    RunId,
    SessionId,
    UserId,
    cut_key,
)
from sagacity.domain.trust import Origin, Trust, trust_of


class MemoryKind(StrEnum):
    """The type of a memory."""

    PROFILE = "profile"
    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    USER_PLAYBOOK = "user_playbook"
    AGENT_PLAYBOOK = "agent_playbook"
    SKILL = "skill"


class Status(StrEnum):
    """The version of a memory. CURRENT is null on the wire."""

    CURRENT = "current"
    PENDING = "pending"
    ARCHIVED = "archived"
    ARCHIVE_IN_PROGRESS = "archive_in_progress"


ARCHIVED_STATUSES = frozenset({Status.ARCHIVED, Status.ARCHIVE_IN_PROGRESS})
"""Statuses that are kept and not served."""


class ArchivedBy(StrEnum):
    """Who archived a memory: what an upgrade archived comes back with a downgrade, the rest stays."""

    VERSION = ""
    LEARNER = "learner"
    PERSON = "person"


class Approval(StrEnum):
    """The reviewer's verdict on a memory that applies to all users."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


class Visibility(StrEnum):
    """Whether a memory in force may be returned; stored with its search document."""

    SERVED = "served"
    WAITS_FOR_REVIEW = "waits_for_review"
    UNCONFIRMED = "unconfirmed"
    REJECTED = "rejected"


class TimeToLive(StrEnum):
    """How long a profile is assumed to hold."""

    ONE_DAY = "one_day"
    ONE_WEEK = "one_week"
    ONE_MONTH = "one_month"
    ONE_QUARTER = "one_quarter"
    ONE_YEAR = "one_year"
    INFINITY = "infinity"

    def expiry(self, since: datetime) -> datetime | None:
        """Return when something said at *since* expires; None for never."""
        days = _DAYS[self]
        return None if days is None else since + timedelta(days=days)


_DAYS: dict[TimeToLive, int | None] = {
    TimeToLive.ONE_DAY: 1,
    TimeToLive.ONE_WEEK: 7,
    TimeToLive.ONE_MONTH: 30,
    TimeToLive.ONE_QUARTER: 90,
    TimeToLive.ONE_YEAR: 365,
    TimeToLive.INFINITY: None,
}


class BlockingIssueKind(StrEnum):
    """Why an agent could not do what was asked."""

    MISSING_TOOL = "missing_tool"
    PERMISSION_DENIED = "permission_denied"
    EXTERNAL_DEPENDENCY = "external_dependency"
    POLICY_RESTRICTION = "policy_restriction"


class BlockingIssue(Value):
    """What prevented an agent from doing what was asked."""

    kind: BlockingIssueKind
    details: str = ""


Slot = Annotated[str, AfterValidator(cut_key)]
"""A text to look up by, cut to the length that databases can index."""


FIRST_VERSION = "1.0.0"
VersionNumber = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}$")]
"""MAJOR.MINOR.PATCH."""


class SkillFacts(Value):
    """Fields of a skill only. Its instructions are the memory's content, and when to use it is the trigger."""

    name: str = ""
    """Its display name; the memory's `name` is that of the playbooks that it was made of."""
    version: VersionNumber = FIRST_VERSION
    user_playbook_ids: tuple[MemoryId, ...] = ()
    tools: tuple[str, ...] = ()
    """Names of tools that it mentions."""
    blocking_issues: tuple[BlockingIssue, ...] = ()
    replaces: MemoryId | None = None
    """The skill that it replaces when a person approves it."""
    is_edited: bool = False
    """Whether a person edited it; then no run overwrites it."""

    @property
    def next_minor(self) -> str:
        """The version after it was learned again."""
        major, minor, _ = self.version.split(".")
        return f"{major}.{int(minor) + 1}.0"

    @property
    def next_patch(self) -> str:
        """The version after a person edited it."""
        major, minor, patch = self.version.split(".")
        return f"{major}.{minor}.{int(patch) + 1}"


class ProfileFacts(Value):
    """The parts of a profile; empty if the sender gave none."""

    category: str = ""
    attribute: str = ""
    value: str = ""


class SemanticFacts(Value):
    """What a fact is about."""

    topic: str = ""
    subtopic: str = ""
    fact: str = ""
    """In the sender's words, if they differ from the content."""


class EpisodeFacts(Value):
    """Fields of an episode only. Its content is the summary of a session, unless the sender gave another summary."""

    session_id: SessionId | None = None
    event_type: str = "conversation"
    title: str = ""
    summary: str = ""
    """If it differs from the content."""
    outcome: str = ""
    started_at: datetime | None = None
    """When its first turn happened."""
    ended_at: datetime | None = None
    """When its last turn happened."""
    turn_count: int = 0


class ProcedureFacts(Value):
    """The parts of a user playbook; empty if the sender gave none."""

    name: str = ""
    steps: tuple[str, ...] = ()


class Attributes(Value):
    """Fields of some kinds only; empty for the others."""

    time_to_live: TimeToLive = TimeToLive.INFINITY
    custom_features: dict[str, JsonValue] = {}
    extractor_names: tuple[str, ...] = ()
    slot: Slot = ""
    """The question that it answers, such as `location.home`. An exclusive slot has one current memory per user."""
    skill: SkillFacts | None = None
    profile: ProfileFacts | None = None
    semantic: SemanticFacts | None = None
    episode: EpisodeFacts | None = None
    procedure: ProcedureFacts | None = None
    said_at: datetime | None = None
    """When it was last said: the time of its newest evidence, or of a person's edit."""
    is_unconfirmed: bool = False
    """
    Whether agents and tools alone say a fact, or a rule rests on what is of low trust: until the user says so too, or a
    person confirms it, it is not served.
    """
    origin: Origin | None = None
    """Its origin: the least trusted of its sources. None if not recorded."""
    confirmed_through: InteractionId | None = None
    """The newest turn when a person wrote, corrected or restored it: nothing said up to it overrules the memory."""


WRITTEN_DIRECTLY = "direct"


class Provenance(Value):
    """The provenance of a memory: its learner, prompt, model and run."""

    learner: str = ""
    method: str = ""
    """`rules`, `model` or `direct` (written through the API)."""
    prompt_version: str = ""
    model: str = ""
    run_id: RunId | None = None


class NewMemory(Value):
    """A memory before it is stored."""

    uid: MemoryUid
    kind: MemoryKind
    user_id: UserId | None = None
    agent_version: str = ""
    name: str = ""
    source: str = ""
    content: str = ""
    trigger: str | None = None
    pitfall: str | None = None
    rationale: str | None = None
    blocking_issue: BlockingIssue | None = None
    attributes: Attributes = Attributes()
    keywords: tuple[str, ...] = ()
    source_request_ids: tuple[RequestId, ...] = ()
    source_interaction_ids: tuple[InteractionId, ...] = ()
    provenance: Provenance = Provenance()
    status: Status = Status.CURRENT
    approval: Approval = Approval.PENDING
    confidence: float = 1.0
    created_at: datetime
    updated_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    metadata: dict[str, JsonValue] = {}

    @property
    def trust(self) -> Trust | None:
        """How far it is trusted: like its origin, or fully once a reviewer approved it. None if not recorded."""
        if self.attributes.origin is not None and self.approval is Approval.APPROVED:
            return Trust.HIGH
        return None if self.attributes.origin is None else trust_of(self.attributes.origin)

    @property
    def search_text(self) -> str:
        """The text by which the memory is found, by keyword and by vector."""
        features = (str(value) for value in self.attributes.custom_features.values())
        title = self.attributes.skill.name if self.attributes.skill else ""
        procedure = self.attributes.procedure or ProcedureFacts()
        parts = (
            title or procedure.name,
            self.trigger or "",
            self.content,
            self.pitfall or "",
            *procedure.steps,
            *self.keywords,
            *features,
        )
        return "\n".join(part for part in parts if part)


class Memory(NewMemory):
    """One stored memory; `memory_id` is its number, `uid` its permanent name."""

    memory_id: MemoryId
    token_count: int = 0
    """Number of tokens of the content, counted when it is written; 0 if not counted."""
    access_count: int = 0
    last_accessed_at: datetime | None = None
    superseded_by: MemoryId | None = None
    archived_at: datetime | None = None
    """Since when it is archived; storage updates it with the status."""
    archived_by: ArchivedBy = ArchivedBy.VERSION
    is_held: bool = False
    """Whether a quarantine holds it; storage updates it with the quarantines."""

    def is_valid(self, now: datetime) -> bool:
        """Whether it holds at *now*: neither expired nor past the end of its validity."""
        return (self.expires_at is None or self.expires_at > now) and (
            self.valid_to is None or self.valid_to > now
        )


def pitfall_note(pitfall: str | None) -> str:
    """Return the note on a pitfall that follows a rule: "(avoid: hotels)", or "(do not suggest hotels)" unchanged."""
    text = (pitfall or "").strip()
    if not text:
        return ""
    return f"({text})" if forbids(text) else f"(avoid: {text})"
