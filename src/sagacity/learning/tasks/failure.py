"""What to do about failed work: retry it later, and give up after the last attempt."""

from dataclasses import dataclass
from datetime import datetime

import structlog

from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import Window
from sagacity.domain.errors import SagacityError, StorageError
from sagacity.domain.operation import ItemStatus, OperationItem
from sagacity.learning.compute import ReplacedError
from sagacity.storage.transaction import Transaction

_OURS = SagacityError, ReplacedError
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt, and its consequence."""

    kind: str
    """The error's class."""
    error: str
    """The error message to show to people."""
    attempts: int
    """Number of failed attempts, including this one."""
    next_try_at: datetime | None
    """When to retry; None after the last attempt."""

    @property
    def is_last(self) -> bool:
        """Whether the work is given up."""
        return self.next_try_at is None


@dataclass(frozen=True, slots=True)
class Retrying:
    """Decides for every task whether and when failed work is retried."""

    policy: RetryPolicy
    clock: Clock

    def failed(self, name: str, error: BaseException, *, attempts: int, is_last: bool = False) -> Failure:
        """
        Log a failed attempt, and return its consequence.

        Args:
            name: what failed: a learner, an evaluator, an operation.
            error: the error.
            attempts: the number of earlier failed attempts.
            is_last: whether a retry would be useless.
        """
        next_try = None if is_last else self.policy.next_try(attempts + 1, self.clock.now())
        kind = type(error).__name__
        record = _log.error if next_try is None else _log.warning
        event = "task.given_up" if next_try is None else "task.failed"
        shown = readable(error)
        unforeseen = None if isinstance(error, _OURS) else error
        record(event, name=name, kind=kind, error=shown, attempts=attempts + 1, exc_info=unforeseen)
        return Failure(kind, shown, attempts + 1, next_try)


def readable(error: BaseException) -> str:
    """Return an error message to show to people: our own text, or only the class of an unforeseen error."""
    if isinstance(error, _OURS) and not isinstance(error, StorageError):
        return str(error)
    return f"internal error ({type(error).__name__}); see the server's log"


async def park(transaction: Transaction, learner: str, window: Window, failure: Failure) -> None:
    """Store a window that was given up as a dead letter, to be replayed by hand."""
    await transaction.dead_letters.add(
        learner, window, attempts=failure.attempts, error_kind=failure.kind, error=failure.error
    )


async def postpone_or_fail(transaction: Transaction, item: OperationItem, failure: Failure) -> None:
    """Make an item of an operation wait for its next attempt, or end it as failed after the last one."""
    if failure.next_try_at is None:
        await transaction.operations.settle(item, ItemStatus.FAILED, error=failure.error)
    else:
        await transaction.operations.postpone(
            item, attempts=failure.attempts, next_try_at=failure.next_try_at, error=failure.error
        )
