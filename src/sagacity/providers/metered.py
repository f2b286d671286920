"""What a model call cost, told to whoever wants to keep it; nothing is written here."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.errors import ProviderError
from sagacity.providers.base import TokenUsage


class Operation(StrEnum):
    """Which of the calls of `LLM` it was."""

    COMPLETE = "complete"
    STRUCTURED = "structured"
    STREAM = "stream"


class ModelCall(Value):
    """One call as its caller sees it, tries that failed included."""

    model: str
    operation: Operation
    usage: TokenUsage
    duration_seconds: float
    error_kind: str | None = None
    """The name of the error that it ended with."""


OnUsage = Callable[[ModelCall], None]
"""Called once a call, also when it failed. It must be quick and may not raise."""


def ignore_usage(_call: ModelCall) -> None:
    """Keep nothing."""


class Meter:
    """Adds up the tokens of one call."""

    def __init__(self) -> None:
        self.usage = TokenUsage()

    def add(self, usage: TokenUsage) -> None:
        """Count the tokens of one answer."""
        self.usage += usage


@contextmanager
def metered(
    model: str, operation: Operation, on_usage: OnUsage, *, timer: Callable[[], float] = time.perf_counter
) -> Generator[Meter]:
    """
    Measure the block as one call, and report it at its end, however that comes.

    Args:
        model: the name that is reported.
        operation: which call it is.
        on_usage: who is told.
        timer: seconds that only grow.
    """
    meter, started, error_kind = Meter(), timer(), None
    try:
        yield meter
    except ProviderError as error:
        error_kind = type(error).__name__
        raise
    finally:
        on_usage(
            ModelCall(
                model=model,
                operation=operation,
                usage=meter.usage,
                duration_seconds=timer() - started,
                error_kind=error_kind,
            )
        )
