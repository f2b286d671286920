"""Whose turn it is in an operation: a few users at a time, so that whoever publishes finds a place free."""

from pathlib import Path

import pytest

from sagacity.bootstrap import open_database
from sagacity.config.settings import Settings
from sagacity.domain.operation import ItemStatus, OperationName, OperationParameters, OperationStatus
from sagacity.storage.transaction import Storage
from sagacity.storage.work.operation_slots import TURNS, slots_within
from support.learning import Recorder, WordEmbedder, learning, lines, one_a_turn, reading
from support.parts import ORG, StoppedClock, cursor_at, said

PROFILES, PLAYBOOKS = OperationName.PROFILE_GENERATION, OperationName.PLAYBOOK_GENERATION
USERS = [f"user-{number:02}" for number in range(3 * TURNS)]


async def start(storage: Storage, name: OperationName = PROFILES) -> str:
    async with storage.begin(ORG) as tx:
        return (await tx.operations.start(name, OperationParameters())).operation_id


async def give_logs(storage: Storage, *users: str) -> None:
    """Let each user have said something that is learned already."""
    for user_id in users:
        await storage.append(ORG, said("tea", request_id=f"r-{user_id}", user_id=user_id))
    async with storage.begin(ORG) as tx:
        for user_id in users:
            await tx.cursors.set_due(user_id, None)


async def due(storage: Storage) -> list[str]:
    async with storage.read(ORG) as snapshot:
        return sorted(await snapshot.cursors.list_due(limit=99))


async def items(storage: Storage, operation_id: str) -> dict:
    async with storage.read(ORG) as snapshot:
        return {item.user_id: item for item in await snapshot.operations.items(operation_id, limit=99)}


async def with_turn(storage: Storage, operation_id: str) -> list[str]:
    waiting = [one for one in (await items(storage, operation_id)).values() if one.next_try_at is not None]
    return sorted(one.user_id for one in waiting if one.status is ItemStatus.WAITING)


async def test_a_few_users_have_a_turn_and_each_end_is_another_ones_begin(storage: Storage, clock) -> None:
    """Never more than there are turns, each user once, and the last end is the operation's."""
    await give_logs(storage, *USERS)
    operation_id = await start(storage)
    ended: list[str] = []
    while turn := await with_turn(storage, operation_id):
        assert len(turn) == min(TURNS, len(USERS) - len(ended))
        assert set(turn) <= set(await due(storage))
        clock.advance(1)
        item = (await items(storage, operation_id))[turn[0]]
        async with storage.begin(ORG) as tx:
            await tx.operations.settle(item, ItemStatus.DONE)
            await tx.cursors.set_due(item.user_id, None)
        ended.append(item.user_id)
    assert sorted(ended) == USERS
    async with storage.read(ORG) as snapshot:
        done = await snapshot.operations.get(operation_id)
    assert (done.status, done.processed_count) == (OperationStatus.COMPLETED, len(USERS))


def test_turns_leave_a_place_free() -> None:
    """Unless there is one only, which nothing could do without."""
    assert [slots_within(places) for places in (1, 2, 3, 6, 7, 8, 10_000)] == [1, 1, 2, 5, 6, TURNS, TURNS]


@pytest.mark.parametrize(
    ("asked", "count"),
    [({"learn_concurrency": 3}, 2), ({"learn_concurrency": 1}, 1), ({"tenant_concurrency": 2}, TURNS)],
)
async def test_as_many_have_a_turn_as_the_settings_have_places_for(tmp_path: Path, asked, count) -> None:
    """In one process those of the process; its organisations share them."""
    async with open_database(Settings(home=tmp_path, **asked)) as storage:
        async with storage.begin(ORG) as tx:
            await tx.organisation.ensure(ORG.org_id)
        await give_logs(storage, *USERS)
        assert len(await with_turn(storage, await start(storage))) == count


async def test_with_workers_the_places_are_those_of_an_organisation(tmp_path: Path) -> None:
    """However many users each of the workers learns side by side."""
    shared = {"redis_url": "redis://127.0.0.1:1/0", "tenant_concurrency": 4, "learn_concurrency": 2}
    async with open_database(Settings(home=tmp_path, **shared)) as storage:
        async with storage.begin(ORG) as tx:
            await tx.organisation.ensure(ORG.org_id)
        await give_logs(storage, *USERS)
        assert len(await with_turn(storage, await start(storage))) == 3


async def test_two_operations_share_the_turns(storage: Storage) -> None:
    """The second begins with its share at once; the first one's shrinks to its own as users end."""
    await give_logs(storage, *USERS)
    first = await start(storage)
    second = await start(storage, PLAYBOOKS)
    assert len(await with_turn(storage, second)) == TURNS // 2
    for _ in range(TURNS):
        turn = await with_turn(storage, first)
        async with storage.begin(ORG) as tx:
            await tx.operations.settle((await items(storage, first))[turn[0]], ItemStatus.DONE)
    assert len(await with_turn(storage, first)) == TURNS // 2


async def test_who_fails_lets_others_have_the_turn(storage: Storage, clock: StoppedClock) -> None:
    """Until the next try; who took long comes again after all the others."""
    await give_logs(storage, *USERS)
    operation_id = await start(storage)
    failing, huge, *_ = USERS
    found = await items(storage, operation_id)
    later = clock.advance(60)
    async with storage.begin(ORG) as tx:
        await tx.operations.postpone(found[failing], attempts=1, next_try_at=clock.advance(60), error="late")
    clock.advance(-60)
    assert clock.now() == later
    async with storage.begin(ORG) as tx:
        await tx.operations.pass_turn(found[huge])
    async with storage.read(ORG) as snapshot:
        assert await snapshot.operations.trouble(operation_id) == "late"
    turn = await with_turn(storage, operation_id)
    assert turn == sorted([failing, *USERS[2 : TURNS + 2]])
    order: list[str] = []
    while set(turn) != {failing}:
        clock.advance(0.001)
        user_id = next(one for one in turn if one != failing)
        async with storage.begin(ORG) as tx:
            await tx.operations.settle((await items(storage, operation_id))[user_id], ItemStatus.DONE)
        turn = await with_turn(storage, operation_id)
        order.append(user_id)
    assert set(order) == set(USERS) - {failing}
    assert order.index(huge) >= len(USERS) - 1 - TURNS


async def test_a_cancelled_operation_gives_no_turns(storage: Storage) -> None:
    """Those who were begun are settled by whoever works on them, and then it has ended."""
    await give_logs(storage, *USERS)
    operation_id = await start(storage)
    begun = (await items(storage, operation_id))[USERS[0]]
    async with storage.begin(ORG) as tx:
        await tx.operations.advance(begun, turns=1, generated=0)
        await tx.operations.cancel()
        await tx.operations.pass_turn(begun)
        await tx.operations.settle(begun, ItemStatus.CANCELLED)
    assert await with_turn(storage, operation_id) == []
    async with storage.read(ORG) as snapshot:
        assert (await snapshot.operations.get(operation_id)).status is OperationStatus.CANCELLED


@pytest.mark.full
async def test_a_long_log_is_read_a_slice_at_a_time(storage: Storage, clock, ids) -> None:
    """After its slice a user goes to the end of the line; if nobody else waits, it is its turn again at once."""
    for number, user_id in enumerate(USERS):
        await storage.append(ORG, said(*lines(10, 10 * number), request_id=f"r-{user_id}", user_id=user_id))
    async with storage.begin(ORG) as tx:
        for user_id in USERS:
            await tx.cursors.set_due(user_id, None)
            await tx.cursors.save(cursor_at(10, user_id=user_id))
    await start(storage)
    seen = Recorder(one_a_turn)
    learn = learning(storage, WordEmbedder(), clock, ids, groups=reading(seen), slice_seconds=0.0)
    order: list[str] = []
    while True:
        clock.advance(1)
        async with storage.read(ORG) as snapshot:
            longest_due = await snapshot.cursors.list_due(limit=1)
        if not longest_due:
            break
        order += longest_due
        await learn.run(ORG, longest_due[0])
    # Two windows each, and a last look that finds nothing left.
    assert sorted(order) == sorted(USERS * 3)
    firsts = [order.index(user_id) for user_id in USERS]
    seconds = [order.index(user_id, order.index(user_id) + 1) for user_id in USERS]
    assert min(seconds) > max(firsts)
    assert seen.stretches.count((1, 5)) == seen.stretches.count((6, 10)) == len(USERS)
