# Generated from _async by scripts/unasync; edit it there.
"""Waiting: until a publish is learned, until an operation has ended."""

import time
from collections.abc import Callable
from typing import Protocol, Self, TypeVar

from sagacity.client._sync.connection import Connection
from sagacity.client._sync.operations import get_operation_status
from sagacity.client._sync.receipts import get_receipt
from sagacity.client.errors import WaitedTooLong
from sagacity.client.retry import pause
from sagacity.domain.views.operation import OperationView
from sagacity.domain.views.receipt import Receipt, ReceiptState

_SETTLED = frozenset({ReceiptState.LEARNED, ReceiptState.FAILED})
_SHORTEST_RECEIPT_SECONDS, _SHORTEST_OPERATION_SECONDS, _LONGEST_SECONDS = 0.05, 0.1, 1.0


class StartedReply(Protocol):
    """The reply to a call that starts an operation."""

    @property
    def operation_id(self) -> str:
        """The operation."""
        ...

    @classmethod
    def of(cls, operation: OperationView) -> Self:
        """Return the reply that says what came of it."""
        ...


R = TypeVar("R", bound=StartedReply)


def follow(
    connection: Connection,
    started: R,
    *,
    timeout_seconds: float | None,
    on_progress: Callable[[OperationView], None] | None,
) -> R:
    """Wait until what was started has ended, and return the reply that says what came of it."""
    ended = wait_for_operation(
        connection, started.operation_id, timeout_seconds=timeout_seconds, on_progress=on_progress
    )
    return type(started).of(ended)


def wait_for_operation(
    connection: Connection,
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
    wait = _SHORTEST_OPERATION_SECONDS
    while True:
        standing = (get_operation_status(connection, operation_id=operation_id)).operation_status
        if standing is not None:
            if on_progress is not None:
                on_progress(standing)
            if not standing.is_running:
                return standing
        if deadline is not None and time.monotonic() + wait > deadline:
            raise WaitedTooLong(f"operation {operation_id} goes on after {timeout_seconds:g} s")
        pause(wait)
        wait = min(wait * 1.5, _LONGEST_SECONDS)


def wait_for_receipt(
    connection: Connection,
    request_id: str,
    *,
    timeout_seconds: float = 300,
    on_progress: Callable[[Receipt], None] | None = None,
) -> Receipt:
    """
    Wait until everything that learns has read a publish, or one of them failed at it.

    Args:
        connection: to the server.
        request_id: of the publish.
        timeout_seconds: how long to wait at most.
        on_progress: called with every receipt on the way, the last one too.

    Returns:
        The receipt in state LEARNED or FAILED; a failed learner tries again by itself.

    Raises:
        WaitedTooLong: neither has happened in time.
    """
    deadline = time.monotonic() + timeout_seconds
    wait = _SHORTEST_RECEIPT_SECONDS
    while True:
        receipt = get_receipt(connection, request_id)
        if on_progress is not None:
            on_progress(receipt)
        if receipt.state in _SETTLED:
            return receipt
        if time.monotonic() + wait > deadline:
            raise WaitedTooLong(f"request {request_id} is only {receipt.state} after {timeout_seconds:g} s")
        pause(wait)
        wait = min(wait * 1.5, _LONGEST_SECONDS)
