"""Repeat calls for a limited time while the server is over its rate limit."""

import time
from collections.abc import Callable
from typing import TypeVar

from sagacity.domain.errors import RateLimited

T = TypeVar("T")
PAUSE_SECONDS = 5.0
"""Between two tries, where the server does not say how long to wait."""
LONGEST_SECONDS = 300.0
"""What one call may wait in all: a limit is one of calls a minute, so whoever waits longer waits for something else."""


def patient(
    call: Callable[[], T], waits: Callable[[float], None], *, sleep: Callable[[float], None] = time.sleep
) -> T:
    """
    Return what *call* does, as soon as the server takes it.

    Args:
        call: what is sent.
        waits: told before each wait, for how many seconds.
        sleep: waits.

    Raises:
        RateLimited: the server did not take it in five minutes, or asks to wait for longer than is left of them.
    """
    left = LONGEST_SECONDS
    while True:
        try:
            return call()
        except RateLimited as error:
            seconds = max(error.retry_after_seconds or PAUSE_SECONDS, 1.0)
            if seconds > left:
                raise RateLimited(
                    "the rate limit is reached: run the same command again later, and it continues from here",
                    retry_after_seconds=error.retry_after_seconds,
                ) from error
        left -= seconds
        waits(seconds)
        sleep(seconds)
