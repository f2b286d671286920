"""Run the strategies; one that fails or is late is named, and the others answer."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from sagacity.domain.errors import ProviderError, StorageError
from sagacity.domain.query import StrategyName, Trace
from sagacity.observability.tracing import span
from sagacity.retrieval.strategies import STRATEGIES
from sagacity.retrieval.strategies.base import StrategyInput, StrategyResult
from sagacity.storage.transaction import Transaction

Result = TypeVar("Result")


class Answers:
    """Collects the strategies' answers, and the reasons of those that failed."""

    def __init__(self, names: Sequence[StrategyName], seconds: float) -> None:
        """
        Begin with nothing.

        Args:
            names: the strategies to run.
            seconds: the time limit of each.
        """
        self.findings: dict[StrategyName, StrategyResult] = {}
        self._names = tuple(names)
        self._seconds = seconds
        self._failures: dict[StrategyName, Exception] = {}
        self._milliseconds: dict[StrategyName, float] = {}

    def waiting(self, names: Sequence[StrategyName]) -> list[StrategyName]:
        """Return those of *names* that are requested and have neither answered nor failed."""
        over = self.findings.keys() | self._failures.keys()
        return [name for name in names if name in self._names and name not in over]

    async def ask(self, names: Sequence[StrategyName], snapshot: Transaction, ask: StrategyInput) -> None:
        """Run those of *names* that are waiting, one after the other."""
        for name in self.waiting(names):
            started = time.perf_counter()
            with span(f"search by {name}") as recorded:
                finding = await STRATEGIES[name](snapshot, ask)
                recorded.note({"sagacity.hits": len(finding.hits)})
            self._took(name, started)
            self.findings[name] = finding

    async def prepare(self, name: StrategyName, making: Awaitable[Result]) -> Result | None:
        """Return what a strategy needs beforehand; None if that fails, and the strategy with it."""
        started = time.perf_counter()
        try:
            with span(f"prepare search by {name}"):
                async with asyncio.timeout(self._seconds):
                    return await making
        except ProviderError as error:
            self._failures[name] = error
        except TimeoutError:
            self._failures[name] = self._late()
        finally:
            self._took(name, started)
        return None

    async def without_those_that_fail(
        self, names: Sequence[StrategyName], work: Callable[[], Awaitable[Result]]
    ) -> Result:
        """
        Return the result of *work*, which runs *names* by `ask` and continues.

        A failure spoils the transaction it happens in, so the work is done again, without the strategy that failed.

        Raises:
            StorageError: the work failed after all of *names* had been run.
        """
        until = asyncio.get_running_loop().time() + self._seconds
        while True:
            limit = until if self.waiting(names) else None
            try:
                async with asyncio.timeout_at(limit):
                    return await work()
            except TimeoutError:
                if limit is None:
                    raise
                self._failures |= dict.fromkeys(self.waiting(names), self._late())
            except (StorageError, ProviderError) as error:
                waiting = self.waiting(names)
                if not waiting:
                    raise
                self._failures[waiting[0]] = error

    def trace(self) -> Trace:
        """
        Return the trace: durations and results of the strategies, and those that failed.

        Raises:
            StorageError: no strategy answered, because of the database.
        """
        trace = Trace()
        for name in self._names:
            finding = self.findings.get(name)
            if finding is None:
                trace = trace.failed_with(str(name), str(self._failures[name]))
                continue
            trace = trace.answered(str(name), self._milliseconds[name], len(finding.hits))
            if finding.note:
                trace = trace.failed_with("vector store", finding.note)
        if not self.findings:
            for failure in self._failures.values():
                if isinstance(failure, StorageError):
                    raise failure
        return trace

    def _took(self, name: StrategyName, started: float) -> None:
        spent = (time.perf_counter() - started) * 1000
        self._milliseconds[name] = self._milliseconds.get(name, 0.0) + spent

    def _late(self) -> TimeoutError:
        return TimeoutError(f"no answer within {self._seconds:g} s")
