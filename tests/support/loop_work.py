"""
Measure how long work blocks the event loop, counted in calls instead of time.

    with loop_work() as work:
        await call()
    assert work.longest < 300_000
"""

import sys
from asyncio import BaseEventLoop
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_TURN = BaseEventLoop._run_once.__code__


class LoopWork:
    """Counts the calls, of Python and of C, between two turns of the loop in this thread."""

    def __init__(self) -> None:
        self.longest = 0
        self._now = 0

    def see(self, frame: FrameType, event: str, _argument: object) -> None:
        if frame.f_code is _TURN and event == "call":
            self._now = 0
        elif event in {"call", "c_call"}:
            self._now += 1
            self.longest = max(self.longest, self._now)


@contextmanager
def loop_work() -> Iterator[LoopWork]:
    work = LoopWork()
    sys.setprofile(work.see)
    try:
        yield work
    finally:
        sys.setprofile(None)
