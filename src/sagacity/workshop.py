"""What learns is put together: learners of users' logs, and the tenant's own work."""

from dataclasses import dataclass

from sagacity.config.base import ConfigStore
from sagacity.config.database import DatabaseConfigs
from sagacity.config.settings import Settings
from sagacity.dispatch.base import Handler
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource
from sagacity.domain.operation import TENANT_SCOPE
from sagacity.domain.tenant import DueScope
from sagacity.learning.ask import ModelAccess
from sagacity.learning.distil.agent_playbooks.spec import AGENT_PLAYBOOKS
from sagacity.learning.distil.pipeline import Distiller
from sagacity.learning.distil.skills.spec import SKILLS
from sagacity.learning.evaluate.pipeline import EvaluationPolicy, Evaluator
from sagacity.learning.pipeline import Learning, LearningPolicy
from sagacity.learning.retention import Retention, RetentionPolicy
from sagacity.learning.tenant_work import TenantWork
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

    @property
    def retry(self) -> RetryPolicy:
        """How patiently what failed is tried again."""
        return RetryPolicy(
            attempts=self.settings.learn_attempts, base_seconds=self.settings.retry_base_seconds
        )

    def learning(self) -> Learning:
        """Return what learns users' logs."""
        policy = LearningPolicy(
            retry=self.retry,
            quiet_seconds=self.settings.quiet_seconds,
            lease_seconds=self.settings.lease_seconds,
            waiting_count=self.settings.learn_concurrency,
        )
        evaluator = Evaluator(
            self.storage,
            self.configs,
            self.models,
            EvaluationPolicy(retry=self.retry, delay_seconds=self.settings.evaluation_delay_seconds),
            clock=self.clock,
        )
        return Learning(
            self.storage,
            self.embedder,
            self.configs,
            self.models,
            policy,
            evaluator=evaluator,
            clock=self.clock,
            ids=self.ids,
        )

    def retention(self) -> Retention:
        """Return what cleans up."""
        policy = RetentionPolicy(
            interaction_limit=self.settings.interaction_limit,
            expired_seconds=self.settings.expired_days * _DAY_SECONDS,
        )
        return Retention(self.storage, self.configs, policy, clock=self.clock)

    def tenant_work(self, retention: Retention) -> TenantWork:
        """Return what aggregates playbooks, writes skills and cleans up."""
        parts = (self.storage, self.embedder, self.configs, self.models)
        return TenantWork(
            self.storage,
            Distiller(AGENT_PLAYBOOKS, *parts, clock=self.clock, ids=self.ids),
            Distiller(SKILLS, *parts, clock=self.clock, ids=self.ids),
            retention,
            self.retry,
            lease_seconds=self.settings.lease_seconds,
            clock=self.clock,
            ids=self.ids,
        )

    def handler(self, learning: Learning) -> Handler:
        """Return what does whatever is due of one scope: of a user's log, or of the tenant itself."""
        retention = self.retention()
        tenant_work = self.tenant_work(retention)

        async def handle(scope: DueScope) -> object:
            if scope.user_id == TENANT_SCOPE:
                return await tenant_work.run(scope.tenant)
            report = await learning.run(scope.tenant, scope.user_id)
            await retention.plan(scope.tenant)
            return report

        return handle
