"""Long runs that someone started: how they stand, waited for, cancelled."""

import time
from collections.abc import Callable

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.errors import WaitedTooLong
from sagacity.client.retry import async_pause
from sagacity.client.wire import checked
from sagacity.client.words import OperationStatusWord, ServiceWord
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.operations import (
    CancelOperationBody,
    OperationsCancelled,
    OperationsPage,
    OperationStatusReply,
)

_SHORTEST_SECONDS, _LONGEST_SECONDS = 0.1, 1.0


async def get_operation_status(
    connection: AsyncConnection,
    *,
    service_name: ServiceWord | None = None,
    operation_id: str | None = None,
) -> OperationStatusReply:
    """Return how one run stands, or the newest one of a service; `success` is false if it never ran."""
    params = {"service_name": service_name, "operation_id": operation_id}
    return await connection.get("/api/get_operation_status", OperationStatusReply, params=params)


async def get_operations(
    connection: AsyncConnection,
    *,
    service_name: ServiceWord | None = None,
    status: OperationStatusWord | None = None,
    limit: int = 100,
) -> OperationsPage:
    """Return runs, newest first."""
    params = {"service_name": service_name, "status": status, "limit": limit}
    return await connection.get("/api/operations", OperationsPage, params=params)


async def cancel_operation(
    connection: AsyncConnection,
    *,
    service_name: ServiceWord | None = None,
    operation_id: str | None = None,
) -> OperationsCancelled:
    """Tell a run to stop, or all that are running; what they have written stays."""
    body = checked(CancelOperationBody, {"service_name": service_name, "operation_id": operation_id})
    return await connection.send("POST", "/api/cancel_operation", OperationsCancelled, body=body)


async def wait_for_operation(
    connection: AsyncConnection,
    operation_id: str,
    *,
    timeout_seconds: float | None = None,
    on_progress: Callable[[OperationView], None] | None = None,
) -> OperationView:
    """
    Wait until one run has ended, however it ended.

    Args:
        connection: to the server.
        operation_id: of the run.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how it stands each time that is asked for, the last one too.

    Raises:
        WaitedTooLong: it has not ended in time; it goes on.
    """
    deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
    wait = _SHORTEST_SECONDS
    while True:
        standing = (await get_operation_status(connection, operation_id=operation_id)).operation_status
        if standing is not None:
            if on_progress is not None:
                on_progress(standing)
            if not standing.is_running:
                return standing
        if deadline is not None and time.monotonic() + wait > deadline:
            raise WaitedTooLong(f"operation {operation_id} goes on after {timeout_seconds:g} s")
        await async_pause(wait)
        wait = min(wait * 1.5, _LONGEST_SECONDS)
