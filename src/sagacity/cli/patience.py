"""Repeat calls for a limited time while the server is over its rate limit."""

import time
from collections.abc import Callable
from typing import TypeVar

from sagacity.domain.errors import RateLimited

T = TypeVar("T")
PAUSE_SECONDS = 5.0
"""Pause between two attempts if the server does not say how long to wait."""
LONGEST_SECONDS = 300.0
"""What one call may wait in all: a limit is one of calls a minute, so whoever waits longer waits for something else."""


def patient(
    call: Callable[[], T], waits: Callable[[float], None], *, sleep: Callable[[float], None] = time.sleep
) -> T:
    """
    Return the result of *call*, as soon as the server accepts it.

    Args:
        call: what is sent.
        waits: called with the seconds before each wait.
        sleep: waits.

    Raises:
        RateLimited: the server did not accept it within five minutes, or asks for a wait beyond that.
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
