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
    """Limits and waits of background work."""

    retry: RetryPolicy
    quiet_seconds: float
    """After this quiet time, turns short of a full step are learned from."""
    lease_seconds: float
    evaluation_delay_seconds: float
    """How long a session must be quiet before it is judged."""
    idle_seconds: float
    """How long a conversation must be quiet before it is summarised."""
    expired_seconds: float | None
    """How long an expired memory is kept."""
    limits: Limits = NO_LIMITS
    """Limits of tables that grow without end."""
    cleanup_interval_seconds: float = 3_600.0
    cleanup_batch: int = 500
    """How many rows one transaction deletes, so that nobody waits for it for long."""
    waiting_count: int = 4
    """How many runs with somebody waiting this process does in parallel; further ones queue."""
    slice_seconds: float = 20.0
    """How long a task works for one user while others may wait; the rest stays due, behind their work."""


async def _nobody(_subject: str) -> None:
    """Tell nobody."""


async def _forget_none(_tenant: Tenant, _user_id: UserId) -> None:
    """Do nothing: no tokens are stored outside the database."""


def _none() -> Sequence[KnownBackup]:
    """Return no backups."""
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
    """Announces a change to every process."""
    known_backups: KnownBackups = _none
    forget_tokens: ForgetTokens = _forget_none
    """Revokes the API tokens of an erased user that are stored outside the database."""

    @property
    def retrying(self) -> Retrying:
        """Decides what to do about failures."""
        return Retrying(self.policy.retry, self.clock)
