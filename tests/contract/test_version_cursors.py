"""What versions and cursors promise together: no turn is lost, whoever learns while versions are swapped."""

import asyncio

import pytest

from sagacity.domain.cursor import LEARN, REGENERATE
from sagacity.domain.errors import Conflict
from sagacity.domain.memory import Status
from sagacity.domain.version import Downgraded, Upgraded, VersionFilter
from sagacity.storage.transaction import Storage
from support.learning import cursor
from support.parts import (
    ANNA,
    BEN,
    ORG,
    CountingIds,
    StoppedClock,
    cursor_at,
    new_memory,
    opened,
    said,
)
from support.versions import (
    ARCHIVED,
    CURRENT,
    PENDING,
    PLAYBOOK,
    PROFILE,
    PROFILES,
    add,
    cursors_of,
    downgrade,
    read_to,
    statuses,
    upgrade,
)


async def test_cursors_go_with_their_versions(storage: Storage, clock: StoppedClock) -> None:
    """Turns that came since the rerun are read again, now; other learners and users are left alone."""
    for user_id in (ANNA, BEN):
        await storage.append(ORG, said("tea", request_id=f"r {user_id}", user_id=user_id))
        async with storage.begin(ORG) as tx:
            await tx.cursors.set_due(user_id, None)
    await add(storage, "now")
    await add(storage, "next", PENDING)
    await add(storage, "ben's", user_id=BEN)
    await read_to(storage, 9)
    await read_to(storage, 7, PENDING)
    await read_to(storage, 5, learner="user_playbook:one")
    await read_to(storage, 4, user_id=BEN)
    only = PROFILES.model_copy(update={"only_affected_users": True})
    await upgrade(storage, only)
    kept = {"user_playbook:one": 5}
    assert await cursors_of(storage) == kept | {"profile:one": 7, "archived/profile:one": 9}
    assert await cursors_of(storage, BEN) == {"profile:one": 4}
    async with storage.read(ORG) as snapshot:
        assert await snapshot.cursors.list_due(limit=9) == [ANNA]
    async with storage.begin(ORG) as tx:
        await tx.cursors.set_due(ANNA, None)
    await downgrade(storage, only.model_copy(update={"user_ids": (ANNA,)}))
    assert await cursors_of(storage) == kept | {"profile:one": 9, "archived/profile:one": 7}
    async with storage.read(ORG) as snapshot:
        assert await snapshot.cursors.list_due(limit=9) == []  # all that it had read is current again


async def test_user_of_whom_the_rerun_knew_nothing_is_learned_anew(storage: Storage) -> None:
    """An upgrade of everybody archives also those who came after the rerun: their logs are read from the beginning."""
    await storage.append(ORG, said("tea"))
    async with storage.begin(ORG) as tx:
        await tx.cursors.set_due(ANNA, None)
    await add(storage, "now")
    await read_to(storage, 9)
    await add(storage, "next", PENDING, user_id=BEN)
    assert await upgrade(storage) == Upgraded(archived_count=1, promoted_count=1)
    assert await cursors_of(storage) == {"profile:one": 0, "archived/profile:one": 9}
    async with storage.read(ORG) as snapshot:
        assert await snapshot.cursors.list_due(limit=9) == [ANNA]
    await downgrade(storage)
    assert await cursors_of(storage) == {"profile:one": 9, "archived/profile:one": 0}


async def test_archive_that_is_emptied_takes_its_cursor_along(storage: Storage) -> None:
    """Also of a user of whom nothing else is moved: what is archived later starts with no cursor of what is gone."""
    await storage.append(ORG, said("tea"))
    await add(storage, "gone")
    await read_to(storage, 4)
    for _ in range(
        2
    ):  # first Anna's is archived for Ben's sake, then it makes room, and nothing of hers is moved
        await add(storage, "ben's", PENDING, user_id=BEN)
        await upgrade(storage)
    assert await cursors_of(storage) == {"profile:one": 0}
    await add(storage, "read again")
    await read_to(storage, 2)
    await downgrade(storage)
    assert await cursors_of(storage) == {"profile:one": 0, "archived/profile:one": 2}


async def test_version_that_was_written_by_hand_leaves_cursors_as_they_are(storage: Storage) -> None:
    """Nobody reads anything again because a client wrote memories of a version itself."""
    await storage.append(ORG, said("tea"))
    async with storage.begin(ORG) as tx:
        await tx.cursors.set_due(ANNA, None)
    await add(storage, "now")
    await add(storage, "next", PENDING)
    await read_to(storage, 9)
    for _ in range(2):
        assert await upgrade(storage) == Upgraded(archived_count=1, promoted_count=1)
        assert await cursors_of(storage) == {"profile:one": 9}
        assert await downgrade(storage) == Downgraded(demoted_count=1, restored_count=1)
        assert await cursors_of(storage) == {"profile:one": 9}
        async with storage.read(ORG) as snapshot:
            assert await snapshot.cursors.list_due(limit=9) == []
        async with storage.begin(ORG) as tx:
            await tx.memories.delete(PROFILE)
        await add(storage, "now")
        await add(storage, "next", PENDING)


async def test_cursors_of_named_playbooks_move(storage: Storage) -> None:
    """The learner of a playbook has the playbook's name."""
    for name in ("one", "one more"):
        await add(storage, f"now {name}", kind=PLAYBOOK, name=name)
        await add(storage, f"next {name}", PENDING, kind=PLAYBOOK, name=name)
        await read_to(storage, 9, learner=f"user_playbook:{name}")
        await read_to(storage, 8, PENDING, learner=f"user_playbook:{name}")
    await upgrade(storage, VersionFilter(kind=PLAYBOOK, names=("one",)))
    assert await cursors_of(storage) == {
        "user_playbook:one": 8,
        "archived/user_playbook:one": 9,
        "user_playbook:one more": 9,
        "pending/user_playbook:one more": 8,
    }


@pytest.mark.parametrize(("current", "pending", "then"), [(9, 7, 9), (9, 9, 9), (4, 7, 7), (None, 7, 7)])
async def test_joining_versions_are_as_far_as_the_further_one(
    storage: Storage, current: int | None, pending: int, then: int
) -> None:
    """Nothing is read again without need, and the archive's cursor stays."""
    await add(storage, "next", PENDING)
    if current is not None:
        await read_to(storage, current)
    await read_to(storage, pending, PENDING)
    await read_to(storage, 3, ARCHIVED)
    await upgrade(storage, archive_current=False)
    assert await cursors_of(storage) == {"profile:one": then, "archived/profile:one": 3}


async def test_learner_that_read_before_an_upgrade_writes_nothing(
    storage: Storage, clock: StoppedClock
) -> None:
    """What it decided by the former version is decided anew; it can hold its lease again at once."""
    for user_id in (ANNA, BEN):
        await storage.append(ORG, said("tea", request_id=user_id, user_id=user_id))
    await add(storage, "now")
    await add(storage, "next", PENDING)
    await read_to(storage, 5)
    await read_to(storage, 5, PENDING)  # the cursor looks as it did
    async with storage.begin(ORG) as tx:
        lease = await tx.leases.claim(LEARN, "worker", 60, user_id=ANNA)
        other = await tx.leases.claim(LEARN, "worker", 60, user_id=BEN)
    assert lease is not None
    assert other is not None
    await upgrade(storage, VersionFilter(kind=PROFILE, user_ids=(ANNA,)))
    with pytest.raises(Conflict, match="taken over"):
        async with storage.begin(ORG) as tx:
            await tx.leases.check(lease)
    async with storage.begin(ORG) as tx:
        await tx.leases.check(other)
        assert await tx.leases.claim(lease.task, "another", 60, user_id=lease.user_id) is not None


@pytest.mark.parametrize("pending", [None, 2, 5])
async def test_cursor_that_moved_with_its_version_is_not_written_over(
    storage: Storage, pending: int | None
) -> None:
    """A window that was read before is done again from where the version in force stands."""
    await add(storage, "now")
    await add(storage, "next", PENDING)
    await read_to(storage, 4)
    await read_to(storage, 3, PENDING, learner="profile:two")
    if pending is not None:
        await read_to(storage, pending, PENDING)
    await upgrade(storage)
    for version, seq in ((CURRENT, 4), (PENDING, 2)):  # a rerun begins anew after an upgrade
        read = cursor_at(seq, learner="profile:one", version=version)
        async with storage.begin(ORG) as tx:
            with pytest.raises(Conflict):
                await tx.cursors.save(read.model_copy(update={"seq": 6}), read=read)
    of_two = {"profile:two": 3, "archived/profile:two": 0}
    assert await cursors_of(storage) == of_two | {"profile:one": pending or 0, "archived/profile:one": 4}


async def test_learners_and_upgrades_at_once_lose_no_turn(
    storage: Storage, database_url: str, clock: StoppedClock
) -> None:
    """However they meet, the version in force has what was learned of every turn that its cursor says was read."""
    users = [f"user-{number}" for number in range(3)]
    for user_id in users:
        await storage.append(
            ORG, said(*("tea" for _ in range(12)), request_id=f"r {user_id}", user_id=user_id)
        )

    async def learn(at: Storage, user_id: str, version: Status) -> None:
        lease = LEARN if version is CURRENT else REGENERATE
        for attempt in range(20):
            try:
                await step(at, user_id, version, (lease, f"{attempt}"))
            except Conflict:
                await asyncio.sleep(0)

    async def step(at: Storage, user_id: str, version: Status, held: tuple[str, str]) -> None:
        async with at.begin(ORG) as tx:
            lease = await tx.leases.claim(*held, 60, user_id=user_id)
        assert lease is not None
        read = await cursor(at, "profile:one", user_id, version=version)
        await asyncio.sleep(0.002)
        if read.seq < 12:
            async with at.begin(ORG) as tx:
                await tx.leases.check(lease)
                content = f"{user_id} turn {read.seq + 1}"
                await tx.memories.add([new_memory(content, user_id=user_id, status=version)])
                await tx.cursors.save(read.model_copy(update={"seq": read.seq + 1}), read=read)
        async with at.begin(ORG) as tx:
            await tx.leases.finish(lease)

    async def swap(at: Storage) -> int:
        moved = 0
        for number in range(6):
            await asyncio.sleep(0.02)
            if number % 3 == 2:
                moved += (await downgrade(at)).restored_count
            else:
                moved += (await upgrade(at)).promoted_count
        return moved

    async with opened(database_url, clock, CountingIds("other")) as other:
        async with asyncio.timeout(60):
            moved, *_ = await asyncio.gather(
                swap(other),
                *(learn(storage, user_id, CURRENT) for user_id in users),
                *(learn(other, user_id, PENDING) for user_id in users),
            )
    assert moved > 0
    for user_id in users:
        cursors = await cursors_of(storage, user_id)
        async with storage.read(ORG) as snapshot:
            found = await snapshot.memories.list_newest(
                PROFILE, user_id=user_id, statuses=[CURRENT], limit=99
            )
        expected = [f"{user_id} turn {number}" for number in range(1, cursors["profile:one"] + 1)]
        assert sorted(one.content for one in found) == sorted(expected)
    await statuses(storage)
