"""Break off work that would never end, so that it fails its test instead of the whole run."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CPU_SECONDS = 120.0
"""Processor time of this process, thousands of times what any test takes; other programs do not use it up."""


@contextmanager
def ending() -> Iterator[None]:
    """Break off a block that never ends, even in a regular expression that backtracks; main thread only."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"no end after {CPU_SECONDS:g} seconds of the processor")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
