"""Run a whole transaction in one visit to a thread, where none of its awaits suspend, and the event loop stays free."""

import asyncio
import contextvars
import sqlite3
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

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
"""How long a transaction may take until other threads run those that wait. Most take a few milliseconds."""
Result = TypeVar("Result")


class Visits:
    """
    Threads with one connection each, in which whole transactions run.

    The first thread runs them, one after the other. The other threads help while a transaction keeps it for too long.
    Nearly all of a transaction's time is Python's, so in parallel they would only compete for the interpreter: eight
    clients got 52 and 47 searches a second, and 61 and 58 when transactions took turns. And a thread that has just run
    one is quicker than one that has waited: with four threads in rotation, a search took 9.8 ms instead of 8.6.
    """

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
        self._waiting: deque[_Visit[Any]] = deque()
        self._began_at: float | None = None
        name = "sagacity-write" if writes else "sagacity-read"
        self._first = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._others = (
            ThreadPoolExecutor(threads - 1, thread_name_prefix=f"{name}-more") if threads > 1 else None
        )

    async def run(self, work: Callable[[AsyncConnection], Awaitable[Result]]) -> Result:
        """
        Run *work* in a transaction, in a thread; it must await nothing but its connection.

        If the caller is cancelled, the transaction is interrupted, and has ended when this returns.
        """
        visit = _Visit(work)
        self._waiting.append(visit)
        self._first.submit(self._run_first)
        self._help(visit)
        try:
            return await asyncio.wrap_future(visit.ended)
        except asyncio.CancelledError:
            if not visit.ended.cancel():
                ended = asyncio.wrap_future(visit.ended)
                while not ended.done():
                    visit.interrupt()
                    await asyncio.wait([ended], timeout=_LOOK_SECONDS)
                ended.exception()  # nobody waits for it any more
            raise

    def _help(self, visit: "_Visit[Any]") -> None:
        """Let another thread run what waits if the first one takes too long; look again later if it may yet do so."""
        began_at = self._began_at
        if self._others is None or visit.has_begun or (began_at is None and len(self._waiting) == 1):
            return
        left = _TURN_SECONDS if began_at is None else began_at + _TURN_SECONDS - time.monotonic()
        if left > 0:
            asyncio.get_running_loop().call_later(left, self._help, visit)
        else:
            self._others.submit(self._run_next, self._run)

    def _run_first(self) -> None:
        """Run the next transaction in the first thread, and keep the time for those that wait meanwhile."""
        self._began_at = time.monotonic()  # before it is taken: whoever finds it gone finds the time

        def run(visit: _Visit[Result]) -> Result:
            try:
                return self._run(visit)
            finally:
                self._began_at = None  # before its caller is told, who may come back at once

        self._run_next(run)
        self._began_at = None

    def _run_next(self, run: Callable[["_Visit[Any]"], Any]) -> None:
        """Let *run* run the transaction that has waited longest, unless another thread has taken the last one."""
        try:
            visit = self._waiting.popleft()
        except IndexError:
            return
        visit.run(run)

    def _run(self, visit: "_Visit[Result]") -> Result:
        with self.engine.connect() as connection:
            driver = connection.connection.driver_connection
            if not isinstance(driver, sqlite3.Connection):
                raise TypeError("the engine of visits opens connections of sqlite3")
            with visit.of(driver):
                connection.begin()  # without it, `commit` would do nothing
                self._begin(driver, visit)
                result = _driven(visit.work(_VisitConnection(self._async_engine, connection, driver, visit)))
                if self._writes:
                    connection.commit()
                return result

    def _begin(self, driver: sqlite3.Connection, visit: "_Visit[Any]") -> None:
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
        for threads in (self._first, self._others):
            if threads is not None:
                threads.shutdown(wait=False, cancel_futures=True)
        while self._waiting:
            self._waiting.popleft().ended.cancel()
        self.engine.dispose()


class _Visit(Generic[Result]):
    """One transaction: what it does, its connection while it runs, and whether its caller gave it up."""

    def __init__(self, work: Callable[[AsyncConnection], Awaitable[Result]]) -> None:
        self.work = work
        self.ended: Future[Result] = Future()
        self.is_given_up = False
        self._context = contextvars.copy_context()
        self._driver: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    @property
    def has_begun(self) -> bool:
        """Whether a thread runs it or has run it, or nobody waits for it any more."""
        return self.ended.running() or self.ended.done()

    def run(self, run: Callable[["_Visit[Result]"], Result]) -> None:
        """Let *run* run it, unless nobody waits for it any more."""
        if not self.ended.set_running_or_notify_cancel():
            return
        try:
            result = self._context.run(run, self)
        except BaseException as error:  # noqa: BLE001  its caller gets it
            self.ended.set_exception(error)
        else:
            self.ended.set_result(result)

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
        self, engine: AsyncEngine, connection: sa.Connection, driver: sqlite3.Connection, visit: _Visit[Any]
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
