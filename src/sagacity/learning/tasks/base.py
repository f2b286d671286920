"""The interface of a background task: its scope, when it is due, and what it does under a lease."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cursor import Lease
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.tenant import DueScope, Tenant
from sagacity.learning.prompt_runner import ModelSession
from sagacity.learning.windows.learners import LearnerGroup
from sagacity.storage.transaction import Transaction


class TaskScope(StrEnum):
    """What a task works on."""

    USER = "user"
    """One user's log."""
    ORGANISATION = "organisation"
    """What all users of an organisation share."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose work is done, by the configuration as it was when the run began."""

    scope: DueScope
    config: TenantConfig
    calls: ModelSession
    groups: Sequence[LearnerGroup] = ()
    """The learners that the configuration asks for."""
    force: bool = False
    """Somebody asked: what is short of a full step is read, too."""

    @property
    def tenant(self) -> Tenant:
        """Whose data it is."""
        return self.scope.tenant

    @property
    def user_id(self) -> UserId:
        """
        Whose log it is.

        Raises:
            ValueError: it is the organisation's work, which is no user's.
        """
        if self.scope.user_id is None:
            raise ValueError("the organisation's own work is no user's")
        return self.scope.user_id


@dataclass(slots=True)
class TaskReport:
    """What a run did, in one task or in all of a scope."""

    added: dict[MemoryKind, int] = field(default_factory=dict[MemoryKind, int])
    updated: dict[MemoryKind, int] = field(default_factory=dict[MemoryKind, int])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """What failed in its last try, with the error: learners, tasks, the configuration."""
    busy: bool = False
    """Whether another worker held some of the work."""
    note: str = ""
    """Why rules learned although a model is configured, or why not all was stored."""
    turns_left: int | None = None
    """How many more turns of the log give the scope something to do; None: look at it after any."""
    retry_at: datetime | None = None
    """When to try again what failed; None: nothing did, or the task keeps the moment itself."""

    def count(self, kind: MemoryKind, *, added: int, updated: int) -> None:
        """Add what was written of a kind."""
        self.added[kind] = self.added.get(kind, 0) + added
        self.updated[kind] = self.updated.get(kind, 0) + updated

    def include(self, other: "TaskReport") -> None:
        """Add what another run did."""
        for kind in {**other.added, **other.updated}:
            self.count(kind, added=other.added.get(kind, 0), updated=other.updated.get(kind, 0))
        self.failed |= other.failed
        self.busy = self.busy or other.busy
        self.note = self.note or other.note
        self.retry_at = min(filter(None, (self.retry_at, other.retry_at)), default=None)


@dataclass(frozen=True, slots=True)
class Look:
    """How a scope stands: whether something is due, and when to look next: at a moment, or after so many more turns."""

    at: datetime | None = None
    """When something may be due next if nobody wakes it before; None: never."""
    turns: int | None = None
    """None: no number of turns makes anything due, or nobody knows which."""
    is_due: bool = False
    """Whether a run now would find something to do."""


def look_at(moment: datetime | None, *, now: datetime) -> Look:
    """Return how what is due at a *moment* stands; None: nothing waits."""
    return Look(moment, is_due=moment is not None and moment <= now)


def first_of(looks: Iterable[Look]) -> Look:
    """Return the first of all *looks*; it is due if one of them is."""
    found = list(looks)
    return Look(
        at=min((one.at for one in found if one.at is not None), default=None),
        turns=min((one.turns for one in found if one.turns is not None), default=None),
        is_due=any(one.is_due for one in found),
    )


class Task(Protocol):
    """
    One kind of background work.

    A run that is done twice, or cut short, leaves what one run leaves: whatever it writes, it writes in a transaction
    that checks the lease and moves what says that it is done.
    """

    @property
    def name(self) -> str:
        """How it is called in logs and reports; also the name of the lease that it runs under."""
        ...

    @property
    def scope(self) -> TaskScope:
        """Whose work it is."""
        ...

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return how it stands; it awaits nothing but *snapshot*, maybe in a thread."""
        ...

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Do what is due.

        Args:
            subject: whose.
            lease: checked in every transaction that writes.
            until: by `time.monotonic`; what is unfinished then stays due, behind others. None: somebody waits for it.

        Raises:
            Conflict: another worker took over.
            Exception: anything else is recorded, stops no other task, and the task is run again after a minute.
        """
        ...
