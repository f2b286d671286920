"""Operations: list them, look at one, cancel one."""

from typing import Annotated

from fastapi import Query

from sagacity.api.dependencies import Runs
from sagacity.api.parameters import MaxRows, OnlyService
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.domain.amounts import counted
from sagacity.domain.operation import Operation, OperationName, OperationStatus
from sagacity.domain.views.operation import operation_view
from sagacity.memories.operations import cancel, find_operation, progress_text
from sagacity.schemas.base import Id
from sagacity.schemas.operations import (
    CancelOperationBody,
    OperationsCancelled,
    OperationsPage,
    OperationStatusReply,
    ServiceName,
)

router = resource("operations")
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
    found = await find_operation(caller.acting, operation_id=operation_id, name=service_name)
    if found is None:
        return OperationStatusReply(success=False, msg=f"{service_name} has never run")
    operation, progress = found
    return OperationStatusReply(
        operation_status=operation_view(operation, progress), msg=progress_text(operation)
    )


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
    done = await cancel(caller.acting, operation_id=body.operation_id, name=body.service_name)
    names = tuple(dict.fromkeys(one.name for one in done.operations))
    return OperationsCancelled(
        cancelled_services=names,
        operation_ids=tuple(one.operation_id for one in done.operations),
        msg=f"told {', '.join(names)} to stop" if names else _nothing_to_stop(done.ended),
    )


def _nothing_to_stop(ended: Operation | None) -> str:
    """Report that the run has ended already, or that there is none."""
    if ended is None or ended.finished_at is None:
        return "nothing is running that could be cancelled"
    return (
        f"{ended.name} {ended.operation_id} is not running any more: it {_ENDED[ended.status]} at "
        f"{ended.finished_at:%Y-%m-%d %H:%M:%S} UTC"
    )
