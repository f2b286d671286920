"""Background loops that survive errors, and the services that run them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from typing import Any, Protocol

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
    """Repeat *step* until cancelled; an error is logged, and the next step comes a second later."""
    while True:
        try:
            await step()
        except Exception:  # noqa: BLE001  no error may end a background loop
            _log.exception("dispatch.loop_failed", loop=getattr(step, "__name__", "loop"))
            await asyncio.sleep(_PAUSE_AFTER_ERROR_SECONDS)


def every(seconds: float, step: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
    """Start a task that runs *step* every *seconds* until it is cancelled; errors do not end it."""

    async def later() -> None:
        await asyncio.sleep(seconds)
        await step()

    return asyncio.create_task(for_ever(later))


async def handle(handler: Handler, scope: DueScope, storage: Storage, clock: Clock) -> int | None:
    """
    Do the due work of one scope; returns what the handler returns, None if it failed.

    An unforeseen failure is logged and the scope is postponed, so that it neither stops the others nor fails in a tight
    loop. If the database cannot be reached to postpone it, the scope stays due.
    """
    try:
        return await handler(scope)
    except StorageUnavailable:
        _log.warning("dispatch.database_unavailable", org_id=scope.tenant.org_id)
        wait_seconds = _UNAVAILABLE_SECONDS
    except Exception:  # noqa: BLE001  a failure is recorded and stops no other user
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

    A task that keeps running is cancelled again: database drivers use `asyncio.wait_for`, which in Python 3.11 can
    swallow a cancellation.
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        ended, left = await asyncio.wait(left, timeout=_CANCEL_AGAIN_SECONDS)
        await asyncio.gather(*ended, return_exceptions=True)


async def wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for *event*, but no longer than *seconds*; `wait_for` would swallow cancellations (see `end`)."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


class Service(Protocol):
    """Something that works in the background from its start to its stop."""

    async def start(self) -> None:
        """Start."""
        ...

    async def stop(self) -> None:
        """Stop, and return when nothing of it runs any more."""
        ...


@asynccontextmanager
async def running(*services: Service) -> AsyncGenerator[None]:
    """Run services during the block. They stop in reverse order, even if one of them fails to start or stop."""
    async with AsyncExitStack() as stack:
        for service in services:
            await service.start()
            stack.push_async_callback(service.stop)
        yield
