"""A learner's proposals, the decisions on them, and the record of the changes."""

from datetime import date, datetime
from enum import StrEnum

from pydantic import JsonValue

from sagacity.domain.base import Value
from sagacity.domain.extraction import EntryCounts, Rejection
from sagacity.domain.graph import EntityMention, RelationshipMention
from sagacity.domain.ids import InteractionId, MemoryId, RequestId, RunId, UserId
from sagacity.domain.memory import ARCHIVED_STATUSES, BlockingIssue, Memory, MemoryKind, Slot, TimeToLive
from sagacity.domain.trust import Origin


class Candidate(Value):
    """A proposal of an extractor, with the turns that support it."""

    kind: MemoryKind
    content: str
    trigger: str | None = None
    pitfall: str | None = None
    rationale: str | None = None
    blocking_issue: BlockingIssue | None = None
    time_to_live: TimeToLive = TimeToLive.INFINITY
    valid_until: date | None = None
    """The last day on which it holds, if stated; it takes precedence over the time to live."""
    custom_features: dict[str, JsonValue] = {}
    slot: Slot = ""
    """The question that it answers, such as `location.home`. Empty if nothing can replace it by slot."""
    exclusive: bool = False
    """Whether the slot holds one value at a time, so that a newer one supersedes."""
    negates: bool = False
    """Whether it says that a memory of the same slot and similar content no longer holds."""
    ends: tuple[MemoryId, ...] = ()
    """Memories that no longer hold since it was said, as its extractor judged."""
    forgets: bool = False
    """Whether the user asked to forget what it ends: those memories are archived, and nothing is stored."""
    keywords: tuple[str, ...] = ()
    confidence: float = 0.8
    evidence: tuple[InteractionId, ...]
    """The turns that support it; never empty."""
    said_at: datetime | None = None
    """When the newest of these turns happened; None if not known."""
    is_unconfirmed: bool = False
    """Whether only agents and tools say it, or it is a rule based on something of low trust."""
    origin: Origin | None = None
    """
    The least trusted origin of its turns and of anything else that it was taken from, such as a tool result within a
    turn.
    """
    entities: tuple[EntityMention, ...] = ()
    relationships: tuple[RelationshipMention, ...] = ()


class Action(StrEnum):
    """What to do with a candidate."""

    ADD = "add"
    UPDATE = "update"
    MERGE = "merge"
    SUPERSEDE = "supersede"
    DISCARD = "discard"
    ARCHIVE = "archive"


class Decision(Value):
    """
    The decision on one candidate.

    ADD stores it. SUPERSEDE and MERGE store it (MERGE with *content* rewritten) and archive *targets*, naming it as
    their successor. UPDATE refreshes the one target: its evidence grows and its time moves on. DISCARD stores nothing:
    its evidence joins another candidate's, unless *dropped* says why not. ARCHIVE stores nothing and archives
    *targets*, without a successor.
    """

    action: Action
    candidate: Candidate
    targets: tuple[MemoryId, ...] = ()
    reason: str = ""
    unmerged: Candidate | None = None
    """For MERGE: the candidate as proposed, so that the merge can be undone."""
    dropped: Rejection | None = None
    doubts: tuple[MemoryId, ...] = ()
    """For DISCARD: memories that it contradicts but does not replace, because only an agent or a tool says it."""


DIRECT = "api"
"""The actor of changes by a person or program; `api:NAME` if a token of that name was used."""


class ChangeAction(StrEnum):
    """What a run did to a memory."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"
    """No longer current: superseded, merged or archived."""
    RESTORED = "restored"
    """Restored after it was archived."""
    PROMOTED = "promoted"
    """Made current, with its version."""
    ARCHIVED = "archived"
    """Archived with its version, by an upgrade."""
    DEMOTED = "demoted"
    """Archived with its version, by a downgrade."""
    KEPT = "kept"
    """Kept by a reviewer; the reason says until when, or that this was undone."""


class Change(Value):
    """One change of one memory by one run, with snapshots of that time."""

    run_id: RunId
    kind: MemoryKind
    user_id: UserId | None
    request_id: RequestId | None
    memory_id: MemoryId
    action: ChangeAction
    actor: str = ""
    """The name of the learner, or `api` for a change by a person or program."""
    reason: str = ""
    before: Memory | None = None
    """The memory before the change. For one that was added by a merge: what was proposed, before the merge."""
    after: Memory | None = None
    created_at: datetime


class RecordedChange(Change):
    """A stored change."""

    change_id: int


class Occasion(Value):
    """Who changes memories, in which run, why and when."""

    run_id: RunId
    actor: str
    reason: str
    at: datetime
    request_id: RequestId | None = None

    def change(self, before: Memory | None, after: Memory) -> Change:
        """Return the record of a change from *before* to *after*; *before* is None for a new memory."""
        return Change(
            run_id=self.run_id,
            kind=after.kind,
            user_id=after.user_id,
            request_id=self.request_id,
            memory_id=after.memory_id,
            action=_action_of(before, after),
            actor=self.actor,
            reason=self.reason,
            before=before,
            after=after,
            created_at=self.at,
        )


def _action_of(before: Memory | None, after: Memory) -> ChangeAction:
    if before is None:
        return ChangeAction.ADDED
    match before.status in ARCHIVED_STATUSES, after.status in ARCHIVED_STATUSES:
        case False, True:
            return ChangeAction.REMOVED
        case True, False:
            return ChangeAction.RESTORED
        case _:
            return ChangeAction.UPDATED


class ChangeLog(Value):
    """Everything that one run changed."""

    change_log_id: int
    run_id: RunId
    kind: MemoryKind
    user_id: UserId | None
    request_id: RequestId | None
    created_at: datetime
    reason: str = ""
    added: tuple[Memory, ...] = ()
    removed: tuple[Memory, ...] = ()
    entries: EntryCounts | None = None
    """The counts of the run's proposals; None for runs that propose nothing."""
