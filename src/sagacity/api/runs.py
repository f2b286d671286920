"""How long a call waits for the operation that it starts."""

from typing import Annotated

from fastapi import Query

from sagacity.api.dependencies import Caller

Waits = Annotated[
    bool | None,
    Query(
        description="`true`: wait for the end of the run, with a longer time limit. "
        "`false`: return as soon as it has started."
    ),
]
_SPARE_SECONDS = 2.0
"""Time between the last look at a run and the time limit of the call."""


def wait_seconds(caller: Caller, *, wait: bool | None) -> float:
    """
    Return how long a call may wait for its run; 0 if it does not wait.

    Args:
        caller: whose settings count.
        wait: as in `Waits`; None waits as long as any call may take.
    """
    if wait is False:
        return 0.0
    settings = caller.runtime.settings
    seconds = settings.wait_timeout_seconds if wait else settings.request_timeout_seconds
    return seconds - min(_SPARE_SECONDS, seconds / 5)
