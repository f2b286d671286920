"""Which turns are due for a learner; pure, apart from reading them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sagacity.domain.cursor import Cursor, DeadLetter, DeadLetterStatus, LogHead, Window
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import Interaction
from sagacity.learning.tasks.base import Look
from sagacity.learning.windows.ends import end_of_window
from sagacity.learning.windows.learners import Learner
from sagacity.storage.transaction import Transaction

_TURNS_AHEAD = 40
"""How many turns are read ahead for a learner that costs nothing, because most of them teach nothing."""


@dataclass(frozen=True, slots=True)
class LogState:
    """The state of a user's log at one time."""

    user_id: UserId
    head: LogHead
    cursors: dict[str, Cursor]
    queued: tuple[DeadLetter, ...]
    _forced_after: dict[int, bool] = field(default_factory=dict[int, bool])
    """A cache of answers, because most learners have the same position."""

    async def is_forced_after(self, snapshot: Transaction, seq: int) -> bool:
        """Return whether a request after *seq* asked to be learned from at once."""
        if seq not in self._forced_after:
            self._forced_after[seq] = await snapshot.cursors.forced_after(self.user_id, seq)
        return self._forced_after[seq]

    def cursor(self, learner: Learner) -> Cursor:
        """Return how far a learner got."""
        return self.cursors.get(learner.name) or learner.start(self.user_id)

    def is_quiet(self, now: datetime, quiet_seconds: float) -> bool:
        """Whether the log has been quiet for so long that a short window is worth reading."""
        last = self.head.last_publish_at
        return last is not None and now - last >= timedelta(seconds=quiet_seconds)


async def read_log_state(snapshot: Transaction, user_id: UserId) -> LogState:
    """Read the state of a user's log."""
    return LogState(
        user_id=user_id,
        head=await snapshot.cursors.log_head(user_id),
        cursors=await snapshot.cursors.of_user(user_id),
        queued=tuple(
            await snapshot.dead_letters.list_newest(user_id=user_id, statuses=[DeadLetterStatus.QUEUED])
        ),
    )


@dataclass(frozen=True, slots=True)
class Due:
    """A stretch of the log that a learner must read now, `first_seq..last_seq`, both inclusive."""

    learner: Learner
    first_seq: int
    last_seq: int
    attempts: int = 0
    dead_letter_id: int | None = None
    is_forced: bool = False
    """Whether someone requested it, so that no gate keeps the learner from reading it."""


def due_now(learner: Learner, state: LogState, now: datetime, *, flush: bool) -> Due | None:
    """
    Return what *learner* must read next; None while it can wait.

    A queued dead letter goes first. Otherwise it is up to `step` unread turns, oldest first. The turns themselves
    decide where among these the window ends, so the result does not depend on how fast they arrived. Fewer turns wait
    for more, unless *flush*.
    """
    for letter in state.queued:
        if letter.learner == learner.name:
            return Due(learner, letter.first_seq, letter.last_seq, letter.attempts, letter.dead_letter_id)
    cursor = state.cursor(learner)
    unread = state.head.end - cursor.seq
    if unread <= 0 or (cursor.next_try_at is not None and cursor.next_try_at > now):
        return None
    if not learner.is_full(unread) and not flush:
        return None
    return Due(learner, cursor.seq + 1, min(state.head.end, cursor.seq + learner.step), cursor.attempts)


def next_check(learners: tuple[Learner, ...], state: LogState, now: datetime, quiet_seconds: float) -> Look:
    """
    Return when the log must be checked again.

    That is at a retry or the end of the quiet time; now, if a whole step or a queued dead letter waits; or as soon as
    new turns fill the step of a learner.
    """
    quiet_at = (state.head.last_publish_at or now) + timedelta(seconds=quiet_seconds)
    moments: list[datetime] = []
    turns: list[int] = []
    for learner in learners:
        cursor = state.cursor(learner)
        unread = state.head.end - cursor.seq
        if any(letter.learner == learner.name for letter in state.queued):
            moments.append(now)
        elif unread > 0:
            moments.append(cursor.next_try_at or (now if learner.is_full(unread) else quiet_at))
        turns.append(learner.turns_left(unread))
    return Look(at=min(moments, default=None), turns=min(turns, default=None))


async def read_windows(
    snapshot: Transaction, user_id: UserId, due: Due, *, is_ahead: bool = False
) -> list[Window]:
    """
    Read the window of *due*, with as many turns before it as fill the learner's window.

    Args:
        snapshot: the transaction to read in.
        user_id: the user.
        due: the turns among which the window ends.
        is_ahead: whether to read some whole windows after it too, as they would become due one by one.

    Returns:
        The windows in order, at least the first.
    """
    learner = due.learner
    turns = await _turns_of(snapshot, user_id, due, due.last_seq + (_TURNS_AHEAD if is_ahead else 0))
    end = turns[-1].seq if turns else 0
    windows = [_cut(user_id, _ended(due, turns), turns)]
    while is_ahead and learner.is_full(end - windows[-1].last_seq):
        first = windows[-1].last_seq + 1
        behind = replace(due, first_seq=first, last_seq=first + learner.step - 1)
        windows.append(_cut(user_id, _ended(behind, turns), turns))
    return windows


async def _turns_of(snapshot: Transaction, user_id: UserId, due: Due, last_seq: int) -> list[Interaction]:
    """Read from the context of *due* to one turn after *last_seq*, which shows whether the conversation continues."""
    before = due.learner.window_size - due.learner.step
    context = (
        await snapshot.interactions.log_before(user_id, seq=due.first_seq - 1, limit=before) if before else []
    )
    unread = await snapshot.interactions.log(
        user_id, after_seq=due.first_seq - 1, limit=last_seq - due.first_seq + 2
    )
    return [*context, *unread]


def _ended(due: Due, turns: Sequence[Interaction]) -> Due:
    """
    Return *due* cut at the end of its window; a dead letter keeps its stretch.

    A window never mixes turns that quarantines hold with others, so that what is learned from one does not rest on the
    other.
    """
    unread = [turn for turn in turns if due.first_seq <= turn.seq <= due.last_seq]
    other = next((turn for turn in unread if turn.is_held is not unread[0].is_held), None)
    if other is not None and due.dead_letter_id is None:
        due = replace(due, last_seq=other.seq - 1)
    if due.dead_letter_id is not None or not due.learner.follows_talk:
        return due
    unread = [turn for turn in turns if turn.seq >= due.first_seq]
    count = sum(turn.seq <= due.last_seq for turn in unread)
    kept = end_of_window(unread[:count], following=unread[count] if count < len(unread) else None)
    return due if kept == count else replace(due, last_seq=unread[kept - 1].seq)


def _cut(user_id: UserId, due: Due, turns: Sequence[Interaction]) -> Window:
    """Return the window of *due*; turns that its learner does not read count towards its size, but are left out."""
    learner = due.learner
    before = learner.window_size - learner.step
    unread = [turn for turn in turns if due.first_seq <= turn.seq <= due.last_seq]
    is_held = bool(unread) and all(turn.is_held for turn in unread)
    unread = [turn for turn in unread if turn.is_held is is_held]  # a dead letter may be of both
    earlier = [turn for turn in turns if turn.seq < due.first_seq and (is_held or not turn.is_held)]

    return Window(
        user_id=user_id,
        first_seq=due.first_seq,
        last_seq=due.last_seq,
        unread=tuple(turn for turn in unread if learner.reads(turn)),
        context=tuple(turn for turn in earlier[max(0, len(earlier) - before) :] if learner.reads(turn)),
    )
