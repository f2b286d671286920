"""What is recorded of a window that was read: how far its learner got, or what keeps it from getting further."""

import structlog

from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import Cursor, DeadLetterStatus, Outcome
from sagacity.learning.reading import Reading
from sagacity.learning.steps import told
from sagacity.storage.transaction import Transaction

_log = structlog.get_logger(__name__)


async def record(transaction: Transaction, reading: Reading, retry: RetryPolicy, clock: Clock) -> None:
    """
    Move the cursor that follows the log; a failed window is tried again later, and parked after the last try.

    Raises:
        Conflict: the window was done already; the transaction must not commit.
    """
    due, learner = reading.due, reading.due.learner.name
    attempts = due.attempts + 1
    parked = False
    next_try = None
    if reading.error is not None:
        _log.warning("learn.failed", learner=learner, kind=type(reading.error).__name__, attempts=attempts)
        next_try = retry.next_try(attempts, clock.now())
        parked = next_try is None or due.dead_letter_id is not None
    if parked and reading.error is not None:
        await transaction.dead_letters.add(
            learner,
            reading.window,
            attempts=attempts,
            error_kind=type(reading.error).__name__,
            error=told(reading.error),
        )
    elif due.dead_letter_id is not None:
        await transaction.dead_letters.mark(
            due.dead_letter_id, DeadLetterStatus.REPLAYED, was=DeadLetterStatus.QUEUED
        )
    if due.dead_letter_id is not None:
        return
    waiting = reading.error is not None and not parked
    await transaction.cursors.save(
        Cursor(
            learner=learner,
            user_id=reading.window.user_id,
            seq=due.first_seq - 1 if waiting else due.last_seq,
            outcome=Outcome.PARKED if parked else reading.outcome,
            attempts=attempts if waiting else 0,
            error="" if reading.error is None else told(reading.error),
            next_try_at=next_try if waiting else None,
        ),
        read=Cursor(
            learner=learner, user_id=reading.window.user_id, seq=due.first_seq - 1, attempts=due.attempts
        ),
    )
