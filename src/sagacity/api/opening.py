"""Open what the server runs on: before it answers calls or, if the database is down, as soon as that is back."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from sagacity.bootstrap import Runtime, open_runtime
from sagacity.config.settings import Settings
from sagacity.dispatch.loops import end
from sagacity.domain.clock import Clock
from sagacity.storage.when_there import when_there


class Watcher(Protocol):
    """The interface of an observer, which may veto."""

    async def accept(self, runtime: Runtime) -> None:
        """Called with *runtime* before the first call is answered; an exception stops the server."""
        ...

    def waits(self, reason: str) -> None:
        """Called when the database is down, once for each new *reason*."""
        ...

    def opened(self) -> None:
        """Called when calls are answered."""
        ...

    def failed(self, error: Exception) -> None:
        """Called when the server listens but cannot open its runtime."""
        ...


class Unwatched:
    """Accepts everything and ignores all events."""

    async def accept(self, runtime: Runtime) -> None:
        """Accept it."""

    def waits(self, reason: str) -> None:
        """Take no notice."""

    def opened(self) -> None:
        """Take no notice."""

    def failed(self, error: Exception) -> None:
        """Take no notice."""


@asynccontextmanager
async def opening(
    settings: Settings, watcher: Watcher, hold: Callable[[Runtime], None], *, clock: Clock
) -> AsyncGenerator[None]:
    """
    Open a runtime and give it to *hold*; close it at the end of the block.

    The block begins when it is open. If a database that a server keeps is away, it begins at once, and the runtime is
    opened during it.

    Raises:
        SagacityError: it cannot be opened; once the block has begun, *watcher* is told instead.
    """
    if settings.is_sqlite:
        async with open_runtime(settings, clock=clock) as runtime:
            await watcher.accept(runtime)
            hold(runtime)
            watcher.opened()
            yield
        return
    begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    ending, is_open = asyncio.Event(), False

    def waits(reason: str) -> None:
        watcher.waits(reason)
        if not begun.done():
            begun.set_result(None)

    async def run() -> None:
        nonlocal is_open
        try:
            async with when_there(lambda: open_runtime(settings, clock=clock), waits) as runtime:
                await watcher.accept(runtime)
                hold(runtime)
                is_open = True
                watcher.opened()
                if not begun.done():
                    begun.set_result(None)
                await ending.wait()
        except Exception as error:  # noqa: BLE001  nobody awaits this task before the end: it is told of here
            if begun.done():
                watcher.failed(error)
            else:
                begun.set_exception(error)

    running = asyncio.create_task(run())
    try:
        await begun
        yield
    finally:
        ending.set()
        await (asyncio.wait([running]) if is_open else end([running]))
