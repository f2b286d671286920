"""Bodies and replies of operations: list, read, cancel."""

from typing import Annotated

from pydantic import BeforeValidator

from sagacity.domain.operation import OperationName, OperationStatus
from sagacity.domain.views.operation import OperationView, goes_on
from sagacity.schemas.base import Body, Id, Reply

_OLDER_SERVICES = {
    "feedback_generation": OperationName.PLAYBOOK_GENERATION,
    "feedback_aggregation": OperationName.PLAYBOOK_AGGREGATION,
}


def _service(value: object) -> object:
    return _OLDER_SERVICES.get(value, value) if isinstance(value, str) else value


ServiceName = Annotated[OperationName, BeforeValidator(_service)]
"""The type of operation; older clients' names are accepted."""


class OperationStatusReply(Reply):
    """The progress of a run; if the service never ran, `success` is false."""

    operation_status: OperationView | None = None


class OperationsPage(Reply):
    """Runs, newest first, without the names of their users."""

    operations: tuple[OperationView, ...] = ()


class CancelOperationBody(Body):
    """Which run to cancel; without any field, all that are running."""

    service_name: ServiceName | None = None
    operation_id: Id | None = None


class OperationsCancelled(Reply):
    """The runs that were cancelled."""

    cancelled_services: tuple[OperationName, ...] = ()
    operation_ids: tuple[str, ...] = ()


def outcome(operation: OperationView, done: str) -> str:
    """Return the message for a started run: that it is running, what it has *done*, or how else it ended."""
    if operation.is_running:
        return goes_on(operation.service_name, operation.operation_id)
    if operation.status is OperationStatus.COMPLETED:
        return done
    reason = f": {operation.error_message}" if operation.error_message else ""
    return f"{operation.service_name} is {operation.status}{reason}"
