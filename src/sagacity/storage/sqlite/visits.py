"""Run a whole transaction in one visit to a thread, where none of its awaits suspend, and the event loop stays free."""

import asyncio
import contextvars
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from sagacity.domain.errors import StorageUnavailable
from sagacity.storage.sqlite.driver import OneHopConnection
from sagacity.storage.statements.prepared import driver_of

BEGIN_TO_WRITE = "BEGIN IMMEDIATE"
BUSY_SECONDS = 15.0
"""How long to wait for another process that writes."""
_LOOK_SECONDS = 0.05
"""Interval of attempts to interrupt a transaction: one between two statements has no effect."""
_TURN_SECONDS = 0.05
"""How long a transaction has the processor to itself before others run in parallel. Most take a few milliseconds,
nearly all in Python. In parallel they compete for the interpreter at every statement: eight clients got 52 and 47
searches a second, and 61 and 58 when transactions took turns."""
Result = TypeVar("Result")


class Visits:
    """Threads with one connection each, in which whole transactions run."""

    def __init__(
        self, engine: sa.Engine, async_engine: AsyncEngine, *, threads: int, writes: bool = False
    ) -> None:
        """
        Prepare threads; none is started yet.

        Args:
            engine: opens connections, one for each thread.
            async_engine: the engine of the asynchronous connections that repositories expect.
            threads: how many transactions run at a time; others wait.
            writes: whether transactions write, and are committed.
        """
        self.engine = engine
        """Opens their connections."""
        self._async_engine = async_engine
        self._writes = writes
        self._alone = threading.Lock()
        self._alone_since = 0.0
        name = "sagacity-write" if writes else "sagacity-read"
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def run(self, work: Callable[[AsyncConnection], Awaitable[Result]]) -> Result:
        """
        Run *work* in a transaction, in a thread; it must await nothing but its connection.

        If the caller is cancelled, the transaction is interrupted, and has ended when this returns.
        """
        visit = _Visit()
        submitted = self._threads.submit(contextvars.copy_context().run, self._run, work, visit)
        try:
            return await asyncio.wrap_future(submitted)
        except asyncio.CancelledError:
            if not submitted.cancel():
                ended = asyncio.wrap_future(submitted)
                while not ended.done():
                    visit.interrupt()
                    await asyncio.wait([ended], timeout=_LOOK_SECONDS)
                ended.exception()  # nobody waits for it any more
            raise

    def _run(self, work: Callable[[AsyncConnection], Awaitable[Result]], visit: "_Visit") -> Result:
        with self._turn(), self.engine.connect() as connection:
            driver = connection.connection.driver_connection
            if not isinstance(driver, sqlite3.Connection):
                raise TypeError("the engine of visits opens connections of sqlite3")
            with visit.of(driver):
                connection.begin()  # without it, `commit` would do nothing
                self._begin(driver, visit)
                result = _driven(work(_VisitConnection(self._async_engine, connection, driver, visit)))
                if self._writes:
                    connection.commit()
                return result

    @contextmanager
    def _turn(self) -> Generator[None]:
        """Wait for the processor, or share it with a transaction that takes too long."""
        left = self._alone_since + _TURN_SECONDS - time.monotonic()
        is_alone = self._alone.acquire(timeout=left) if left > 0 else self._alone.acquire(blocking=False)
        try:
            if is_alone:
                self._alone_since = time.monotonic()
            yield
        finally:
            if is_alone:
                self._alone.release()

    def _begin(self, driver: sqlite3.Connection, visit: "_Visit") -> None:
        """
        Open a transaction, and wait for another process that writes, as long as somebody waits for this transaction.

        Raises:
            OperationalError: the other process wrote for too long.
        """
        if not self._writes:
            driver.execute("BEGIN")
            return
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                driver.execute(BEGIN_TO_WRITE)
            except sqlite3.OperationalError as error:
                if not is_busy(error) or visit.is_given_up or time.monotonic() > deadline:
                    raise OperationalError(BEGIN_TO_WRITE, None, error) from error
            else:
                return

    def close(self) -> None:
        """Close every connection; no transaction may be running."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.engine.dispose()


class _Visit:
    """One transaction: its connection while it runs, and whether its caller gave it up."""

    def __init__(self) -> None:
        self.is_given_up = False
        self._driver: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    @contextmanager
    def of(self, driver: sqlite3.Connection) -> Generator[None]:
        """Allow *driver* to be interrupted during the block; afterwards another transaction uses it."""
        self._driver = driver
        try:
            yield
        finally:
            with self._lock:
                self._driver = None

    def interrupt(self) -> None:
        """Interrupt the running statement, and keep others from starting."""
        with self._lock:
            self.is_given_up = True
            if self._driver is not None:
                self._driver.interrupt()


class _VisitConnection(AsyncConnection):
    """A stand-in for an asynchronous connection: it runs everything in one thread."""

    def __init__(
        self, engine: AsyncEngine, connection: sa.Connection, driver: sqlite3.Connection, visit: _Visit
    ) -> None:
        super().__init__(engine, connection)
        self._connection = connection
        self._driver = driver
        self._visit = visit

    async def execute(self, statement: Any, parameters: Any = None, **options: Any) -> Any:
        """Run a statement."""
        if self._visit.is_given_up:
            raise StorageUnavailable("nobody waits for this any more")
        return self._connection.execute(statement, parameters, **options)

    async def exec_driver_sql(
        self, statement: str, parameters: Any = None, execution_options: Any = None
    ) -> Any:
        """Run a statement in the driver's own SQL."""
        if self._visit.is_given_up:
            raise StorageUnavailable("nobody waits for this any more")
        return self._connection.exec_driver_sql(statement, parameters, execution_options)

    def ask(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run *work* with the driver's connection."""
        if self._visit.is_given_up:
            raise StorageUnavailable("nobody waits for this any more")
        return work(self._driver)

    async def stream(self, statement: Any, parameters: Any = None, **options: Any) -> Any:  # type: ignore[override]  # without the context manager that none of us enters
        """Run a statement whose rows are read in parts."""
        return _Streamed(await self.execute(statement, parameters, **options))


class _Streamed:
    """Rows that are read in parts."""

    def __init__(self, result: sa.CursorResult[Any]) -> None:
        self._result = result

    async def partitions(self, size: int) -> AsyncIterator[Sequence[sa.Row[Any]]]:
        """Yield the rows, *size* at a time."""
        for rows in self._result.partitions(size):
            yield rows


async def asked(connection: AsyncConnection, work: Callable[[sqlite3.Connection], Result]) -> Result:
    """Run *work* with the driver of *connection*, in its thread and in its transaction."""
    if isinstance(connection, _VisitConnection):
        return connection.ask(work)
    driver = driver_of(connection)
    if not isinstance(driver, OneHopConnection):
        raise TypeError("the engine of the event loop opens connections of `driver.py`")
    return await driver.run(work)


def is_busy(error: BaseException | None) -> bool:
    """Whether another process holds the lock."""
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _driven(work: Awaitable[Result]) -> Result:
    """Run a coroutine without an event loop; it must not suspend."""
    steps = work.__await__()
    try:
        next(steps)
    except StopIteration as end:
        return end.value
    raise RuntimeError("a transaction in a thread awaited something other than its connection")
