"""Background loops that survive errors, and how they end."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import structlog

from sagacity.dispatch.base import Handler
from sagacity.domain.clock import Clock
from sagacity.domain.errors import StorageUnavailable
from sagacity.domain.tenant import DueScope
from sagacity.storage.transaction import Storage

_log = structlog.get_logger(__name__)
_PAUSE_AFTER_ERROR_SECONDS = 1.0
_POSTPONE_SECONDS, _UNAVAILABLE_SECONDS = 30.0, 5.0
_CANCEL_AGAIN_SECONDS = 1.0


async def for_ever(step: Callable[[], Awaitable[None]]) -> None:
    """Repeat *step* until cancelled; an error is recorded, and the next try comes a moment later."""
    while True:
        try:
            await step()
        except Exception:  # noqa: BLE001  the worker's loop: it records and goes on
            _log.exception("dispatch.loop_failed", loop=getattr(step, "__name__", "loop"))
            await asyncio.sleep(_PAUSE_AFTER_ERROR_SECONDS)


def every(seconds: float, step: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
    """Start a task that does *step* each so many *seconds* until it is cancelled, whatever becomes of one."""

    async def later() -> None:
        await asyncio.sleep(seconds)
        await step()

    return asyncio.create_task(for_ever(later))


async def handle(handler: Handler, scope: DueScope, storage: Storage, clock: Clock) -> int | None:
    """
    Do one user's due work; returns what the handler does.

    A failure that nobody foresaw is recorded, and the user waits a while: none stops the others, or fails all the time.
    Where the database could not be reached, and cannot be told so, the user stays due as before.
    """
    try:
        return await handler(scope)
    except StorageUnavailable:
        _log.warning("dispatch.database_unavailable", org_id=scope.tenant.org_id)
        wait_seconds = _UNAVAILABLE_SECONDS
    except Exception:  # noqa: BLE001  one user's failure is recorded and stops no other
        _log.exception("dispatch.handler_failed", org_id=scope.tenant.org_id)
        wait_seconds = _POSTPONE_SECONDS
    with suppress(StorageUnavailable):
        async with storage.begin(scope.tenant) as transaction:
            later = clock.now() + timedelta(seconds=wait_seconds)
            await transaction.cursors.set_due(scope.user_id, later)
    return None


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """
    Cancel *tasks*, and return when all have ended.

    One that goes on is cancelled again: `wait_for` of Python 3.11, which drivers use, can swallow a cancellation.
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        ended, left = await asyncio.wait(left, timeout=_CANCEL_AGAIN_SECONDS)
        await asyncio.gather(*ended, return_exceptions=True)


async def wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for *event*, *seconds* at the most; not by `wait_for`, which can swallow a cancellation (see `end`)."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
