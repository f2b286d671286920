"""Make many values a few at a time, so that others have the event loop in between."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
_AT_ONCE: Final = 50
"""A memory takes some 50 microseconds to be read or shown."""


async def each(make: Callable[[Given], Made], values: Iterable[Given]) -> list[Made]:
    """Return what *make* makes of each of *values*, in their order; it takes less than a millisecond for one."""
    made: list[Made] = []
    for count, value in enumerate(values, 1):
        made.append(make(value))
        if not count % _AT_ONCE:
            await give_way()
    return made


async def give_way() -> None:
    """Let others have the event loop; in a thread without one there is nobody to wait for."""
    if is_on_a_loop():
        await asyncio.sleep(0)


def is_on_a_loop() -> bool:
    """Whether this thread runs an event loop, which others wait for."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
