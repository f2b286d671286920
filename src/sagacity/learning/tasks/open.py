"""Open the runner of background tasks as the settings configure it."""

from functools import partial

from sagacity.config.base import ConfigStore
from sagacity.config.choices import erasure_key
from sagacity.config.settings import Settings
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource
from sagacity.domain.retention import Limits
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.learning.tasks.parts import Announce, ForgetTokens, TaskParts, TaskPolicy
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.learning.tasks.table import open_tasks
from sagacity.providers.base import Embedder
from sagacity.storage.transaction import Storage
from sagacity.storage.transfer.known_backups import known_backups

_DAY_SECONDS = 86_400


def open_task_runner(
    settings: Settings,
    storage: Storage,
    embedder: Embedder,
    models: ModelGateway,
    configs: ConfigStore,
    *,
    clock: Clock,
    ids: IdSource,
    announce: Announce,
    forget_tokens: ForgetTokens,
) -> TaskRunner:
    """
    Return the runner of background tasks.

    Args:
        settings: the settings of this process.
        storage: the storage of all data.
        embedder: makes vectors.
        models: decides which chat models may be called.
        configs: the organisations' configurations.
        clock: tells what is due.
        ids: makes identifiers.
        announce: announces a change to every process.
        forget_tokens: revokes the API tokens of an erased user.
    """
    parts = TaskParts(
        *(storage, embedder, configs, models, _policy(settings), clock, ids),
        erasure_key=erasure_key(settings),
        announce=announce,
        known_backups=partial(known_backups, settings.home.expanduser(), storage.backend.file),
        forget_tokens=forget_tokens,
    )
    return TaskRunner(parts, open_tasks(parts))


def _policy(settings: Settings) -> TaskPolicy:
    return TaskPolicy(
        retry=RetryPolicy(attempts=settings.learn_attempts, base_seconds=settings.retry_base_seconds),
        quiet_seconds=settings.quiet_seconds,
        lease_seconds=settings.lease_seconds,
        evaluation_delay_seconds=settings.evaluation_delay_seconds,
        idle_seconds=settings.chat_idle_seconds,
        expired_seconds=None if settings.expired_days is None else settings.expired_days * _DAY_SECONDS,
        limits=Limits(
            days=settings.retention_days,
            rows=settings.retention_rows,
            retain_evidence=settings.retain_evidence,
        ),
        waiting_count=settings.learn_concurrency,
    )
