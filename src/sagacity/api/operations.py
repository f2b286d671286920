"""Long runs that someone started: how they stand, the list of them, cancelling."""

from typing import Annotated

from fastapi import APIRouter, Query

from sagacity.api.dependencies import CallerDep
from sagacity.domain.errors import InvalidInput
from sagacity.domain.operation import ItemStatus, Operation, OperationName, OperationStatus
from sagacity.domain.views.operation import OperationView, operation_view
from sagacity.schemas.base import Id, Limit
from sagacity.schemas.operations import (
    CancelOperationBody,
    OperationsCancelled,
    OperationsPage,
    OperationStatusReply,
    ServiceName,
)
from sagacity.storage.transaction import Transaction

router = APIRouter(tags=["operations"])
NAMED_USERS = 1_000
"""How many of a run's users are named; all are counted."""


@router.get("/get_operation_status", response_model_exclude_none=True)
async def get_operation_status(
    caller: CallerDep,
    service_name: Annotated[
        ServiceName, Query(description="The newest run of it, if no operation is named.")
    ] = OperationName.PROFILE_GENERATION,
    operation_id: Annotated[Id | None, Query(description="One run.")] = None,
) -> OperationStatusReply:
    """
    Say how a run stands: how many users are done, what was read and written, whose part failed.

    Without an `operation_id` it is the newest run of a service; where that never ran, `success` is false.
    """
    if operation_id is not None and "\x00" in operation_id:
        raise InvalidInput("text must not hold NUL characters")
    async with caller.read() as snapshot:
        if operation_id is not None:
            found = await snapshot.operations.get(operation_id)
        else:
            found = await snapshot.operations.latest(service_name)
        if found is None:
            return OperationStatusReply(success=False, msg=f"{service_name} never ran")
        view = await standing_of(snapshot, found)
    return OperationStatusReply(operation_status=view, msg=told(found))


async def standing_of(snapshot: Transaction, operation: Operation) -> OperationView:
    """Return how a run stands, with as many of its users as are named."""
    number = operation.operation_id
    done = await snapshot.operations.items(number, statuses=[ItemStatus.DONE], limit=NAMED_USERS)
    failed = await snapshot.operations.items(number, statuses=[ItemStatus.FAILED], limit=NAMED_USERS)
    current = None
    if operation.status is OperationStatus.IN_PROGRESS:
        current = await snapshot.operations.current_user(number)
    return operation_view(operation, current_user_id=current, done=done, failed=failed)


def told(operation: Operation) -> str:
    """Return how a run stands, in a line."""
    state = str(operation.status).replace("_", " ")
    told = (
        f"{operation.name} is {state}: {operation.processed_count} of {operation.total_count} users, "
        f"{operation.turn_count} turns read, {operation.generated_count} generated"
    )
    return f"{told}, {operation.failed_count} users failed" if operation.failed_count else told


@router.get("/operations", response_model_exclude_none=True)
async def get_operations(
    caller: CallerDep,
    service_name: Annotated[ServiceName | None, Query()] = None,
    status: Annotated[OperationStatus | None, Query()] = None,
    limit: Annotated[Limit, Query()] = 100,
) -> OperationsPage:
    """Return runs, newest first, without the names of their users."""
    async with caller.read() as snapshot:
        found = await snapshot.operations.list_newest(
            name=service_name, statuses=() if status is None else (status,), limit=limit
        )
    return OperationsPage(
        operations=tuple(operation_view(one) for one in found), msg=f"{len(found)} operations"
    )


@router.post("/cancel_operation", response_model_exclude_none=True)
async def cancel_operation(body: CancelOperationBody, caller: CallerDep) -> OperationsCancelled:
    """
    Tell a run to stop, or those of a service, or all that are running.

    Users that nobody has begun with are left out at once; work on one stops between two windows. What was written
    stays.
    """

    async def cancel() -> list[Operation]:
        async with caller.begin() as transaction:
            return await transaction.operations.cancel(operation_id=body.operation_id, name=body.service_name)

    cancelled = await caller.runtime.storage.again(cancel)
    caller.runtime.dispatcher.look()
    names = tuple(dict.fromkeys(one.name for one in cancelled))
    return OperationsCancelled(
        cancelled_services=names,
        operation_ids=tuple(one.operation_id for one in cancelled),
        msg=f"told {', '.join(names)} to stop" if cancelled else "nothing is running that could be cancelled",
    )
