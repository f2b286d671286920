"""Operations: long runs that someone starts, over a user's whole log or a tenant's playbooks."""

from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue

from sagacity.domain.base import Value
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind


class OperationName(StrEnum):
    """The type of an operation; an organisation runs one of each type at a time."""

    PROFILE_GENERATION = "profile_generation"
    PLAYBOOK_GENERATION = "playbook_generation"
    PLAYBOOK_AGGREGATION = "playbook_aggregation"
    SKILL_GENERATION = "skill_generation"
    USER_ERASURE = "user_erasure"
    """Operations of which any number run at a time, and none can be cancelled."""

    @property
    def is_of_users(self) -> bool:
        """Whether it works on users' logs, rather than on the tenant's own memories."""
        return self in GENERATED


GENERATED = {
    OperationName.PROFILE_GENERATION: MemoryKind.PROFILE,
    OperationName.PLAYBOOK_GENERATION: MemoryKind.USER_PLAYBOOK,
}
"""The kinds of memory that operations on users' logs generate."""


class OperationMode(StrEnum):
    """RERUN reads all turns into PENDING; MANUAL reads the newest window into CURRENT."""

    RERUN = "rerun"
    MANUAL = "manual"


class OperationStatus(StrEnum):
    """The state of an operation."""

    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_successful(self) -> bool:
        """Whether it is running or completed: it neither failed nor was cancelled."""
        return self in {OperationStatus.IN_PROGRESS, OperationStatus.COMPLETED}


class OperationParameters(Value):
    """The parameters of an operation; an empty filter admits all."""

    mode: OperationMode = OperationMode.RERUN
    user_id: UserId | None = None
    start: datetime | None = None
    end: datetime | None = None
    source: str | None = None
    agent_version: str | None = None
    extractor_names: tuple[str, ...] = ()
    """Extractors; of playbooks they are the playbooks' names."""

    @property
    def leaves_turns_out(self) -> bool:
        """Whether only some of a user's turns are read."""
        return any(one is not None for one in (self.start, self.end, self.source, self.agent_version))


class Operation(Value):
    """One run, with its progress."""

    operation_id: str
    name: OperationName
    status: OperationStatus
    parameters: OperationParameters
    total_count: int = 0
    """Scopes (users) to be worked on."""
    processed_count: int = 0
    """Scopes that are done."""
    failed_count: int = 0
    """Scopes that were given up."""
    step_count: int = 0
    """Completed steps: clusters written up, or stretches of logs read."""
    step_total: int = 0
    """Total number of steps; 0 if not known, as with growing logs."""
    turn_count: int = 0
    """Turns that were read."""
    generated_count: int = 0
    """Memories that were written."""
    cancel_requested: bool = False
    error: str = ""
    result: dict[str, JsonValue] = {}
    created_at: datetime
    finished_at: datetime | None = None

    @property
    def goes_on(self) -> bool:
        """Whether it has not ended yet."""
        return self.status is OperationStatus.IN_PROGRESS


class ItemStatus(StrEnum):
    """How one scope of an operation stands."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class OperationItem(Value):
    """One user's part of an operation, or the organisation's own."""

    operation_id: str
    user_id: UserId | None
    """None: the organisation's."""
    status: ItemStatus = ItemStatus.WAITING
    attempts: int = 0
    next_try_at: datetime | None = None
    """Since when, or from when on, it is due; None while it waits."""
    error: str = ""
    turn_count: int = 0
    generated_count: int = 0
    step_count: int = 0
    step_total: int = 0
    updated_at: datetime


class OperationProgress(Value):
    """The users of a run by state; only the first of each list, if there are many."""

    current_user_id: UserId | None = None
    """Who is being worked on."""
    done: tuple[OperationItem, ...] = ()
    failed: tuple[OperationItem, ...] = ()
    trouble: str = ""
    """What blocks it."""
