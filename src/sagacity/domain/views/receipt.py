"""The wire shape of a receipt: stored, searchable, learned from."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from sagacity.domain.cursor import Outcome
from sagacity.domain.extraction import EntryCounts
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.views.base import View


class ReceiptState(StrEnum):
    """The state of a publish as a whole."""

    ACCEPTED = "accepted"
    INDEXED = "indexed"
    LEARNED = "learned"
    FAILED = "failed"


class LearnerState(StrEnum):
    """The state of one learner for a publish."""

    WAITING = "waiting"
    LEARNED = "learned"
    FAILED = "failed"
    PARKED = "parked"


class LearningStatus(StrEnum):
    """How far the learners as a whole have come with a publish."""

    PENDING = "pending"
    """None has read it."""
    PROCESSING = "processing"
    """Some have, or one tries again."""
    DONE = "done"
    FAILED = "failed"
    """One gave up."""


class VectorProgress(View):
    """How many turns can be searched by meaning."""

    done: int = 0
    waiting: int = 0
    failed: int = 0
    error: str | None = None


class IndexProgress(View):
    """How the turns can be searched so far."""

    keyword: bool = True
    vector: VectorProgress = VectorProgress()


class LearnerProgress(View):
    """The progress of one learner; a failed one tries again at `next_try_at`."""

    learner: str
    state: LearnerState
    outcome: Outcome | None = None
    reason: str | None = None
    """Why nothing was noted; None while something was noted or archived, or may be."""
    entries: EntryCounts | None = None
    """What it proposed in the windows that hold these turns; None if nothing."""
    error: str | None = None
    attempts: int = 0
    next_try_at: datetime | None = None
    dead_letter_id: int | None = None


class TaughtMemory(View):
    """A memory that was learned from the request, alone or with others, or archived because of it."""

    memory_id: int
    uid: str
    profile_id: str | None = None
    user_playbook_id: int | None = None
    agent_playbook_id: int | None = None
    kind: MemoryKind
    content: str
    unconfirmed: bool | None = Field(
        default=None,
        description="True if it waits, listed as pending and served nowhere, until the user says it too or a person "
        "confirms it.",
    )


class Receipt(View):
    """The state of one publish."""

    success: bool = True
    request_id: str
    user_id: str
    session_id: str | None = None
    accepted_at: datetime
    interactions: int
    state: ReceiptState
    indexed: IndexProgress
    learners: tuple[LearnerProgress, ...] = ()
    memories: tuple[TaughtMemory, ...] = ()
    archived: tuple[TaughtMemory, ...] = Field(
        default=(),
        description="Memories that were archived because of it: replaced, no longer true, or to be forgotten.",
    )
    warnings: tuple[str, ...] = Field(
        default=(),
        description="What else limits learning now: a spending cap that is reached, or that no worker runs.",
    )


class LearningStatusView(View):
    """How far the learners as a whole have come with one publish."""

    success: bool = True
    status: LearningStatus


def taught_view(memory: Memory) -> TaughtMemory:
    """Show a memory that a request taught, or archived."""
    return TaughtMemory(
        memory_id=memory.memory_id,
        uid=memory.uid,
        profile_id=memory.uid if memory.kind is MemoryKind.PROFILE else None,
        user_playbook_id=memory.memory_id if memory.kind is MemoryKind.USER_PLAYBOOK else None,
        agent_playbook_id=memory.memory_id if memory.kind is MemoryKind.AGENT_PLAYBOOK else None,
        kind=memory.kind,
        content=memory.content,
        unconfirmed=memory.attributes.is_unconfirmed or None,
    )
