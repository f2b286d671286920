"""What tasks are built from."""

from dataclasses import dataclass

from sagacity.config.base import ConfigStore
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.learning.tasks.failure import Retrying
from sagacity.learning.windows.learners import Groups, learner_groups
from sagacity.providers.base import Embedder
from sagacity.storage.transaction import Storage


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
    interaction_limit: int = 0
    """Interactions that an organisation keeps; 0: all."""
    analytics_days: int = 90
    """Whole days for which recorded calls are kept."""
    usage_days: int = 365
    """Days for which usage events are kept."""
    usage_limit: int = 0
    """Usage events that an organisation keeps; 0: all of those days."""
    cleanup_interval_seconds: float = 3_600.0
    cleanup_batch: int = 500
    """Rows deleted in one transaction, so that nobody waits long for it."""
    waiting_count: int = 4
    """Runs of this process that somebody waits for, side by side; more of them wait for their turn."""
    slice_seconds: float = 20.0
    """How long a task works for one user at a time while others may wait; what is left stays due, behind theirs."""


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

    @property
    def retrying(self) -> Retrying:
        """What decides on failures."""
        return Retrying(self.policy.retry, self.clock)
