"""What operations promise: one of a name at a time, each user settled once, an end whoever settles the last."""

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest

from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.operation import (
    ItemStatus,
    OperationMode,
    OperationName,
    OperationParameters,
    OperationStatus,
)
from sagacity.storage.transaction import Storage
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, CountingIds, StoppedClock, opened, said

PROFILES, PLAYBOOKS = OperationName.PROFILE_GENERATION, OperationName.PLAYBOOK_GENERATION
AGGREGATION = OperationName.PLAYBOOK_AGGREGATION
ALL = OperationParameters()


async def give_logs(storage: Storage, *user_ids: str) -> None:
    """Let each user have said something, and be looked at already."""
    for user_id in user_ids:
        await storage.append(ORG, said("tea", request_id=f"r-{user_id}", user_id=user_id))
    async with storage.begin(ORG) as tx:
        for user_id in user_ids:
            await tx.cursors.set_due(user_id, None)


async def start(storage: Storage, name: OperationName = PROFILES, parameters: OperationParameters = ALL):
    async with storage.begin(ORG) as tx:
        return await tx.operations.start(name, parameters)


async def settle(storage: Storage, item, status: ItemStatus, **fields) -> None:
    async with storage.begin(ORG) as tx:
        await tx.operations.settle(item, status, **fields)


async def items(storage: Storage, operation_id: str, **wanted):
    async with storage.read(ORG) as snapshot:
        return await snapshot.operations.items(operation_id, **({"limit": 99} | wanted))


async def state(storage: Storage, operation_id: str):
    async with storage.read(ORG) as snapshot:
        return await snapshot.operations.get(operation_id)


async def test_start_makes_every_user_with_a_log_due(storage: Storage, clock: StoppedClock) -> None:
    """One waits for each user of this organisation, and the tenant's own scope is nobody's log."""
    await give_logs(storage, ANNA, BEN)
    await storage.append(OTHER_ORG, said("tea", user_id="theirs"))
    async with storage.begin(ORG) as tx:
        await tx.cursors.ensure_due(ORGANISATION, START + timedelta(days=1))
        assert await tx.cursors.list_due(limit=9) == []
    wanted = OperationParameters(mode=OperationMode.RERUN, source="chat", extractor_names=("one",))
    operation = await start(storage, parameters=wanted)
    assert (operation.status, operation.total_count, operation.processed_count) == ("in_progress", 2, 0)
    assert (operation.parameters, operation.created_at, operation.finished_at) == (wanted, START, None)
    waiting = await items(storage, operation.operation_id)
    assert [(one.user_id, one.status, one.updated_at) for one in waiting] == [
        (ANNA, ItemStatus.WAITING, START),
        (BEN, ItemStatus.WAITING, START),
    ]
    async with storage.read(ORG) as snapshot:
        assert sorted(await snapshot.cursors.list_due(limit=9)) == [ANNA, BEN]


async def test_start_makes_users_due_anew_who_are_due_already(storage: Storage, clock: StoppedClock) -> None:
    """So whoever looks at such a log at this moment does not put off what was started meanwhile."""
    await storage.append(ORG, said("tea"))
    clock.advance(60)
    await start(storage)
    async with storage.read(ORG) as snapshot:
        assert (await snapshot.cursors.log_head(ANNA)).due_at == clock.now()


async def test_start_works_on_the_chosen_user_only(storage: Storage) -> None:
    """Whom the parameters name; one who has no log is left out, and so is the organisation itself."""
    await give_logs(storage, ANNA, BEN, "cleo")
    one = await start(storage, PLAYBOOKS, OperationParameters(user_id=BEN))
    assert [item.user_id for item in await items(storage, one.operation_id)] == [BEN]
    for user_id in ("nobody", ""):
        nobody = await start(storage, PROFILES, OperationParameters(user_id=user_id))
        assert (nobody.status, nobody.total_count) == (OperationStatus.COMPLETED, 0)
    async with storage.read(ORG) as snapshot:
        assert await snapshot.cursors.list_due(limit=9) == [BEN]


async def test_start_without_anybody_is_completed_at_once(storage: Storage) -> None:
    """There is nothing to wait for, and the next one may start."""
    for _ in range(2):
        operation = await start(storage)
        assert (operation.status, operation.total_count) == (OperationStatus.COMPLETED, 0)
        assert operation.finished_at == START


async def test_tenants_own_work_is_one_item(storage: Storage) -> None:
    """Its scope is made where it is missing, due now, and no user."""
    await give_logs(storage, ANNA)
    operation = await start(storage, AGGREGATION)
    assert [one.user_id for one in await items(storage, operation.operation_id)] == [ORGANISATION]
    async with storage.read(ORG) as snapshot:
        assert await snapshot.cursors.list_due(limit=9) == [ORGANISATION]
        [(found, item)] = await snapshot.operations.waiting_for(ORGANISATION)
    assert (found.operation_id, item.user_id) == (operation.operation_id, ORGANISATION)
    assert [(one.tenant, one.user_id) for one in await storage.due_scopes(limit=9)] == [(ORG, ORGANISATION)]
    await settle(storage, item, ItemStatus.DONE, result={"clusters": 3})
    ended = await state(storage, operation.operation_id)
    assert (ended.status, ended.result) == (OperationStatus.COMPLETED, {"clusters": 3})


async def test_second_of_a_name_is_refused_while_one_runs(storage: Storage) -> None:
    """The message names the one that runs; others' and those of other names do not matter."""
    await give_logs(storage, ANNA)
    first = await start(storage)
    with pytest.raises(Conflict, match=f"{first.operation_id!r}.*cancel"):
        await start(storage)
    await start(storage, PLAYBOOKS)
    async with storage.begin(OTHER_ORG) as tx:
        await tx.operations.start(PROFILES, ALL)
    [item] = await items(storage, first.operation_id)
    await settle(storage, item, ItemStatus.DONE)
    second = await start(storage)
    async with storage.read(ORG) as snapshot:
        assert await snapshot.operations.latest(PROFILES) == second
        assert await snapshot.operations.latest(AGGREGATION) is None


async def test_of_many_started_at_once_one_runs(
    storage: Storage, database_url: str, clock: StoppedClock
) -> None:
    """All others are told of it, also in other processes."""
    await give_logs(storage, ANNA, BEN)
    async with opened(database_url, clock, CountingIds("other")) as other:
        tried = await asyncio.gather(*(start(at) for at in (storage, other) * 4), return_exceptions=True)
    [made] = [one for one in tried if not isinstance(one, BaseException)]
    refused = [one for one in tried if isinstance(one, BaseException)]
    assert {type(one) for one in refused} == {Conflict}
    assert all(repr(made.operation_id) in str(one) for one in refused)
    assert len(await items(storage, made.operation_id)) == 2


async def test_progress_is_counted_over_items(storage: Storage, clock: StoppedClock) -> None:
    """Turns, memories and steps add up as they are done; whose part failed is counted apart from whose is done."""
    await give_logs(storage, ANNA, BEN, "cleo")
    operation = await start(storage)
    anna, ben, cleo = await items(storage, operation.operation_id)
    at = clock.advance(5)
    async with storage.begin(ORG) as tx:
        await tx.operations.advance(anna, turns=10, generated=3)
    async with storage.begin(ORG) as tx:
        await tx.operations.advance(anna, turns=4, generated=1)
        await tx.operations.settle(anna, ItemStatus.DONE)
        await tx.operations.advance(ben, turns=2, generated=0)
        await tx.operations.report(ben, 2, 5)
    await settle(storage, cleo, ItemStatus.FAILED, error="no answer")
    found = await state(storage, operation.operation_id)
    assert (found.total_count, found.processed_count, found.failed_count) == (3, 1, 1)
    assert (found.turn_count, found.generated_count, found.status) == (16, 4, OperationStatus.IN_PROGRESS)
    assert (found.step_count, found.step_total) == (4, 5)
    async with storage.read(ORG) as snapshot:
        assert await snapshot.operations.list_newest(limit=9) == [found]
        assert await snapshot.operations.current_user(operation.operation_id) == BEN
    [failed] = await items(storage, operation.operation_id, statuses=[ItemStatus.FAILED])
    assert (failed.user_id, failed.error, failed.updated_at) == ("cleo", "no answer", at)


async def test_items_come_in_pages(storage: Storage) -> None:
    """Each user once, in order."""
    await give_logs(storage, ANNA, BEN, "cleo")
    operation = await start(storage)
    first = await items(storage, operation.operation_id, limit=2)
    rest = await items(storage, operation.operation_id, limit=2, after_user=first[-1].user_id)
    assert [one.user_id for one in (*first, *rest)] == [ANNA, BEN, "cleo"]


async def test_operations_are_listed_newest_first(storage: Storage, clock: StoppedClock) -> None:
    """By name and by how they stand, each with its own counts."""
    await give_logs(storage, ANNA)
    first = await start(storage)
    clock.advance(1)
    second = await start(storage, PLAYBOOKS)
    [item] = await items(storage, first.operation_id)
    async with storage.begin(ORG) as tx:
        await tx.operations.advance(item, turns=7, generated=2)
    await settle(storage, item, ItemStatus.DONE)
    async with storage.read(ORG) as snapshot:
        found = await snapshot.operations.list_newest(limit=9)
        assert [(one.operation_id, one.turn_count) for one in found] == [
            (second.operation_id, 0),
            (first.operation_id, 7),
        ]
        of_name = await snapshot.operations.list_newest(name=PROFILES, limit=9)
        running = await snapshot.operations.list_newest(statuses=[OperationStatus.IN_PROGRESS], limit=9)
        newest = await snapshot.operations.list_newest(limit=1)
    assert (of_name, running, newest) == ([found[1]], [found[0]], [found[0]])


async def test_waiting_items_come_oldest_operation_first(storage: Storage, clock: StoppedClock) -> None:
    """Only those that wait, of operations that run."""
    await give_logs(storage, ANNA, BEN)
    first = await start(storage)
    clock.advance(1)
    second = await start(storage, PLAYBOOKS)
    async with storage.read(ORG) as snapshot:
        waiting = await snapshot.operations.waiting_for(ANNA)
        assert await snapshot.operations.waiting_for("nobody") == []
    assert [one.operation_id for one, _ in waiting] == [first.operation_id, second.operation_id]
    assert [(item.user_id, item.operation_id) for _, item in waiting] == [
        (ANNA, first.operation_id),
        (ANNA, second.operation_id),
    ]
    await settle(storage, waiting[0][1], ItemStatus.DONE)
    async with storage.read(ORG) as snapshot:
        assert [one.operation_id for one, _ in await snapshot.operations.waiting_for(ANNA)] == [
            second.operation_id
        ]


async def test_postponed_item_waits_with_its_error(storage: Storage, clock: StoppedClock) -> None:
    """It is tried again later; one that has ended is left alone."""
    await give_logs(storage, ANNA, BEN)
    operation = await start(storage)
    anna, ben = await items(storage, operation.operation_id)
    later = START + timedelta(minutes=1)
    await settle(storage, ben, ItemStatus.DONE)
    async with storage.begin(ORG) as tx:
        for item in (anna, ben):
            await tx.operations.postpone(item, attempts=2, next_try_at=later, error="late")
    found = await items(storage, operation.operation_id)
    assert [(one.status, one.attempts, one.next_try_at, one.error) for one in found] == [
        (ItemStatus.WAITING, 2, later, "late"),
        (ItemStatus.DONE, 0, None, ""),
    ]


@pytest.mark.parametrize(
    ("ends", "expected", "error"),
    [
        ((ItemStatus.DONE, ItemStatus.DONE), OperationStatus.COMPLETED, ""),
        ((ItemStatus.FAILED, ItemStatus.DONE), OperationStatus.COMPLETED, ""),
        ((ItemStatus.FAILED, ItemStatus.FAILED), OperationStatus.FAILED, "why 1"),
    ],
)
async def test_last_item_ends_the_operation(
    storage: Storage, clock: StoppedClock, ends: tuple[ItemStatus, ...], expected: OperationStatus, error: str
) -> None:
    """It failed if nobody's part succeeded. What is settled again stays as it was."""
    await give_logs(storage, ANNA, BEN)
    operation = await start(storage)
    found = await items(storage, operation.operation_id)
    at = clock.advance(3)
    for number, (item, status) in enumerate(zip(found, ends, strict=True)):
        assert (await state(storage, operation.operation_id)).finished_at is None
        await settle(storage, item, status, error=f"why {number}" if status is ItemStatus.FAILED else "")
    ended = await state(storage, operation.operation_id)
    assert (ended.status, ended.finished_at, ended.error) == (expected, at, error)
    clock.advance(3)
    await settle(storage, found[0], ItemStatus.CANCELLED)
    assert await state(storage, operation.operation_id) == ended


async def test_cancelled_operation_leaves_out_whom_nobody_began(storage: Storage) -> None:
    """What was begun is settled by whoever works on it, and then the operation ends."""
    await give_logs(storage, ANNA, BEN)
    operation = await start(storage)
    anna, _ = await items(storage, operation.operation_id)
    async with storage.begin(ORG) as tx:
        await tx.operations.advance(anna, turns=1, generated=0)
        await tx.cursors.set_due(ANNA, None)
        assert not await tx.operations.is_cancelled(operation.operation_id)
        [found] = await tx.operations.cancel(name=PROFILES)
    assert (found.status, found.cancel_requested) == (OperationStatus.IN_PROGRESS, True)
    statuses = [one.status for one in await items(storage, operation.operation_id)]
    assert statuses == [ItemStatus.WAITING, ItemStatus.CANCELLED]
    async with storage.read(ORG) as snapshot:
        assert await snapshot.operations.is_cancelled(operation.operation_id)
        assert ANNA in await snapshot.cursors.list_due(limit=9)
    await settle(storage, anna, ItemStatus.CANCELLED)
    ended = await state(storage, operation.operation_id)
    assert (ended.status, ended.processed_count, ended.failed_count) == (OperationStatus.CANCELLED, 0, 0)


async def test_cancelled_before_anybody_began_has_ended(storage: Storage, clock: StoppedClock) -> None:
    """Of all that run, if none is named; cancelling again finds nothing."""
    await give_logs(storage, ANNA)
    first, second = await start(storage), await start(storage, PLAYBOOKS)
    at = clock.advance(2)
    async with storage.begin(ORG) as tx:
        found = await tx.operations.cancel()
    assert {(one.operation_id, one.status, one.finished_at) for one in found} == {
        (one.operation_id, OperationStatus.CANCELLED, at) for one in (first, second)
    }
    async with storage.begin(ORG) as tx:
        assert await tx.operations.cancel() == []
        assert await tx.operations.cancel(operation_id=first.operation_id) == []
        with pytest.raises(NotFound, match="'none'"):
            await tx.operations.cancel(operation_id="none")


async def test_operations_of_others_are_not_there(storage: Storage) -> None:
    """Neither to be seen nor to be changed."""
    await give_logs(storage, ANNA)
    operation = await start(storage)
    [item] = await items(storage, operation.operation_id)
    async with storage.begin(OTHER_ORG) as tx:
        with pytest.raises(NotFound):
            await tx.operations.get(operation.operation_id)
        with pytest.raises(NotFound):
            await tx.operations.cancel(operation_id=operation.operation_id)
        assert await tx.operations.cancel() == []
        assert await tx.operations.items(operation.operation_id, limit=9) == []
        assert await tx.operations.waiting_for(ANNA) == []
        assert await tx.operations.is_cancelled(operation.operation_id)
        with pytest.raises(Conflict):
            await tx.operations.advance(item, turns=9, generated=9)
        await tx.operations.settle(item, ItemStatus.FAILED)
    assert await state(storage, operation.operation_id) == operation


async def test_last_items_settled_at_once_end_the_operation(
    storage: Storage, database_url: str, clock: StoppedClock
) -> None:
    """Workers of two processes that settle the last items together leave none open, and wait for each other shortly."""
    users = [f"user-{number}" for number in range(8)]
    await give_logs(storage, *users)
    async with opened(database_url, clock, CountingIds("other")) as other:
        for _ in range(4):
            operation = await start(storage)
            found = await items(storage, operation.operation_id)

            async def work(at: Storage, item) -> None:
                async with at.begin(ORG) as tx:
                    await tx.operations.advance(item, turns=1, generated=1)
                    await asyncio.sleep(0.001)
                    await tx.operations.settle(item, ItemStatus.DONE)

            async with asyncio.timeout(60):
                await asyncio.gather(*(work((storage, other)[n % 2], one) for n, one in enumerate(found)))
            ended = await state(storage, operation.operation_id)
            assert (ended.status, ended.processed_count, ended.turn_count) == (
                OperationStatus.COMPLETED,
                8,
                8,
            )


async def test_cancelling_while_workers_settle_ends_the_operation(
    storage: Storage, database_url: str, clock: StoppedClock
) -> None:
    """Nobody waits for ever: what a worker holds it settles itself, the rest is cancelled and not written any more."""
    users = [f"user-{number}" for number in range(6)]
    await give_logs(storage, *users)
    async with opened(database_url, clock, CountingIds("other")) as other:
        operation = await start(storage)
        found = await items(storage, operation.operation_id)

        async def work(item) -> None:
            with suppress(Conflict):
                async with storage.begin(ORG) as tx:
                    await tx.operations.advance(item, turns=1, generated=1)
                    await asyncio.sleep(0.01)
                    await tx.operations.settle(item, ItemStatus.DONE)

        async def cancel() -> None:
            await asyncio.sleep(0.005)
            async with other.begin(ORG) as tx:
                await tx.operations.cancel()

        async with asyncio.timeout(60):
            await asyncio.gather(*(work(one) for one in found[:4]), cancel())
    ended = await state(storage, operation.operation_id)
    assert ended.finished_at is not None
    settled = await items(storage, operation.operation_id)
    assert ended.processed_count == sum(one.status is ItemStatus.DONE for one in settled)
    assert ItemStatus.WAITING not in [one.status for one in settled]
    assert [one.status for one in settled[4:]] == [ItemStatus.CANCELLED] * 2
    assert all(one.turn_count == (one.status is ItemStatus.DONE) for one in settled)
    assert ended.status is OperationStatus.CANCELLED


async def test_ensure_due_only_moves_nearer(storage: Storage) -> None:
    """A scope is made with it, and is due at the earliest moment that anybody wanted."""
    wanted = [START + timedelta(seconds=seconds) for seconds in (60, 90, 30, 45)]
    async with storage.begin(ORG) as tx:
        for due_at, expected in zip(wanted, (60, 60, 30, 30), strict=True):
            await tx.cursors.ensure_due(ORGANISATION, due_at)
            head = await tx.cursors.log_head(ORGANISATION)
            assert (head.due_at, head.end) == (START + timedelta(seconds=expected), 0)
        await tx.cursors.set_due(ORGANISATION, None)
        await tx.cursors.ensure_due(ORGANISATION, wanted[1])
        assert (await tx.cursors.log_head(ORGANISATION)).due_at == wanted[1]
