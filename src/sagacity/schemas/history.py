"""How a memory came to be what it is, and what taking a merge back did."""

from sagacity.domain.change import ChangeAction
from sagacity.domain.views.memory import MemoryView
from sagacity.schemas.base import Reply, Schema


class HistoryEvent(Schema):
    """One thing that happened to a memory; the snapshots are as it was then."""

    change_id: int
    run_id: str
    action: ChangeAction
    actor: str = ""
    """A learner's name; `api`, or `api:NAME` with a token's name, for what someone wrote; empty if it is not known."""
    reason: str = ""
    at: int
    request_id: str | None = None
    interaction_ids: tuple[int, ...] = ()
    """The turns that led to it."""
    before: MemoryView | None = None
    """As it was. Of a memory that was added by a merge: what was proposed, before it was merged."""
    after: MemoryView | None = None


class SourceTurn(Schema):
    """A turn on which a memory rests."""

    interaction_id: int
    request_id: str
    role: str
    content: str
    """Its beginning."""
    created_at: int


class MemoryHistory(Schema):
    """A memory, what happened to it, what it replaced, and on what it rests."""

    success: bool = True
    memory: MemoryView
    events: tuple[HistoryEvent, ...] = ()
    """Oldest first."""
    event_count: int = 0
    """Of all; where there are more than `events`, these are the newest."""
    predecessors: tuple[MemoryView, ...] = ()
    """What it replaced or was merged from, and what that replaced, nearest first."""
    has_more_predecessors: bool = False
    successor: MemoryView | None = None
    """What replaced it."""
    sources: tuple[SourceTurn, ...] = ()
    """In the order in which they were said."""
    source_count: int = 0
    """Of all; where there are more than `sources`, these are the newest."""
    deleted_source_count: int = 0
    """Of the turns asked for, how many were deleted since."""


class UndoneMerge(Reply):
    """What taking a merge back did."""

    memory: MemoryView
    """The one that was taken apart: archived if it was merged, as it was if it had replaced others."""
    restored: tuple[MemoryView, ...] = ()
    """Current again."""
    separated: MemoryView | None = None
    """What was merged with them, as a memory of its own."""
