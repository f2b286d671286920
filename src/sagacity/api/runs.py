"""Long runs that a call starts, and waits for if it is told to."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Query

from sagacity.api.dependencies import Caller
from sagacity.domain.operation import TENANT_SCOPE, Operation, OperationName, OperationParameters

Waits = Annotated[
    bool | None,
    Query(
        description="`true`: wait for the end of the run, with a longer time limit. "
        "`false`: return as soon as it has started."
    ),
]
_SHORTEST_SECONDS, _LONGEST_SECONDS = 0.05, 1.0
_SPARE_SECONDS = 2.0
"""Between the last look at a run and the end of the call's time."""


async def run(
    caller: Caller, start: Callable[[], Awaitable[Operation]], *, patient: bool, wait: bool
) -> Operation:
    """
    Start a run, and look at it until it ended or the call's time is over.

    Args:
        caller: whose.
        start: starts it, in a transaction of its own.
        patient: whether the call may take as long as one that waits for learning.
        wait: whether it is looked at at all.

    Returns:
        The run as it stands; it goes on if it has not ended.

    Raises:
        Conflict: one of that name is running.
    """
    settings = caller.runtime.settings
    seconds = settings.wait_timeout_seconds if patient else settings.request_timeout_seconds
    deadline = time.monotonic() + seconds - min(_SPARE_SECONDS, seconds / 5)
    operation = await caller.runtime.storage.retry(start)
    caller.runtime.dispatcher.look()
    pause_seconds = _SHORTEST_SECONDS
    while wait and operation.goes_on and time.monotonic() + pause_seconds < deadline:
        await asyncio.sleep(pause_seconds)
        pause_seconds = min(pause_seconds * 1.5, _LONGEST_SECONDS)
        async with caller.read() as snapshot:
            operation = await snapshot.operations.get(operation.operation_id)
    return operation


async def run_for_tenant(
    caller: Caller,
    name: OperationName,
    parameters: OperationParameters,
    *,
    patient: bool,
    wait: bool = True,
) -> Operation:
    """
    Do `run` for what is the tenant's own: aggregation, skills.

    Raises:
        Conflict: one of that name is running.
    """

    async def start() -> Operation:
        async with caller.begin() as transaction:
            return await transaction.operations.start(name, parameters, users=[TENANT_SCOPE])

    return await run(caller, start, patient=patient, wait=wait)
