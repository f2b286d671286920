"""How a run looks on the wire."""

from sagacity.domain.ids import ORGANISATION, UserId
from sagacity.domain.operation import (
    ItemStatus,
    Operation,
    OperationItem,
    OperationName,
    OperationParameters,
    OperationProgress,
    OperationStatus,
)
from sagacity.domain.views.operation import operation_view
from support.parts import ANNA, START


def item(user_id: UserId | None, status: ItemStatus) -> OperationItem:
    return OperationItem(operation_id="o", user_id=user_id, status=status, error="e", updated_at=START)


def test_users_are_named_and_the_organisation_is_none() -> None:
    """What was given up has its error in either case: the organisation's has no user's name."""
    run = Operation(
        operation_id="o",
        name=OperationName.PLAYBOOK_AGGREGATION,
        status=OperationStatus.FAILED,
        parameters=OperationParameters(),
        created_at=START,
    )
    done = (item(ANNA, ItemStatus.DONE), item(ORGANISATION, ItemStatus.DONE))
    failed = (item(ORGANISATION, ItemStatus.FAILED), item(ANNA, ItemStatus.FAILED))
    view = operation_view(run, OperationProgress(done=done, failed=failed))
    assert view.processed_user_ids == (ANNA,)
    assert [(one.user_id, one.error) for one in view.failed_user_ids] == [("", "e"), (ANNA, "e")]
