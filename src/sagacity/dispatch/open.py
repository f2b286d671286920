"""Open the queue that processes share, and its workers. ARQ is imported only here, when it is needed."""

from typing import TYPE_CHECKING

from sagacity.dispatch.base import Dispatcher, Handler
from sagacity.domain.clock import Clock
from sagacity.domain.errors import ConfigError
from sagacity.domain.ids import IdSource
from sagacity.storage.transaction import Storage

if TYPE_CHECKING:
    from sagacity.dispatch.arq.queue import JobQueue
    from sagacity.dispatch.arq.worker import ArqWorker, IndexHandler


def open_queue(redis_url: str, *, tenant_concurrency: int, lease_seconds: float) -> "JobQueue":
    """
    Return the queue on the server at *redis_url*; nothing connects before first use.

    Args:
        redis_url: `redis://HOST:PORT/0`, `rediss://…`, or `unix:///PATH`.
        tenant_concurrency: how many jobs of one organisation may wait or run at a time.
        lease_seconds: how long a worker that is silent keeps its job.

    Raises:
        ConfigError: the URL is missing or malformed, or the packages are not installed.
    """
    if not redis_url:
        raise ConfigError(
            "setting SAGACITY_REDIS_URL: workers get their work through Redis or Valkey; write it like "
            "redis://localhost:6379/0. Without it `sagacity serve` does all work itself and needs no worker."
        )
    try:
        from sagacity.dispatch.arq.queue import JobQueue  # noqa: PLC0415  it needs packages of an extra
    except ModuleNotFoundError as error:
        raise ConfigError(
            "setting SAGACITY_REDIS_URL needs more packages: uv pip install -e '.[redis]' in the checkout"
        ) from error
    return JobQueue(redis_url, tenant_concurrency=tenant_concurrency, lease_seconds=lease_seconds)


def open_wakeups(queue: "JobQueue") -> Dispatcher:
    """Return the dispatcher of a process that leaves background work to workers."""
    from sagacity.dispatch.arq.wakeups import ArqWakeups  # noqa: PLC0415  as above

    return ArqWakeups(queue)


def open_worker(
    queue: "JobQueue",
    storage: Storage,
    learn: Handler,
    index: "IndexHandler",
    *,
    clock: Clock,
    ids: IdSource,
    concurrency: int,
    sweep_seconds: float,
) -> "ArqWorker":
    """Return a worker that is not started yet."""
    from sagacity.dispatch.arq.worker import ArqWorker  # noqa: PLC0415  as above

    return ArqWorker(
        storage,
        queue,
        learn,
        index,
        clock=clock,
        ids=ids,
        concurrency=concurrency,
        sweep_seconds=sweep_seconds,
    )
