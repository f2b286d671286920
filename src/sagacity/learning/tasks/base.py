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
    """The scope of a task."""

    USER = "user"
    """One user's log."""
    ORGANISATION = "organisation"
    """The organisation."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a run, with the configuration as of its start."""

    scope: DueScope
    config: TenantConfig
    calls: ModelSession
    groups: Sequence[LearnerGroup] = ()
    """The configured learners."""
    force: bool = False
    """Whether turns short of a full step are read too, because somebody requested it."""

    @property
    def tenant(self) -> Tenant:
        """The organisation of the data."""
        return self.scope.tenant

    @property
    def user_id(self) -> UserId:
        """
        The user whose log it is.

        Raises:
            ValueError: the scope is the organisation, not a user.
        """
        if self.scope.user_id is None:
            raise ValueError("the organisation's own work is no user's")
        return self.scope.user_id


@dataclass(slots=True)
class TaskReport:
    """The result of a run, of one task or of a whole scope."""

    added: dict[MemoryKind, int] = field(default_factory=dict[MemoryKind, int])
    updated: dict[MemoryKind, int] = field(default_factory=dict[MemoryKind, int])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """What failed in its last attempt (learners, tasks, the configuration), with the error."""
    busy: bool = False
    """Whether another worker held a lease on some of the work."""
    note: str = ""
    """Why rules learned although a model is configured, or why not everything was stored."""
    turns_left: int | None = None
    """How many more turns the log needs before the scope has work; None: check after any turn."""
    retry_at: datetime | None = None
    """When to retry what failed; None if nothing did, or the task stores the time itself."""

    def count(self, kind: MemoryKind, *, added: int, updated: int) -> None:
        """Add the number of memories written of a kind."""
        self.added[kind] = self.added.get(kind, 0) + added
        self.updated[kind] = self.updated.get(kind, 0) + updated

    def include(self, other: "TaskReport") -> None:
        """Add the result of another run."""
        for kind in {**other.added, **other.updated}:
            self.count(kind, added=other.added.get(kind, 0), updated=other.updated.get(kind, 0))
        self.failed |= other.failed
        self.busy = self.busy or other.busy
        self.note = self.note or other.note
        self.retry_at = min(filter(None, (self.retry_at, other.retry_at)), default=None)


@dataclass(frozen=True, slots=True)
class Look:
    """The state of a scope: whether something is due, and when to check next: at a time, or after a number of turns."""

    at: datetime | None = None
    """When something may be due next without a wake-up; None for never."""
    turns: int | None = None
    """None if no number of turns makes it due, or the number is not known."""
    is_due: bool = False
    """Whether a run now would find something to do."""


def look_at(moment: datetime | None, *, now: datetime) -> Look:
    """Return the state of something that is due at *moment*; a *moment* of None means that nothing waits."""
    return Look(moment, is_due=moment is not None and moment <= now)


def first_of(looks: Iterable[Look]) -> Look:
    """Return the earliest of *looks*; due if any of them is."""
    found = list(looks)
    return Look(
        at=min((one.at for one in found if one.at is not None), default=None),
        turns=min((one.turns for one in found if one.turns is not None), default=None),
        is_due=any(one.is_due for one in found),
    )


class Task(Protocol):
    """
    The interface of a background task.

    A repeated or interrupted run leaves the same result as one run: everything is written in a transaction
    that checks the lease and advances the marker of what is done.
    """

    @property
    def name(self) -> str:
        """Its name in logs and reports, and of the lease under which it runs."""
        ...

    @property
    def scope(self) -> TaskScope:
        """The scope that it works on."""
        ...

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return its state; must await nothing but *snapshot*, and may run in a thread."""
        ...

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Do the due work.

        Args:
            subject: the subject of the run.
            lease: checked in every transaction that writes.
            until: the end of its time by `time.monotonic`, after which unfinished work stays due, behind others. None:
                somebody waits for it.

        Raises:
            Conflict: another worker took over.
            Exception: anything else is logged, affects no other task, and the task is retried after a minute.
        """
        ...
