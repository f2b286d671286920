"""Make many values a few at a time, so that others have the event loop in between."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
_AT_ONCE: Final = 50
"""A memory takes some 50 microseconds to be read or shown."""


async def each(make: Callable[[Given], Made], values: Iterable[Given]) -> list[Made]:
    """Return the results of *make* for *values*, in order; one call must take less than a millisecond."""
    made: list[Made] = []
    for count, value in enumerate(values, 1):
        made.append(make(value))
        if not count % _AT_ONCE:
            await give_way()
    return made


async def give_way() -> None:
    """Yield to the event loop; does nothing in a thread without one."""
    if is_on_a_loop():
        await asyncio.sleep(0)


def is_on_a_loop() -> bool:
    """Whether this thread runs an event loop that others share."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
