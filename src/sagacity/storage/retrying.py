"""Retry work on the database that failed because of concurrent transactions."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from sagacity.domain.errors import StorageUnavailable

_ATTEMPTS = 3
_PAUSES = wait_exponential_jitter(multiplier=0.05, exp_base=6, jitter=0.05)
"""About 0.05 and 0.3 seconds: enough for a deadlock or a broken connection, but not for a failover of the database."""
Result = TypeVar("Result")


async def retried(work: Callable[[], Awaitable[Result]]) -> Result:
    """
    Run *work*, and retry it after conflicts with other transactions and after broken connections.

    Args:
        work: opens its own transactions; must be idempotent.

    Raises:
        StorageUnavailable: it failed three times.
    """
    policy = AsyncRetrying(
        retry=retry_if_exception_type(StorageUnavailable),
        stop=stop_after_attempt(_ATTEMPTS),
        wait=_PAUSES,
        reraise=True,
    )

    async def once() -> Result:
        return await work()

    return await policy(once)
