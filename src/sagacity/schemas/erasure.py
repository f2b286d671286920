"""Replies about erasures of users."""

from collections.abc import Mapping
from datetime import datetime
from typing import Self

from sagacity.domain.erasure import Erasure, ErasureReport
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.base import Body, Id, Reply, Schema
from sagacity.schemas.operations import outcome


class UserErasureReply(Reply):
    """An erasure that was started, or one of the same user that was running already."""

    operation_id: str = ""
    """Also the id of the erasure and of its report."""
    operation_status: OperationView | None = None

    @classmethod
    def of(cls, operation: OperationView) -> Self:
        """Return the state of an erasure."""
        deleted = (operation.result or {}).get("deleted", 0)
        text = outcome(operation, f"erased: {deleted} rows were deleted; the report is signed")
        return cls(
            success=operation.status.is_successful,
            message=text,
            msg=text,
            operation_id=operation.operation_id,
            operation_status=operation,
        )


class ClearUserDataBody(Body):
    """Whose data is to be erased."""

    user_id: Id
    """The user: the person who talks to the agent."""


class ClearedUserData(Reply):
    """The result of an erasure, or its state so far."""

    deleted_counts: dict[str, int] = {}
    """Rows that were deleted, by table; empty until the erasure has ended."""
    operation_id: str = ""
    """Also the id of the erasure and of its report."""

    @classmethod
    def of(cls, operation: OperationView, deleted: Mapping[str, int]) -> Self:
        """Return the state of an erasure."""
        told = UserErasureReply.of(operation)
        return cls(
            success=told.success,
            message=told.message,
            msg=told.msg,
            deleted_counts=dict(deleted),
            operation_id=told.operation_id,
        )


class ErasureView(Schema):
    """An erasure. It names the user only by a keyed hash."""

    erasure_id: str
    """The id of the operation that does it."""
    user_hash: str
    """HMAC-SHA256 of organisation and user id, by the key of this installation."""
    requested_at: datetime
    """When it was requested."""
    gone_at: datetime | None = None
    """When the last row was deleted."""
    finished_at: datetime | None = None
    """When it had ended."""
    report: ErasureReport | None = None
    """Signed, once it has ended."""


class ErasuresPage(Reply):
    """Erasures, the newest first, without their reports."""

    erasures: tuple[ErasureView, ...] = ()
    """One for each user who was erased, or is being erased."""


def erasure_view(erasure: Erasure, *, with_report: bool = True) -> ErasureView:
    """Show an erasure."""
    return ErasureView(
        erasure_id=erasure.erasure_id,
        user_hash=erasure.user_hash,
        requested_at=erasure.created_at,
        gone_at=erasure.gone_at,
        finished_at=erasure.finished_at,
        report=erasure.report if with_report else None,
    )
