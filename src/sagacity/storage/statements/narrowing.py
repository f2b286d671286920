"""Narrow statements on their way to the database; a repeated statement is narrowed once."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar
from weakref import WeakSet

import sqlalchemy as sa

MOST_KEPT = 256
"""Statements that are built once and used by every call; there are some dozens."""
Narrowed = TypeVar("Narrowed")


def narrowed_once(narrow: Callable[[sa.Executable], Narrowed]) -> Callable[[sa.Executable], Narrowed]:
    """
    Return what does as *narrow*, and keeps what it made of statements that come again.

    To narrow a statement of a search takes some 16 ms, and those are the same objects each time. What is built for one
    call is not kept: there is no use for it, and it may hold what somebody said.
    """
    met: WeakSet[Any] = WeakSet()
    kept = lru_cache(maxsize=MOST_KEPT)(narrow)

    def once(statement: sa.Executable) -> Narrowed:
        if statement in met:
            return kept(statement)
        met.add(statement)
        return narrow(statement)

    return once
