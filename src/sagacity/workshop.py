"""What background work is put together from."""

from dataclasses import dataclass

from sagacity.config.base import ConfigStore
from sagacity.config.database import DatabaseConfigs
from sagacity.config.settings import Settings
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource
from sagacity.learning.prompt_runner import ModelAccess
from sagacity.learning.tasks.parts import TaskParts, TaskPolicy
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.learning.tasks.table import open_tasks
from sagacity.providers.base import Embedder
from sagacity.storage.transaction import Storage

_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Workshop:
    """What learning is put together from."""

    settings: Settings
    storage: Storage
    embedder: Embedder
    models: ModelAccess
    clock: Clock
    ids: IdSource

    @property
    def configs(self) -> ConfigStore:
        """Uncached: what was set before work began holds for it."""
        return DatabaseConfigs(self.storage)

    def runner(self) -> TaskRunner:
        """Return what does whatever is due of a user's log, or of an organisation itself."""
        settings = self.settings
        policy = TaskPolicy(
            retry=RetryPolicy(attempts=settings.learn_attempts, base_seconds=settings.retry_base_seconds),
            quiet_seconds=settings.quiet_seconds,
            lease_seconds=settings.lease_seconds,
            evaluation_delay_seconds=settings.evaluation_delay_seconds,
            expired_seconds=settings.expired_days * _DAY_SECONDS,
            interaction_limit=settings.interaction_limit,
            waiting_count=settings.learn_concurrency,
        )
        parts = TaskParts(
            self.storage, self.embedder, self.configs, self.models, policy, self.clock, self.ids
        )
        return TaskRunner(parts, open_tasks(parts))
