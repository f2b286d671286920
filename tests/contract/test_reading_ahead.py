"""A learner that asks no model reads on while it learns nothing: the same windows and memories by fewer commits."""

import asyncio

import pytest

from sagacity.domain.cursor import Window
from sagacity.domain.memory import Status
from sagacity.domain.operation import OperationName, OperationParameters, OperationStatus
from sagacity.storage.transaction import Storage
from support.learning import (
    ATTEMPTS,
    BASE_SECONDS,
    Recorder,
    cursor,
    dead_letters,
    learned,
    learning,
    lines,
    one_a_turn,
    reading,
)
from support.parts import ANNA, BEN, ORG, StoppedClock, said

pytestmark = pytest.mark.either_database

TEACHING = (23, 47, 48, 71)
"""Numbers of the turns that something is learned of."""


def seldom(window: Window):
    """Propose what the teaching turns say."""
    return one_a_turn(
        window.model_copy(update={"unread": [it for it in window.unread if it.seq in TEACHING]})
    )


def ahead(extractor: Recorder):
    return reading(extractor, asks_a_model=False)


async def test_reading_ahead_shows_the_same_windows_and_learns_the_same(quick, storage: Storage) -> None:
    """Turn by turn, with the same context, each window once; the memories rest on the same turns."""
    steadily, swiftly = Recorder(seldom), Recorder(seldom)
    for user, groups in ((ANNA, reading(steadily)), (BEN, ahead(swiftly))):
        await storage.append(ORG, said(*lines(83), user_id=user, request_id=f"r-{user}"))
        await learning(*quick, groups=groups).run(ORG, user, force=True)
    assert swiftly.stretches == steadily.stretches == [(n, min(n + 4, 83)) for n in range(1, 84, 5)]
    for one, other in zip(swiftly.windows, steadily.windows, strict=True):
        assert [turn.content for turn in one.unread] == [turn.content for turn in other.unread]
        assert [turn.content for turn in one.context] == [turn.content for turn in other.context]
    assert [one.content for one in await learned(storage, user_id=BEN)] == [
        lines(83)[n - 1] for n in TEACHING
    ]
    assert [one.content for one in await learned(storage)] == [lines(83)[n - 1] for n in TEACHING]
    assert (await cursor(storage, user_id=BEN)).seq == 83


async def test_what_is_short_of_a_step_waits_behind_what_was_read_ahead(quick, storage: Storage) -> None:
    """Only whole steps are read ahead; the rest comes with the turns that fill it."""
    seen = Recorder(seldom)
    await storage.append(ORG, said(*lines(43)))
    await learning(*quick, groups=ahead(seen)).run(ORG, ANNA)
    assert (seen.stretches[-1], (await cursor(storage)).seq) == ((36, 40), 40)
    await storage.append(ORG, said(*lines(2, start=43), request_id="r2"))
    await learning(*quick, groups=ahead(seen)).run(ORG, ANNA)
    assert (seen.stretches[-1], (await cursor(storage)).seq) == ((41, 45), 45)


async def test_a_window_that_fails_is_tried_by_itself(quick, storage: Storage, clock: StoppedClock) -> None:
    """What comes before it is done with; it alone is parked in the end, and what comes behind it is learned."""

    def fails(window: Window):
        if window.first_seq == 31:
            raise ValueError("no")
        return seldom(window)

    await storage.append(ORG, said(*lines(60)))
    learn = learning(*quick, groups=ahead(Recorder(fails)))
    await learn.run(ORG, ANNA)
    assert ((await cursor(storage)).seq, (await cursor(storage)).attempts) == (30, 1)
    for attempt in range(1, ATTEMPTS):
        clock.advance(BASE_SECONDS * 2**attempt)
        await learn.run(ORG, ANNA)
    [letter] = await dead_letters(storage)
    assert (letter.first_seq, letter.last_seq, letter.attempts) == (31, 35, ATTEMPTS)
    assert [one.content for one in await learned(storage)] == [lines(60)[n - 1] for n in (23, 47, 48)]
    assert (await cursor(storage)).seq == 60


async def test_a_rerun_that_reads_ahead_counts_each_turn_once_however_it_ends(
    quick, storage: Storage
) -> None:
    """Cut short amid what it reads ahead, it goes on from what was written, and counts what it counts uncut."""
    await storage.append(ORG, said(*lines(83)))
    await learning(*quick, groups=ahead(Recorder())).run(ORG, ANNA, force=True)
    async with storage.begin(ORG) as tx:
        operation = await tx.operations.start(OperationName.PROFILE_GENERATION, OperationParameters())

    def breaks_off(window: Window):
        if window.first_seq == 41:
            raise asyncio.CancelledError  # as when the process is stopped
        return seldom(window)

    with pytest.raises(asyncio.CancelledError):
        await learning(*quick, groups=ahead(Recorder(breaks_off))).run(ORG, ANNA)
    async with storage.read(ORG) as snapshot:
        assert (
            await snapshot.operations.get(operation.operation_id)
        ).turn_count == 25  # up to what was learned
    await learning(*quick, groups=ahead(Recorder(seldom))).run(ORG, ANNA)
    async with storage.read(ORG) as snapshot:
        done = await snapshot.operations.get(operation.operation_id)
    assert (done.status, done.turn_count, done.generated_count) == (
        OperationStatus.COMPLETED,
        83,
        len(TEACHING),
    )
    found = await learned(storage, statuses=[Status.PENDING])
    assert [one.content for one in found] == [lines(83)[n - 1] for n in TEACHING]
