"""Operations: long runs that someone starts, over a user's whole log or a tenant's playbooks."""

from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue

from sagacity.domain.base import Value
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind


class OperationName(StrEnum):
    """The type of an operation; an organisation runs one of each at a time."""

    PROFILE_GENERATION = "profile_generation"
    PLAYBOOK_GENERATION = "playbook_generation"
    PLAYBOOK_AGGREGATION = "playbook_aggregation"
    SKILL_GENERATION = "skill_generation"
    USER_ERASURE = "user_erasure"
    """Of these any number run at a time, and none is cancelled."""

    @property
    def is_of_users(self) -> bool:
        """Whether it works on users' logs; if not, on what is the tenant's own."""
        return self in GENERATED


GENERATED = {
    OperationName.PROFILE_GENERATION: MemoryKind.PROFILE,
    OperationName.PLAYBOOK_GENERATION: MemoryKind.USER_PLAYBOOK,
}
"""What operations on users' logs generate."""


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
        """Whether it goes on or has completed: it neither failed nor was cancelled."""
        return self in {OperationStatus.IN_PROGRESS, OperationStatus.COMPLETED}


class OperationParameters(Value):
    """What was asked for; each filter that is empty asks for all."""

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
        """Whether not all turns of a user are read."""
        return any(one is not None for one in (self.start, self.end, self.source, self.agent_version))


class Operation(Value):
    """One run, with how far it is."""

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
    """Steps that are done: clusters that were written up, stretches of logs that were read."""
    step_total: int = 0
    """Of how many; 0 where that is not known, as with logs that grow."""
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
    """Since when, or from when on, it is its turn; None: it waits for it."""
    error: str = ""
    turn_count: int = 0
    generated_count: int = 0
    step_count: int = 0
    step_total: int = 0
    updated_at: datetime


class OperationProgress(Value):
    """Which users a run has dealt with; of many, the first of each list."""

    current_user_id: UserId | None = None
    """Who is being worked on."""
    done: tuple[OperationItem, ...] = ()
    failed: tuple[OperationItem, ...] = ()
    trouble: str = ""
    """What keeps it from going on."""
