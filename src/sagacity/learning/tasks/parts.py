"""What every background task is built from."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sagacity.auth.erasure_key import OpenKey, no_key
from sagacity.config.base import ConfigStore
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource, UserId
from sagacity.domain.retention import NO_LIMITS, Limits
from sagacity.domain.tenant import Tenant
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.learning.tasks.failure import Retrying
from sagacity.learning.windows.learners import Groups, learner_groups
from sagacity.providers.base import Embedder
from sagacity.storage.transaction import Storage
from sagacity.storage.transfer.known_backups import KnownBackup

Announce = Callable[[str], Awaitable[None]]
ForgetTokens = Callable[[Tenant, UserId], Awaitable[None]]
KnownBackups = Callable[[], Sequence[KnownBackup]]


@dataclass(frozen=True, slots=True)
class TaskPolicy:
    """How patiently, and how much at a time, background work is done."""

    retry: RetryPolicy
    quiet_seconds: float
    """After so long without news, what is short of a full step of a log is learned."""
    lease_seconds: float
    evaluation_delay_seconds: float
    """A session has to be quiet for so long before it is judged."""
    idle_seconds: float
    """A conversation has to be quiet for so long before it is summed up."""
    expired_seconds: float | None
    """How long a memory stays after it expired."""
    limits: Limits = NO_LIMITS
    """How much is kept of what grows without end."""
    cleanup_interval_seconds: float = 3_600.0
    cleanup_batch: int = 500
    """Rows deleted in one transaction, so that nobody waits long for it."""
    waiting_count: int = 4
    """Runs of this process that somebody waits for, side by side; more of them wait for their turn."""
    slice_seconds: float = 20.0
    """How long a task works for one user at a time while others may wait; what is left stays due, behind theirs."""


async def _nobody(_subject: str) -> None:
    """Tell nobody."""


async def _forget_none(_tenant: Tenant, _user_id: UserId) -> None:
    """Forget nothing: nothing is kept outside the database."""


def _none() -> Sequence[KnownBackup]:
    """Know of no backup."""
    return ()


@dataclass(frozen=True, slots=True)
class TaskParts:
    """What any task may use."""

    storage: Storage
    embedder: Embedder
    configs: ConfigStore
    models: ModelGateway
    policy: TaskPolicy
    clock: Clock
    ids: IdSource
    groups: Groups = learner_groups
    erasure_key: OpenKey = no_key
    announce: Announce = _nobody
    """Tells every process that something changed."""
    known_backups: KnownBackups = _none
    forget_tokens: ForgetTokens = _forget_none
    """Ends the API tokens of a user who is erased, where they are kept outside the database."""

    @property
    def retrying(self) -> Retrying:
        """What decides on failures."""
        return Retrying(self.policy.retry, self.clock)
