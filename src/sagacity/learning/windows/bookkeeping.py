"""Record the result of reading a window: the new cursor, or when to retry."""

from sagacity.domain.cursor import DeadLetterStatus, Outcome
from sagacity.learning.tasks.failure import Retrying, park
from sagacity.learning.windows.result import WindowResult
from sagacity.storage.transaction import Transaction

_HELD = "a quarantine holds these turns; they are read once none does"


async def record(transaction: Transaction, reading: WindowResult, retrying: Retrying) -> None:
    """
    Move the learner's cursor; a failed window is tried again later, and parked after the last attempt.

    A window that a quarantine holds is set aside too, until it is released.

    Raises:
        Conflict: the window was finished before; the transaction must not commit.
    """
    due, learner = reading.due, reading.due.learner
    failure = None
    if reading.error is not None:
        is_replay = due.dead_letter_id is not None
        failure = retrying.failed(learner.name, reading.error, attempts=due.attempts, is_last=is_replay)
    parked, waiting = failure is not None and failure.is_last, failure is not None and not failure.is_last
    if failure is not None and parked:
        await park(transaction, learner.name, reading.window, failure)
    elif reading.outcome is Outcome.HELD:
        await transaction.dead_letters.add(
            learner.name,
            reading.window,
            attempts=0,
            error_kind="Quarantine",
            error=_HELD,
            status=DeadLetterStatus.HELD,
        )
    elif due.dead_letter_id is not None:
        await transaction.dead_letters.mark(
            due.dead_letter_id, DeadLetterStatus.REPLAYED, was=DeadLetterStatus.QUEUED
        )
    if due.dead_letter_id is not None:
        return
    read = learner.start(reading.window.user_id).model_copy(
        update={"seq": due.first_seq - 1, "attempts": due.attempts}
    )
    reached = {
        "seq": read.seq if waiting else due.last_seq,
        "outcome": Outcome.PARKED if parked else reading.outcome,
        "attempts": failure.attempts if failure is not None and waiting else 0,
        "error": "" if failure is None else failure.error,
        "next_try_at": None if failure is None else failure.next_try_at,
    }
    await transaction.cursors.save(read.model_copy(update=reached), read=read)
