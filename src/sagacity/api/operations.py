"""Long runs that someone started: how they stand, the list of them, cancelling."""

from typing import Annotated

from fastapi import APIRouter, Query

from sagacity.api.dependencies import Runs
from sagacity.api.parameters import MaxRows, OnlyService
from sagacity.api.rates import Rate, limited
from sagacity.api.route import Route
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput
from sagacity.domain.operation import ItemStatus, Operation, OperationName, OperationStatus
from sagacity.domain.views.operation import OperationView, operation_view
from sagacity.schemas.base import Id
from sagacity.schemas.operations import (
    CancelOperationBody,
    OperationsCancelled,
    OperationsPage,
    OperationStatusReply,
    ServiceName,
)
from sagacity.storage.transaction import Transaction

router = APIRouter(tags=["operations"], route_class=Route)
NAMED_USERS = 1_000
"""How many of a run's users are named; all are counted."""
_ENDED = {
    OperationStatus.COMPLETED: "was completed",
    OperationStatus.FAILED: "failed",
    OperationStatus.CANCELLED: "was cancelled",
}


@router.get("/get_operation_status", response_model_exclude_none=True)
async def get_operation_status(
    caller: Runs,
    service_name: Annotated[
        ServiceName, Query(description="Return the newest run of this service. Used without `operation_id`.")
    ] = OperationName.PROFILE_GENERATION,
    operation_id: Annotated[Id | None, Query(description="The run.")] = None,
) -> OperationStatusReply:
    """
    Return the progress of a run: how many users are done, what was read and written, and for whom it failed.

    Without an `operation_id`, it is the newest run of a service; if that never ran, `success` is false.
    """
    if operation_id is not None and "\x00" in operation_id:
        raise InvalidInput("text must not contain NUL characters")
    async with caller.read() as snapshot:
        if operation_id is not None:
            found = await snapshot.operations.get(operation_id)
        else:
            found = await snapshot.operations.latest(service_name)
        if found is None:
            return OperationStatusReply(success=False, msg=f"{service_name} has never run")
        view = await view_of(snapshot, found)
    return OperationStatusReply(operation_status=view, msg=progress_of(found))


async def view_of(snapshot: Transaction, operation: Operation) -> OperationView:
    """Return how a run stands, with as many of its users as are named."""
    number = operation.operation_id
    done = await snapshot.operations.items(number, statuses=[ItemStatus.DONE], limit=NAMED_USERS)
    failed = await snapshot.operations.items(number, statuses=[ItemStatus.FAILED], limit=NAMED_USERS)
    if not operation.goes_on:
        return operation_view(operation, done=done, failed=failed)
    current = await snapshot.operations.current_user(number)
    trouble = await snapshot.operations.trouble(number)
    return operation_view(operation, current_user_id=current, done=done, failed=failed, trouble=trouble)


def progress_of(operation: Operation) -> str:
    """Return how a run stands, in a line."""
    state = f"{operation.name} is {_state(operation.status)}"
    if not operation.name.is_of_users:
        steps = f"{operation.step_count} of {counted(operation.step_total, 'cluster')}"
        return f"{state}: {steps} looked at" if operation.step_total else state
    parts = [
        f"{operation.processed_count} of {counted(operation.total_count, 'user')}",
        f"{counted(operation.turn_count, 'turn')} read",
        f"{operation.generated_count} generated",
    ]
    if operation.failed_count:
        parts.append(f"{counted(operation.failed_count, 'user')} failed")
    note = f"; {operation.result['note']}" if "note" in operation.result else ""
    return f"{state}: {', '.join(parts)}{note}"


def _state(status: OperationStatus) -> str:
    return str(status).replace("_", " ")


@router.get("/operations", response_model_exclude_none=True)
async def get_operations(
    caller: Runs,
    service_name: OnlyService = None,
    status: Annotated[
        OperationStatus | None, Query(description="Only operations in this state. Default: any state.")
    ] = None,
    limit: MaxRows = 100,
) -> OperationsPage:
    """Return runs, newest first, without their users."""
    async with caller.read() as snapshot:
        found = await snapshot.operations.list_newest(
            name=service_name, statuses=() if status is None else (status,), limit=limit
        )
    return OperationsPage(
        operations=tuple(operation_view(one) for one in found), msg=counted(len(found), "operation")
    )


@router.post("/cancel_operation", response_model_exclude_none=True)
@limited(Rate.RUN)
async def cancel_operation(body: CancelOperationBody, caller: Runs) -> OperationsCancelled:
    """
    Cancel one run, those of a service, or all that are running.

    Users not yet started are skipped; work on a user stops between two windows, and an aggregation or skill generation
    before its next cluster. What was written stays. If the run has already ended, the message says when and how.
    """

    async def cancel() -> tuple[list[Operation], Operation | None]:
        async with caller.begin() as transaction:
            named, service = body.operation_id, body.service_name
            stopped = await transaction.operations.cancel(operation_id=named, name=service)
            if named is not None:
                return stopped, await transaction.operations.get(named)
            return stopped, None if service is None else await transaction.operations.latest(service)

    cancelled, asked_for = await caller.runtime.storage.retry(cancel)
    caller.runtime.dispatcher.poll_now()
    names = tuple(dict.fromkeys(one.name for one in cancelled))
    return OperationsCancelled(
        cancelled_services=names,
        operation_ids=tuple(one.operation_id for one in cancelled),
        msg=f"told {', '.join(names)} to stop" if cancelled else _nothing_to_stop(asked_for),
    )


def _nothing_to_stop(ended: Operation | None) -> str:
    """Return why nothing was cancelled: what was asked for has ended, or there was never one."""
    if ended is None or ended.finished_at is None:
        return "nothing is running that could be cancelled"
    return (
        f"{ended.name} {ended.operation_id} is not running any more: it {_ENDED[ended.status]} at "
        f"{ended.finished_at:%Y-%m-%d %H:%M:%S} UTC"
    )
