"""The wire shape of an operation, with its progress and its failures."""

from pydantic import JsonValue

from sagacity.domain.clock import to_epoch
from sagacity.domain.operation import (
    Operation,
    OperationMode,
    OperationName,
    OperationProgress,
    OperationStatus,
)
from sagacity.domain.views.base import View


class FailedUserView(View):
    """A user for whom a run failed, and why."""

    user_id: str
    error: str


class OperationStatsView(View):
    """What a run has read and written so far."""

    total_interactions_processed: int = 0
    total_generated: int = 0


class OperationView(View):
    """
    An operation and its progress.

    Lists of users may be cut; `processed_users` counts all who are done, `failed_users` all who failed. `error_message`
    says why it failed or, while it runs, what holds it up. Operations that do not work on users, such as an
    aggregation, count finished clusters in `processed_steps`.
    """

    operation_id: str
    service_name: OperationName
    mode: OperationMode
    status: OperationStatus
    started_at: int
    completed_at: int | None = None
    total_users: int = 0
    processed_users: int = 0
    failed_users: int = 0
    processed_steps: int | None = None
    total_steps: int | None = None
    current_user_id: str | None = None
    processed_user_ids: tuple[str, ...] = ()
    failed_user_ids: tuple[FailedUserView, ...] = ()
    request_params: dict[str, JsonValue] = {}
    stats: OperationStatsView = OperationStatsView()
    error_message: str | None = None
    progress_percentage: float = 0.0
    cancel_requested: bool = False
    result: dict[str, JsonValue] | None = None

    @property
    def note(self) -> str:
        """Why rules did it although a model is configured; empty where none is, or a model did it."""
        return str((self.result or {}).get("note", ""))

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self.status is OperationStatus.IN_PROGRESS

    @property
    def progress(self) -> tuple[int, int]:
        """How many of how many users, or clusters, are done or were given up."""
        if self.total_steps is not None and self.processed_steps is not None:
            return self.processed_steps, self.total_steps
        return self.processed_users + self.failed_users, self.total_users


def goes_on(name: str, operation_id: str) -> str:
    """Return what is said of a run that has not ended when its start is answered."""
    return f"{name} goes on; follow it with GET /api/get_operation_status?operation_id={operation_id}"


def operation_view(operation: Operation, progress: OperationProgress | None = None) -> OperationView:
    """Show a run, with the users that *progress* names."""
    progress = progress or OperationProgress()
    parameters = operation.parameters.model_dump(mode="json", exclude={"mode"})
    return OperationView(
        operation_id=operation.operation_id,
        service_name=operation.name,
        mode=operation.parameters.mode,
        status=operation.status,
        started_at=to_epoch(operation.created_at),
        completed_at=None if operation.finished_at is None else to_epoch(operation.finished_at),
        total_users=operation.total_count,
        processed_users=operation.processed_count,
        failed_users=operation.failed_count,
        processed_steps=operation.step_count if operation.step_total else None,
        total_steps=operation.step_total or None,
        current_user_id=progress.current_user_id,
        processed_user_ids=tuple(item.user_id for item in progress.done if item.user_id is not None),
        failed_user_ids=tuple(
            FailedUserView(user_id=item.user_id or "", error=item.error) for item in progress.failed
        ),
        request_params={name: value for name, value in parameters.items() if value not in (None, [])},
        stats=OperationStatsView(
            total_interactions_processed=operation.turn_count, total_generated=operation.generated_count
        ),
        error_message=operation.error or progress.trouble or None,
        progress_percentage=_percentage(operation),
        cancel_requested=operation.cancel_requested,
        result=operation.result or None,
    )


def _percentage(operation: Operation) -> float:
    done, total = operation.processed_count + operation.failed_count, operation.total_count
    if operation.step_total and operation.goes_on:
        done, total = operation.step_count, operation.step_total
    if not total:
        return 0.0 if operation.goes_on else 100.0
    return round(100 * done / total, 1)
