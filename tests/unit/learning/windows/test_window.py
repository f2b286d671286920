"""Which turns are due for a learner, and when to look again."""

from datetime import UTC, datetime, timedelta

import pytest

from sagacity.domain.cursor import DeadLetter, DeadLetterStatus, LogHead
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.learning.tasks.base import Look
from sagacity.learning.windows.learners import Learner
from sagacity.learning.windows.window import Due, LogState, due_now, next_check
from support.learning import Recorder
from support.parts import cursor_at

NOW = datetime(2026, 5, 1, tzinfo=UTC)
USER = UserId("u")
LEARNER = Learner(
    kind=MemoryKind.PROFILE,
    extractor_name="x1",
    extractor=Recorder(),
    window_size=10,
    step=5,
    sources=frozenset(),
)


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def state(end: int, seq: int = 0, *, published: float = 0, queued=(), **cursor) -> LogState:
    return LogState(
        user_id=USER,
        head=LogHead(end=end, last_publish_at=at(published)),
        cursors={LEARNER.name: cursor_at(seq, user_id=USER, **cursor)},
        queued=tuple(queued),
    )


def letter(learner: str = LEARNER.name) -> DeadLetter:
    return DeadLetter(
        dead_letter_id=7, learner=learner, user_id=USER, first_seq=1, last_seq=5, attempts=3, error_kind="E",
        error="e", status=DeadLetterStatus.QUEUED, created_at=NOW, updated_at=NOW,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("log", "flush", "due"),
    [
        (state(0), True, None),
        (state(4), False, None),
        (state(4), True, (1, 4)),
        (state(5), False, (1, 5)),
        (state(12), False, (1, 5)),
        (state(12, 5), False, (6, 10)),
        (state(12, 10), False, None),
        (state(12, 10), True, (11, 12)),
        (state(12, 12), True, None),
        (state(9, 0, attempts=1, next_try_at=at(1)), True, None),
        (state(9, 0, attempts=1, next_try_at=at(0)), False, (1, 5)),
        (state(9, 9, queued=[letter()]), False, (1, 5)),
        (state(9, 9, queued=[letter("other")]), True, None),
        (state(14, 9, attempts=1, next_try_at=at(9), queued=[letter()]), False, (1, 5)),
    ],
)
def test_due_now(log: LogState, due: tuple[int, int] | None, *, flush: bool) -> None:
    """Full steps from the cursor on; a short one only to flush; a queued dead letter first; none before a retry."""
    found = due_now(LEARNER, log, NOW, flush=flush)
    assert (found and (found.first_seq, found.last_seq)) == due


def test_due_carries_its_tries() -> None:
    """How often a stretch failed, and which dead letter it is, go with it."""
    assert due_now(LEARNER, state(9, attempts=2), NOW, flush=False) == Due(LEARNER, 1, 5, 2)
    assert due_now(LEARNER, state(9, queued=[letter()]), NOW, flush=False) == Due(LEARNER, 1, 5, 3, 7)


@pytest.mark.parametrize("arrivals", [[20], [1] * 20, [3, 4, 13], [7, 7, 6], [5, 5, 5, 5]])
def test_stretches_are_the_same_however_turns_came_in(arrivals: list[int]) -> None:
    """Reading after every arrival gives the stretches of reading it all at once."""
    end = seq = 0
    stretches = []
    for count in arrivals:
        end += count
        while due := due_now(LEARNER, state(end, seq), NOW, flush=False):
            stretches.append((due.first_seq, due.last_seq))
            seq = due.last_seq
    assert stretches == [(1, 5), (6, 10), (11, 15), (16, 20)]


@pytest.mark.parametrize(
    ("log", "look"),
    [
        (state(0), None),
        (state(5, 5), None),
        (state(4, published=-10), at(20)),
        (state(5, published=-10), at(0)),
        (state(4, attempts=1, next_try_at=at(9)), at(9)),
        (state(9, attempts=1, next_try_at=at(9)), at(9)),
        (state(9, 9, queued=[letter()]), at(0)),
        (state(9, 9, queued=[letter("gone")]), None),
    ],
)
def test_next_look(log: LogState, look: datetime | None) -> None:
    """At the end of the quiet time, at a retry, now where a whole step or a replay waits; never when all is read."""
    assert next_check((LEARNER,), log, NOW, 30).at == look


@pytest.mark.parametrize(
    ("log", "turns"), [(state(0), 5), (state(4, 2), 3), (state(5, 5), 5), (state(9, 5), 1)]
)
def test_next_look_counts_the_turns_that_fill_a_step(log: LogState, turns: int) -> None:
    """So many more are needed before a learner has anything to do, if the log does not fall quiet."""
    assert next_check((LEARNER,), log, NOW, 30).turns == turns


def test_next_look_is_the_soonest_of_all_learners() -> None:
    """A learner that never ran counts from the start of the log."""
    other = Learner(
        kind=MemoryKind.PROFILE,
        extractor_name="y",
        extractor=Recorder(),
        window_size=4,
        step=2,
        sources=frozenset(),
    )
    assert next_check((LEARNER, other), state(1, 1, published=-10), NOW, 30) == Look(at(20), turns=1)
    assert next_check((LEARNER, other), state(2, 2, published=-10), NOW, 30).at == at(0)


def test_is_quiet_from_the_end_of_the_quiet_time_on() -> None:
    """Exactly at its end the time is over; a user who never sent anything is not quiet."""
    assert state(1).is_quiet(at(30), 30)
    assert not state(1).is_quiet(at(29.9), 30)
    assert not LogState(USER, LogHead(), {}, ()).is_quiet(at(99), 30)
