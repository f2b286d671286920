"""What a learner proposes, what is done with it, and the record of it."""

from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue

from sagacity.domain.base import Value
from sagacity.domain.graph import EntityMention, RelationshipMention
from sagacity.domain.ids import InteractionId, MemoryId, RequestId, RunId, UserId
from sagacity.domain.memory import BlockingIssue, Memory, MemoryKind, Slot, TimeToLive


class Candidate(Value):
    """What an extractor proposes to remember, with the turns that say so."""

    kind: MemoryKind
    content: str
    trigger: str | None = None
    pitfall: str | None = None
    rationale: str | None = None
    blocking_issue: BlockingIssue | None = None
    time_to_live: TimeToLive = TimeToLive.INFINITY
    custom_features: dict[str, JsonValue] = {}
    slot: Slot = ""
    """What it answers, such as `location.home`. Empty when nothing can replace it by name."""
    exclusive: bool = False
    """Whether one value at a time fills the slot: a newer one supersedes."""
    negates: bool = False
    """Whether it says that a memory of the same slot and like content no longer holds."""
    keywords: tuple[str, ...] = ()
    confidence: float = 0.8
    evidence: tuple[InteractionId, ...]
    """The turns that say it; never empty."""
    entities: tuple[EntityMention, ...] = ()
    relationships: tuple[RelationshipMention, ...] = ()


class Action(StrEnum):
    """What is done with a candidate."""

    ADD = "add"
    UPDATE = "update"
    MERGE = "merge"
    SUPERSEDE = "supersede"
    DISCARD = "discard"


class Decision(Value):
    """
    What becomes of one candidate.

    ADD stores it. SUPERSEDE and MERGE store it (MERGE with *content* rewritten) and archive *targets*, naming it as
    their successor. UPDATE refreshes the one target: its evidence grows and its time moves on. DISCARD stores nothing.
    """

    action: Action
    candidate: Candidate
    targets: tuple[MemoryId, ...] = ()
    reason: str = ""


class ChangeAction(StrEnum):
    """What happened to a memory in a run."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"


class Change(Value):
    """One memory changed by one run; the snapshots are as they were then."""

    run_id: RunId
    kind: MemoryKind
    user_id: UserId | None
    request_id: RequestId | None
    memory_id: MemoryId
    action: ChangeAction
    before: Memory | None = None
    after: Memory | None = None
    created_at: datetime


class ChangeLog(Value):
    """All that one run changed."""

    change_log_id: int
    run_id: RunId
    kind: MemoryKind
    user_id: UserId | None
    request_id: RequestId | None
    created_at: datetime
    added: tuple[Memory, ...] = ()
    removed: tuple[Memory, ...] = ()
