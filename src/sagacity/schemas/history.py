"""Replies with the history of a memory, and of undoing a merge."""

from sagacity.domain.change import ChangeAction
from sagacity.domain.views.memory import MemoryView
from sagacity.schemas.base import Reply, Schema


class HistoryEvent(Schema):
    """One thing that happened to a memory; the snapshots are as it was then."""

    change_id: int
    run_id: str
    action: ChangeAction
    actor: str = ""
    """Who made the change: a learner's name, or `api` or `api:NAME` (a token's name) for a call; empty if unknown."""
    reason: str = ""
    at: int
    request_id: str | None = None
    interaction_ids: tuple[int, ...] = ()
    """The turns that led to it."""
    before: MemoryView | None = None
    """The memory before the change. For one that was added by a merge: what was proposed, before the merge."""
    after: MemoryView | None = None


class SourceTurn(Schema):
    """A turn that supports a memory."""

    interaction_id: int
    request_id: str
    role: str
    content: str
    """Its beginning."""
    created_at: int


class MemoryHistory(Schema):
    """A memory with its changes, what it replaced, and the turns that support it."""

    success: bool = True
    memory: MemoryView
    events: tuple[HistoryEvent, ...] = ()
    """Oldest first."""
    event_count: int = 0
    """How many there are in all; `events` has the newest."""
    predecessors: tuple[MemoryView, ...] = ()
    """What it replaced or was merged from, and what those replaced, most recent first."""
    has_more_predecessors: bool = False
    successor: MemoryView | None = None
    """What replaced it."""
    sources: tuple[SourceTurn, ...] = ()
    """In the order of the conversation."""
    source_count: int = 0
    """How many there are in all; `sources` has the newest."""
    deleted_source_count: int = 0
    """How many of these turns were deleted since."""


class UndoneMerge(Reply):
    """The result of undoing a merge."""

    memory: MemoryView
    """The memory whose merge was undone: archived if it was merged, unchanged if it had only replaced others."""
    restored: tuple[MemoryView, ...] = ()
    """Current again."""
    separated: MemoryView | None = None
    """What was merged into them, now a memory of its own."""
