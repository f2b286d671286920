"""How much work something is, counted instead of timed: the same on every machine, however busy."""

import sys
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def counted(work: Callable[[], Result]) -> tuple[Result, int]:
    """Do *work*; returns what it gives, and how many functions it called, in Python and in C."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        result = work()
    finally:
        sys.setprofile(before)
    return result, calls
