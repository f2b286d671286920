# Generated from the API's description by scripts/sdk; change it there.
"""Long-running work: progress and cancellation."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
from sagacity.client.words.operation import OperationNameWord, OperationStatusWord
from sagacity.schemas.operations import (
    CancelOperationBody,
    OperationsCancelled,
    OperationsPage,
    OperationStatusReply,
)


async def get_operation_status(
    connection: AsyncConnection,
    *,
    service_name: OperationNameWord | None = None,
    operation_id: str | None = None,
) -> OperationStatusReply:
    """
    Return the progress of a run: how many users are done, what was read and written, and for whom it failed.

    Without an `operation_id`, it is the newest run of a service; if that never ran, `success` is false.

    Args:
        connection: to the server.
        service_name: return the newest run of this service. Used without `operation_id`; by default
            profile_generation.
        operation_id: the run.
    """
    params = {"service_name": service_name, "operation_id": operation_id}
    return await connection.get("/api/get_operation_status", OperationStatusReply, params=params)


async def get_operations(
    connection: AsyncConnection,
    *,
    service_name: OperationNameWord | None = None,
    status: OperationStatusWord | None = None,
    limit: int = 100,
) -> OperationsPage:
    """
    Return runs, newest first, without their users.

    Args:
        connection: to the server.
        service_name: only operations of this type: `profile_generation`, `playbook_generation`,
            `playbook_aggregation`, `skill_generation`, `user_erasure`. Default: all types.
        status: only operations in this state. Default: any state.
        limit: the largest number of results to return.
    """
    params = {"service_name": service_name, "status": status, "limit": limit}
    return await connection.get("/api/operations", OperationsPage, params=params)


async def cancel_operation(
    connection: AsyncConnection,
    *,
    service_name: OperationNameWord | None = None,
    operation_id: str | None = None,
) -> OperationsCancelled:
    """
    Cancel one run, those of a service, or all that are running.

    Users not yet started are skipped; work on a user stops between two windows, and an aggregation or skill
    generation before its next cluster. What was written stays. If the run has already ended, the message says
    when and how.

    Args:
        connection: to the server.
        service_name: the type of operation.
        operation_id: the run: `GET /api/get_operation_status` reports its progress.
    """
    body = checked(CancelOperationBody, {"service_name": service_name, "operation_id": operation_id})
    return await connection.send("POST", "/api/cancel_operation", OperationsCancelled, body=body)
