# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Long runs that someone started: how they stand, and cancelling."""

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.client.words import OperationNameWord, OperationStatusWord
from sagacity.schemas.operations import (
    CancelOperationBody,
    OperationsCancelled,
    OperationsPage,
    OperationStatusReply,
)


def get_operation_status(
    connection: Connection,
    *,
    service_name: OperationNameWord | None = None,
    operation_id: str | None = None,
) -> OperationStatusReply:
    """
    Say how a run stands: how many users are done, what was read and written, whose part failed.

    Without an `operation_id` it is the newest run of a service; where that never ran, `success` is false.

    Args:
        connection: to the server.
        service_name: the newest run of it, if no operation is named; by default profile_generation.
        operation_id: one run.
    """
    params = {"service_name": service_name, "operation_id": operation_id}
    return connection.get("/api/get_operation_status", OperationStatusReply, params=params)


def get_operations(
    connection: Connection,
    *,
    service_name: OperationNameWord | None = None,
    status: OperationStatusWord | None = None,
    limit: int = 100,
) -> OperationsPage:
    """Return runs, newest first, without the names of their users."""
    params = {"service_name": service_name, "status": status, "limit": limit}
    return connection.get("/api/operations", OperationsPage, params=params)


def cancel_operation(
    connection: Connection,
    *,
    service_name: OperationNameWord | None = None,
    operation_id: str | None = None,
) -> OperationsCancelled:
    """
    Tell a run to stop, or those of a service, or all that are running.

    Users that nobody has begun with are left out at once; work on one stops between two windows, and an
    aggregation or a generation of skills before its next cluster. What was written stays. Of one that has ended
    the message says when and how.
    """
    body = checked(CancelOperationBody, {"service_name": service_name, "operation_id": operation_id})
    return connection.send("POST", "/api/cancel_operation", OperationsCancelled, body=body)
