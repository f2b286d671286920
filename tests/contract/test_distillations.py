"""What a run that distils remembers for the next one."""

import asyncio

import pytest

from sagacity.domain.distillation import Distillation
from sagacity.storage.transaction import Storage
from support.parts import ORG, OTHER_ORG, START

pytestmark = pytest.mark.either_database

SUPPORT = ("aggregation", "support", "v1")
LONG = "ü" * 2_000


async def remember(storage: Storage, *which: str, tenant=ORG, **changes) -> None:
    async with storage.begin(tenant) as tx:
        held = await tx.distillations.lock(*(which or SUPPORT))
        await tx.distillations.save(held.model_copy(update=changes))


async def test_what_is_saved_comes_back(storage: Storage) -> None:
    """All of it; and what never ran stands at the start."""
    changes = {"last_read": -1, "attempts": 2, "error": "e", "cooldown_from": START}
    await remember(storage, **changes)
    async with storage.read(ORG) as snapshot:
        learner, name, version = SUPPORT
        kept = Distillation(learner=learner, name=name, agent_version=version, **changes)
        assert await snapshot.distillations.get(*SUPPORT) == kept
        start = Distillation(learner=learner, name=name, agent_version="v2")
        assert await snapshot.distillations.get(learner, name, "v2") == start
        found = await snapshot.distillations.of(learner, [(name, "v2"), (name, version)])
        assert found == {(name, "v2"): start, (name, version): kept}
        assert await snapshot.distillations.of(learner, []) == {}


async def test_it_may_go_back(storage: Storage) -> None:
    """What was lost or reworded is read again."""
    await remember(storage, last_read=7, cooldown_from=START)
    await remember(storage, last_read=3, cooldown_from=None)
    async with storage.read(ORG) as snapshot:
        found = await snapshot.distillations.get(*SUPPORT)
    assert (found.last_read, found.cooldown_from) == (3, None)


@pytest.mark.parametrize(
    "other",
    [
        ("skills", "support", "v1"),
        ("aggregation", "support:v1", ""),
        ("aggregation", LONG, "v1"),
        ("aggregation", LONG + "x", "v1"),
        ("aggregation", "support", LONG),
        ("aggregation", "support", LONG + "x"),
    ],
    ids=["learner", "colon", "long name", "longer name", "long version", "longer version"],
)
async def test_no_two_share_what_they_remember(storage: Storage, other: tuple[str, str, str]) -> None:
    """However long and alike their names; nor do two organisations."""
    others = [
        ("skills", LONG, LONG),
        ("aggregation", LONG + "y", "v1"),
        ("aggregation", "support", LONG + "y"),
    ]
    for number, which in enumerate([SUPPORT, other, *others], start=1):
        await remember(storage, *which, last_read=number)
    await remember(storage, *other, tenant=OTHER_ORG, last_read=9)
    async with storage.read(ORG) as snapshot:
        found = [await snapshot.distillations.get(*which) for which in (SUPPORT, other, *others)]
    assert [one.last_read for one in found] == [1, 2, 3, 4, 5]
    assert (found[1].name, found[1].agent_version) == other[1:]


async def test_who_holds_it_is_waited_for(storage: Storage) -> None:
    """Two transactions that change it at once lose neither change."""

    async def count_up() -> None:
        async with storage.begin(ORG) as tx:
            held = await tx.distillations.lock(*SUPPORT)
            await asyncio.sleep(0)
            await tx.distillations.save(held.model_copy(update={"last_read": held.last_read + 1}))

    await asyncio.gather(*(count_up() for _ in range(8)))
    async with storage.read(ORG) as snapshot:
        assert (await snapshot.distillations.get(*SUPPORT)).last_read == 8
