"""Bodies and replies of the review queue."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, model_validator

from sagacity.domain.clock import to_epoch
from sagacity.domain.effects import MemoryEffect
from sagacity.domain.ids import UserId
from sagacity.domain.kinds import KINDS
from sagacity.domain.memory import MemoryKind
from sagacity.domain.review_queue import (
    RelatedMemory,
    ReviewAction,
    ReviewCandidate,
    ReviewQuery,
    ReviewSignal,
    ReviewStep,
)
from sagacity.domain.views.memory import MemoryView
from sagacity.schemas.base import Body, Id, Label, Limit, Number, Reply, Said, Schema

MOST_DAYS = 36_500
_TITLE_CHARACTERS = 80
_KEEP_DAYS = 90
Days = Annotated[int, Field(gt=0, le=MOST_DAYS)]


class GetMemoryReviewBody(Body):
    """Which memories to review."""

    user_id: Id | None = None
    """Required unless the token is a user's own, or `include_all_users` is true, beside which it is refused."""
    days_back: Days = 30
    """Over how many days uses are counted, and after how many days without a change a memory is stale."""
    signal_filter: tuple[ReviewSignal, ...] | None = Field(default=None, max_length=16)
    """Only memories with one of these signals. Null: with any; an empty list: none."""
    include_all_users: bool = False
    """Memories of all users, and of the organisation. Needs the permission to review."""
    kinds: tuple[MemoryKind, ...] = Field(default=(MemoryKind.USER_PLAYBOOK,), min_length=1, max_length=16)
    """Which kinds of memory. Those that serve all users need `include_all_users`."""
    limit: Limit = 100
    """How many candidates at most."""
    offset: int = Field(default=0, ge=0, le=1_000_000)
    """How many candidates to skip."""

    def to_query(self, user_id: UserId | None) -> ReviewQuery:
        """Return the review's scope: the memories of one user, or of all."""
        return ReviewQuery(
            kinds=tuple(dict.fromkeys(self.kinds)),
            user_id=user_id,
            days_back=self.days_back,
            signals=None if self.signal_filter is None else frozenset(self.signal_filter),
        )


class RelatedMemoryView(Schema):
    """What a candidate is compared with: a duplicate, or what could take its place."""

    entity_type: MemoryKind
    """The kind of memory."""
    entity_id: str
    """The memory's id in the API: a profile's id, or another memory's number."""
    signal: ReviewSignal
    """`duplicate`, or `supersedeable` for what could take the candidate's place."""
    title: str
    """A playbook's name, or else how the content begins."""
    content: str
    similarity: float | None = None
    """The cosine of a duplicate, at most 1."""


class MemoryReviewCandidate(Schema):
    """A memory that a person should look at. Null fields are included."""

    entity_type: MemoryKind
    """The kind of memory."""
    entity_id: str
    """The memory's id in the API: a profile's id, or another memory's number."""
    title: str
    """A playbook's name, or else the first 80 characters of the content."""
    signals: tuple[ReviewSignal, ...]
    """All signals of the memory, whatever was requested."""
    score: int
    """The highest that one of its signals gives, from 30 to 100."""
    injection_count: int = 0
    """How often it was surfaced in the period."""
    citation_count: int = 0
    """How often answers cited it in the period."""
    last_injected_at: datetime | None = None
    """When it was last surfaced, if still recorded."""
    last_cited_at: datetime | None = None
    """When an answer last cited it, if still recorded."""
    last_modified_at: int | None = None
    """When it was last changed; null if not known."""
    user_id: str | None = None
    trigger: str | None = None
    content: str = ""
    related: tuple[RelatedMemoryView, ...] = ()
    """Its duplicates, the nearest first, and what could take its place."""
    effect: MemoryEffect | None = None
    """If it helps or harms: how sessions that were shown it differ from those that went without."""


class MemoryReviewPage(Reply):
    """Candidates, the highest score first."""

    candidates: tuple[MemoryReviewCandidate, ...] = ()
    """What to review."""
    has_more: bool = False
    """Whether there are more candidates."""


class ReviewMemoryBody(Body):
    """What to do with a memory."""

    entity_id: Id | Number
    """A memory's id as the queue names it, its uid, or its number."""
    action: ReviewStep
    """
    `keep` leaves it out of the queue for `keep_days`; `archive` archives it; `supersede` archives it in favour of
    `other_id`; `merge` also lets that rest on the turns of both, and say `content` if that is given.
    """
    entity_type: MemoryKind = MemoryKind.USER_PLAYBOOK
    """The kind of memory."""
    other_id: Id | Number | None = None
    """For `supersede` and `merge`: the memory that replaces it."""
    other_type: MemoryKind | None = None
    """Null: the same as `entity_type`."""
    content: Said | None = None
    """For `merge`: the new text of the other memory. Null: unchanged."""
    keep_days: int = Field(default=_KEEP_DAYS, gt=0, le=3_650)
    """For `keep`: for how many days."""
    reason: Label = ""
    """Why; it goes into the memory's history."""


class UndoMemoryReviewBody(Body):
    """Which action to undo: the one of a number, or the last one on a memory."""

    action_id: Number | None = None
    """The action's number."""
    entity_id: Id | Number | None = None
    """The memory whose last action to undo, instead of an action's number."""
    entity_type: MemoryKind = MemoryKind.USER_PLAYBOOK
    """The kind of memory."""

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.action_id is None) == (self.entity_id is None):
            raise ValueError("send either action_id or entity_id")
        return self


class ReviewActionView(Schema):
    """What a person did with a memory, and whether it was undone."""

    action_id: int
    """The action's number."""
    entity_type: MemoryKind
    """The kind of memory."""
    memory_id: int
    """The memory's number."""
    user_id: str | None = None
    action: ReviewStep
    """What was done."""
    other_memory_id: int | None = None
    """The number of what superseded it, or of what it was merged into."""
    actor: str
    """Who: `api`, `api:NAME` (a token's name) or `user:ID`."""
    reason: str = ""
    """Why, in the reviewer's words."""
    at: int
    """When it was done."""
    kept_until: int | None = None
    """For `keep`: until when the memory stays out of the queue."""
    undone_at: int | None = None
    """When it was undone; null if it was not."""
    undone_by: str = ""
    """Who undid it."""


class ReviewedMemory(Reply):
    """An action that was done or undone, and the memory as it is now."""

    action: ReviewActionView
    """Who did what, and when."""
    memory: MemoryView
    """As it is now."""


class GetMemoryReviewActionsBody(Body):
    """Which review actions to return, newest first."""

    user_id: Id | None = None
    """Required unless the token is a user's own, or `include_all_users` is true, beside which it is refused."""
    include_all_users: bool = False
    """Actions on all users' memories, and on the organisation's. Needs the permission to review."""
    before: Number | None = None
    """Only actions before this number, the last one of the previous page."""
    limit: Limit = 100
    """How many actions at most."""


class MemoryReviewActionsPage(Reply):
    """Review actions, newest first."""

    actions: tuple[ReviewActionView, ...] = ()
    """Actions, done and undone."""


def candidate_view(candidate: ReviewCandidate) -> MemoryReviewCandidate:
    """Return what the API shows of a candidate."""
    modified_at = candidate.last_modified_at
    return MemoryReviewCandidate(
        entity_type=candidate.kind,
        entity_id=_wire_id(candidate),
        title=title_of(candidate),
        signals=candidate.signals,
        score=candidate.score,
        injection_count=candidate.injection_count,
        citation_count=candidate.citation_count,
        user_id=candidate.user_id,
        trigger=candidate.trigger,
        content=candidate.content,
        related=tuple(map(_related_view, candidate.related)),
        effect=candidate.effect,
        last_injected_at=candidate.last_injected_at,
        last_cited_at=candidate.last_cited_at,
        last_modified_at=None if modified_at is None else to_epoch(modified_at),
    )


def title_of(memory: ReviewCandidate | RelatedMemory) -> str:
    """Return a memory's name, or else how it begins."""
    begin = memory.content[:_TITLE_CHARACTERS]
    return memory.name or (f"{begin}..." if len(memory.content) > _TITLE_CHARACTERS else begin)


def action_view(action: ReviewAction) -> ReviewActionView:
    """Return what the API shows of an action."""
    return ReviewActionView(
        action_id=action.action_id,
        entity_type=action.kind,
        memory_id=action.memory_id,
        user_id=action.user_id,
        action=action.step,
        other_memory_id=action.other_id,
        actor=action.actor,
        reason=action.reason,
        at=to_epoch(action.created_at),
        kept_until=None if action.kept_until is None else to_epoch(action.kept_until),
        undone_at=None if action.undone_at is None else to_epoch(action.undone_at),
        undone_by=action.undone_by,
    )


def _related_view(memory: RelatedMemory) -> RelatedMemoryView:
    return RelatedMemoryView(
        entity_type=memory.kind,
        entity_id=_wire_id(memory),
        signal=memory.signal,
        title=title_of(memory),
        content=memory.content,
        similarity=None if memory.similarity is None else round(memory.similarity, 4),
    )


def _wire_id(memory: ReviewCandidate | RelatedMemory) -> str:
    return memory.uid if KINDS[memory.kind].is_known_by_uid else str(memory.memory_id)
