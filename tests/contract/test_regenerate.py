"""Operations on users' logs: all turns into PENDING, the newest window into CURRENT; cut short, failing, cancelled."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from sagacity.dispatch.lease import acquire_lease
from sagacity.domain.cursor import LEARN
from sagacity.domain.errors import ConfigError, ProviderError
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.operation import (
    Operation,
    OperationMode,
    OperationName,
    OperationParameters,
    OperationStatus,
)
from sagacity.learning.windows.learners import Learner
from sagacity.storage.transaction import Storage
from support.learning import (
    BASE_SECONDS,
    Recorder,
    cursor,
    due_at,
    learned,
    learning,
    lines,
    one_a_turn,
    reading,
)
from support.parts import ANNA, BEN, ORG, START, cursor_at, said

pytestmark = pytest.mark.either_database


async def start(storage: Storage, name=OperationName.PROFILE_GENERATION, **asked) -> Operation:
    async with storage.begin(ORG) as tx:
        return await tx.operations.start(name, OperationParameters(**asked))


async def state(storage: Storage, operation: Operation) -> Operation:
    async with storage.read(ORG) as snapshot:
        return await snapshot.operations.get(operation.operation_id)


async def contents(storage: Storage, status: Status, user_id=ANNA) -> list[str]:
    return [memory.content for memory in await learned(storage, user_id=user_id, statuses=[status])]


async def test_a_rerun_reads_every_turn_into_pending(quick, storage: Storage) -> None:
    """However long the log is; CURRENT and its cursor stay as they were."""
    await storage.append(ORG, said(*lines(23)))
    seen = Recorder(one_a_turn)
    learn = learning(*quick, groups=reading(seen))
    await learn.run(ORG, ANNA, force=True)
    before, where = await learned(storage), await cursor(storage)
    seen.windows.clear()
    operation = await start(storage)
    await learn.run(ORG, ANNA)
    assert seen.stretches == [(1, 5), (6, 10), (11, 15), (16, 20), (21, 23)]
    assert await contents(storage, Status.PENDING) == lines(23)
    assert await learned(storage) == before
    assert await cursor(storage) == where
    done = await state(storage, operation)
    assert (done.status, done.turn_count, done.generated_count) == (OperationStatus.COMPLETED, 23, 23)
    assert await due_at(storage) is None


async def test_a_rerun_that_was_cut_short_goes_on_behind_the_last_window(quick, storage: Storage) -> None:
    """What was written stays written, once."""
    await storage.append(ORG, said(*lines(20)))
    await learning(*quick, groups=reading(Recorder())).run(ORG, ANNA)
    operation = await start(storage)

    def breaks_off(window):
        if window.first_seq == 11:
            raise asyncio.CancelledError  # as when the process is stopped
        return one_a_turn(window)

    with pytest.raises(asyncio.CancelledError):
        await learning(*quick, groups=reading(Recorder(breaks_off), step=5)).run(ORG, ANNA)
    half = await state(storage, operation)
    assert (half.status, half.turn_count) == (OperationStatus.IN_PROGRESS, 10)
    seen = Recorder(one_a_turn)
    await learning(*quick, groups=reading(seen)).run(ORG, ANNA)
    assert seen.stretches == [(11, 15), (16, 20)]
    assert await contents(storage, Status.PENDING) == lines(20)
    assert (await state(storage, operation)).status is OperationStatus.COMPLETED


@pytest.mark.parametrize(
    ("asked", "first", "count"),
    [
        ({"source": "mail"}, 3, 3),
        ({"agent_version": "v2"}, 6, 3),
        ({"end": START + timedelta(seconds=59)}, 0, 3),
        ({"source": "chat", "start": START + timedelta(seconds=60)}, 6, 3),
    ],
)
async def test_filters_of_a_rerun_narrow_what_is_read(
    quick, storage: Storage, clock, asked, first, count
) -> None:
    """By source, agent version and time of arrival."""
    await storage.append(ORG, said(*lines(3), source="chat", agent_version="v1"))
    clock.advance(60)
    await storage.append(ORG, said(*lines(3, 3), request_id="r2", source="mail", agent_version="v1"))
    clock.advance(60)
    await storage.append(ORG, said(*lines(3, 6), request_id="r3", source="chat", agent_version="v2"))
    operation = await start(storage, **asked)
    await learning(*quick, groups=reading(Recorder(one_a_turn))).run(ORG, ANNA)
    assert await contents(storage, Status.PENDING) == lines(count, first)
    assert (await state(storage, operation)).turn_count == count


@pytest.mark.parametrize("mode", list(OperationMode))
async def test_each_turn_is_counted_once_whoever_reads_it(quick, storage: Storage, mode) -> None:
    """By a learner of mail alone, one that reads all and is slower, and one that is done at once."""
    await storage.append(ORG, said(*lines(6), source="mail"))
    await storage.append(ORG, said(*lines(3, 6), request_id="r2", source="chat"))
    inner = reading(Recorder(one_a_turn), Recorder(one_a_turn), Recorder(one_a_turn))
    differing = [
        {"sources": frozenset({"mail"}), "step": 4},
        {"step": 2},
        {"sources": frozenset({"web"}), "step": 9},
    ]

    def groups(config, calls, *, by_hand=False, names=()):
        return [
            replace(group, learners=tuple(map(_changed, group.learners, differing)))
            for group in inner(config, calls)
        ]

    operation = await start(storage, mode=mode)
    await learning(*quick, groups=groups).run(ORG, ANNA, force=True)
    done = await state(storage, operation)
    assert (done.status, done.turn_count) == (OperationStatus.COMPLETED, 9)


def _changed(learner: Learner, fields: dict) -> Learner:
    return replace(learner, **fields)


async def test_one_failing_user_delays_no_other_and_is_named(quick, storage: Storage, clock) -> None:
    """It is tried again with growing waits and then given up, with its error; the others are done at once."""
    await storage.append(ORG, said(*lines(5)))
    await storage.append(ORG, said(*lines(5, 5), request_id="r2", user_id=BEN))
    operation = await start(storage)

    def fails_for_anna(window):
        if window.user_id == ANNA:
            raise ProviderError("the model is down")
        return one_a_turn(window)

    learn = learning(*quick, groups=reading(Recorder(fails_for_anna)))
    for user in (ANNA, BEN):
        await learn.run(ORG, user)
    assert await contents(storage, Status.PENDING, BEN) == lines(5, 5)
    half = await state(storage, operation)
    assert (half.status, half.processed_count, half.total_count) == (OperationStatus.IN_PROGRESS, 1, 2)
    assert await due_at(storage) == clock.now() + timedelta(seconds=BASE_SECONDS)
    for _ in range(4):
        clock.advance(100)
        await learn.run(ORG, ANNA)
    done = await state(storage, operation)
    assert (done.status, done.processed_count, done.failed_count) == (OperationStatus.COMPLETED, 1, 1)
    async with storage.read(ORG) as snapshot:
        items = await snapshot.operations.items(operation.operation_id, limit=10)
    assert {item.user_id: item.error for item in items} == {ANNA: "the model is down", BEN: ""}


async def test_a_run_whose_extractors_were_switched_off_since_says_so_at_once(
    quick, storage: Storage
) -> None:
    """Waiting would not help: the user is given up at the first try, with the reason; what is CURRENT stays."""
    await storage.append(ORG, said(*lines(5)))
    await learning(*quick, groups=reading(Recorder())).run(ORG, ANNA)
    before = await learned(storage)
    operation = await start(storage)
    await learning(*quick, groups=reading()).run(ORG, ANNA)
    done = await state(storage, operation)
    assert (done.status, done.failed_count) == (OperationStatus.FAILED, 1)
    async with storage.read(ORG) as snapshot:
        [item] = await snapshot.operations.items(operation.operation_id, limit=10)
    assert "no longer has an extractor for this" in item.error
    assert await learned(storage) == before


async def test_a_cancelled_rerun_stops_between_windows(quick, storage: Storage) -> None:
    """What was written stays PENDING; the operation ends as cancelled."""
    await storage.append(ORG, said(*lines(20)))
    operation = await start(storage)
    seen = Recorder()

    class Cancelling(Recorder):
        async def extract(self, window, known):
            if window.first_seq == 6:
                async with storage.begin(ORG) as tx:
                    await tx.operations.cancel(operation_id=operation.operation_id)
            return await super().extract(window, known)

    seen = Cancelling(one_a_turn)
    learn = learning(*quick, groups=reading(seen))
    async with storage.begin(ORG) as tx:  # so that only the operation is due
        await tx.cursors.save(cursor_at(20))
    await learn.run(ORG, ANNA)
    assert seen.stretches == [(1, 5), (6, 10)]
    assert await contents(storage, Status.PENDING) == lines(10)
    assert (await state(storage, operation)).status is OperationStatus.CANCELLED
    assert await due_at(storage) is None


async def test_a_manual_run_reads_the_newest_window_into_current(quick, storage: Storage) -> None:
    """As many turns as the window holds, whatever was read before; the cursor that follows the log stays."""
    await storage.append(ORG, said(*lines(24)))
    seen = Recorder(one_a_turn)
    learn = learning(*quick, groups=reading(seen))
    await learn.run(ORG, ANNA)
    where = await cursor(storage)
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE)
    seen.windows.clear()
    operation = await start(storage, mode=OperationMode.MANUAL)
    await learn.run(ORG, ANNA)
    assert seen.stretches == [(15, 24)]
    assert await contents(storage, Status.CURRENT) == lines(10, 14)
    assert await cursor(storage) == where
    done = await state(storage, operation)
    assert (done.status, done.turn_count, done.generated_count) == (OperationStatus.COMPLETED, 10, 10)
    await start(storage, mode=OperationMode.MANUAL)
    await learn.run(ORG, ANNA)
    assert await contents(storage, Status.CURRENT) == lines(10, 14)  # the same again adds nothing


async def test_turns_that_come_meanwhile_are_learned_into_current(quick, storage: Storage) -> None:
    """An operation in progress keeps nobody from learning."""
    await storage.append(ORG, said(*lines(5)))
    await start(storage)
    learn = learning(*quick, groups=reading(Recorder(one_a_turn)))
    await learn.run(ORG, ANNA, wait=True)
    assert await contents(storage, Status.CURRENT) == lines(5)
    assert await contents(storage, Status.PENDING) == []
    assert await due_at(storage) is not None
    await learn.run(ORG, ANNA)
    assert await contents(storage, Status.PENDING) == lines(5)


async def test_a_window_whose_operation_was_cancelled_meanwhile_is_not_written(
    quick, storage: Storage
) -> None:
    """The first one too, before which nobody had begun: another run may have started with other filters."""
    await storage.append(ORG, said(*lines(3), source="chat"))
    await storage.append(ORG, said(*lines(3, 3), request_id="r2", source="mail"))
    learn = learning(*quick, groups=reading(Recorder()))
    await learn.run(ORG, ANNA, force=True)
    operation = await start(storage, source="mail")

    class Meddling(Recorder):
        async def extract(self, window, known):
            if not self.windows:
                async with storage.begin(ORG) as tx:
                    await tx.operations.cancel(operation_id=operation.operation_id)
                await start(storage)
            return await super().extract(window, known)

    seen = Meddling(one_a_turn)
    learn = learning(*quick, groups=reading(seen))
    for _ in range(2):
        await learn.run(ORG, ANNA)
    assert await contents(storage, Status.PENDING) == lines(6)
    assert (await state(storage, operation)).generated_count == 0


async def test_a_narrowed_rerun_that_is_cancelled_before_its_first_turn_claims_none_that_it_left_out(
    quick, storage: Storage
) -> None:
    """It went by turns of another source that CURRENT has not read either: once PENDING is in force, they are read."""
    await storage.append(ORG, said(*lines(20), source="chat"))
    await storage.append(ORG, said(*lines(5, 20), request_id="r2", source="mail"))
    operation = await start(storage, source="mail")
    learn = learning(*quick, groups=reading(Recorder(one_a_turn)), slice_seconds=0.0)

    async def pending() -> int:
        return (await cursor(storage, version=Status.PENDING)).seq

    async with acquire_lease(
        storage, ORG, LEARN, "somebody else", seconds=60, user_id=ANNA
    ):  # CURRENT reads nothing
        await learn.run(ORG, ANNA)
        assert (await pending(), (await state(storage, operation)).turn_count) == (5, 0)
        async with storage.begin(ORG) as tx:
            await tx.operations.cancel(operation_id=operation.operation_id)
        await learn.run(ORG, ANNA)
    assert (await state(storage, operation)).status is OperationStatus.CANCELLED
    assert await pending() == 0


async def test_failures_are_counted_from_the_last_window_that_was_read(
    quick, storage: Storage, clock
) -> None:
    """A model that now and then fails gives a long log up no sooner than a short one."""
    await storage.append(ORG, said(*lines(20)))
    await learning(*quick, groups=reading(Recorder())).run(ORG, ANNA)
    operation = await start(storage)
    tried: list[int] = []

    def fails_once(window):
        tried.append(window.first_seq)
        if tried.count(window.first_seq) == 1:
            raise ProviderError("the model is down")
        return one_a_turn(window)

    learn = learning(*quick, groups=reading(Recorder(fails_once)))
    for _ in range(4):
        await learn.run(ORG, ANNA)
        assert await due_at(storage) == clock.now() + timedelta(seconds=BASE_SECONDS)
        clock.advance(BASE_SECONDS)
    await learn.run(ORG, ANNA)
    assert await contents(storage, Status.PENDING) == lines(20)
    done = await state(storage, operation)
    assert (done.status, done.failed_count) == (OperationStatus.COMPLETED, 0)


async def test_a_configuration_that_gives_no_learners_is_told_of_until_it_is_mended(
    quick, storage: Storage, clock
) -> None:
    """The operation says what keeps it; that is nobody's failure, and it goes on when it is mended."""
    await storage.append(ORG, said(*lines(5)))
    await learning(*quick, groups=reading(Recorder())).run(ORG, ANNA)
    operation = await start(storage)

    def misconfigured(config, calls, *, by_hand=False, names=()):
        raise ConfigError("tenant configuration: model 'nowhere/none' has no key")

    for _ in range(5):
        report = await learning(*quick, groups=misconfigured).run(ORG, ANNA)
        assert "nowhere/none" in report.failed["configuration"]
        async with storage.read(ORG) as snapshot:
            assert "nowhere/none" in await snapshot.operations.trouble(operation.operation_id)
            [item] = await snapshot.operations.items(operation.operation_id, limit=2)
        assert (item.attempts, item.next_try_at) == (0, await due_at(storage))
        assert item.next_try_at is not None
        clock.advance((item.next_try_at - clock.now()).total_seconds())
    await learning(*quick, groups=reading(Recorder(one_a_turn))).run(ORG, ANNA)
    done = await state(storage, operation)
    assert (done.status, done.processed_count, done.failed_count) == (OperationStatus.COMPLETED, 1, 0)
    async with storage.read(ORG) as snapshot:
        assert await snapshot.operations.trouble(operation.operation_id) == ""
