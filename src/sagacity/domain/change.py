"""What a learner proposes, what is done with it, and the record of it."""

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
    """What an extractor proposes to remember, with the turns that say so."""

    kind: MemoryKind
    content: str
    trigger: str | None = None
    pitfall: str | None = None
    rationale: str | None = None
    blocking_issue: BlockingIssue | None = None
    time_to_live: TimeToLive = TimeToLive.INFINITY
    valid_until: date | None = None
    """The last day on which it holds, where one was said; it counts more than the time to live."""
    custom_features: dict[str, JsonValue] = {}
    slot: Slot = ""
    """What it answers, such as `location.home`. Empty when nothing can replace it by name."""
    exclusive: bool = False
    """Whether one value at a time fills the slot: a newer one supersedes."""
    negates: bool = False
    """Whether it says that a memory of the same slot and like content no longer holds."""
    ends: tuple[MemoryId, ...] = ()
    """Memories that, as its extractor read them, hold no longer since it was said."""
    forgets: bool = False
    """Whether the user asks that what it ends is forgotten: nothing is stored of it."""
    keywords: tuple[str, ...] = ()
    confidence: float = 0.8
    evidence: tuple[InteractionId, ...]
    """The turns that say it; never empty."""
    said_at: datetime | None = None
    """When the newest of these turns happened; None where that is not known."""
    is_unconfirmed: bool = False
    """Whether agents and tools alone say it, or a rule rests on what is of low trust."""
    origin: Origin | None = None
    """The least trusted origin among the turns that say it."""
    entities: tuple[EntityMention, ...] = ()
    relationships: tuple[RelationshipMention, ...] = ()


class Action(StrEnum):
    """What is done with a candidate."""

    ADD = "add"
    UPDATE = "update"
    MERGE = "merge"
    SUPERSEDE = "supersede"
    DISCARD = "discard"
    ARCHIVE = "archive"


class Decision(Value):
    """
    What becomes of one candidate.

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
    """Of MERGE: the candidate as it was proposed, so that it can stand by itself again."""
    dropped: Rejection | None = None
    doubts: tuple[MemoryId, ...] = ()
    """Of DISCARD: memories that it contradicts, and that stand because only an agent or a tool says so."""


DIRECT = "api"
"""The actor of what a person or a program wrote itself; `api:NAME` where a token of that name was used."""


class ChangeAction(StrEnum):
    """What happened to a memory in a run."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"
    """No longer current: superseded, merged or archived."""
    RESTORED = "restored"
    """Current again after it was archived."""
    PROMOTED = "promoted"
    """Current, with the version that it belongs to."""
    ARCHIVED = "archived"
    """Archived with its version, by an upgrade."""
    DEMOTED = "demoted"
    """Archived with its version, by a downgrade."""
    KEPT = "kept"
    """Left as it is by a person who reviewed it; the reason says until when, or that this was taken back."""


class Change(Value):
    """One memory changed by one run; the snapshots are as they were then."""

    run_id: RunId
    kind: MemoryKind
    user_id: UserId | None
    request_id: RequestId | None
    memory_id: MemoryId
    action: ChangeAction
    actor: str = ""
    """Who: a learner's name, or `api` for a person's or a program's own write."""
    reason: str = ""
    before: Memory | None = None
    """The memory before the change. For one that was added by a merge: what was proposed, before the merge."""
    after: Memory | None = None
    created_at: datetime


class RecordedChange(Change):
    """A change as it is kept."""

    change_id: int


class Occasion(Value):
    """Who changes memories, in which run, why and when."""

    run_id: RunId
    actor: str
    reason: str
    at: datetime
    request_id: RequestId | None = None

    def change(self, before: Memory | None, after: Memory) -> Change:
        """Return the record of one memory that became *after*; *before* is None for one that was not there."""
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
    """All that one run changed."""

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
    """What the run's learners proposed; None for runs of another kind."""
