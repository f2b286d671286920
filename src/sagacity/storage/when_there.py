"""Wait for a database that is down when a process starts."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TypeVar

import structlog

from sagacity.domain.errors import StorageUnavailable

_AGAIN_SECONDS = 1.0
Opened = TypeVar("Opened")
_log = structlog.get_logger(__name__)


@asynccontextmanager
async def when_there(
    open_it: Callable[[], AbstractAsyncContextManager[Opened]],
    waits: Callable[[str], None],
    *,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncGenerator[Opened]:
    """
    Open something for the block; while the database is down, retry every second.

    Args:
        open_it: opens it; called for each attempt.
        waits: called with the reason for the outage, first and whenever it changes.
        pause: waits between two attempts.
    """
    known = ""
    async with AsyncExitStack() as stack:
        while True:
            try:
                opened = await stack.enter_async_context(open_it())
                break
            except StorageUnavailable as error:
                reason = str(error)
            if reason != known:
                _log.warning("database.waited_for", reason=reason)
                waits(reason)
                known = reason
            await pause(_AGAIN_SECONDS)
        if known:
            _log.info("database.reached")
        yield opened
