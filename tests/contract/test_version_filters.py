"""What swaps of some promise: two at once are one, and what they leave where it is misses no turn by them."""

import asyncio

import pytest

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.operation import OperationName, OperationParameters
from sagacity.domain.version import Upgraded, VersionFilter
from sagacity.storage.transaction import Storage
from support.learning import Recorder, WordEmbedder, cursor, due_at, learned, learning, lines, reading
from support.parts import ANNA, ORG, CountingIds, StoppedClock, opened, said
from support.versions import (
    ARCHIVED,
    CURRENT,
    PENDING,
    PLAYBOOK,
    PROFILES,
    add,
    cursors_of,
    read_to,
    statuses,
    upgrade,
)

ONE = "user_playbook:x1"


def of(version: str) -> VersionFilter:
    return VersionFilter(kind=PLAYBOOK, agent_versions=(version,))


async def second_upgrade(storage: Storage, ids: list[str]) -> Upgraded:
    """Upgrade as somebody else, who comes while another writes."""
    ids.append("came")
    return await upgrade(storage, PROFILES)


@pytest.mark.parametrize("meanwhile", ["an upgrade", "a rerun that starts"])
async def test_an_upgrade_that_waited_moves_nothing_that_is_pending_no_more(
    storage: Storage, database_url: str, clock: StoppedClock, meanwhile: str
) -> None:
    """A button that was pressed twice: what is in force stays so, and the way back stays open."""
    await storage.append(ORG, said("tea"))
    await add(storage, "now")
    await add(storage, "next", PENDING)
    came: list[str] = []
    async with opened(database_url, clock, CountingIds("other")) as other:
        async with storage.begin(ORG) as tx:
            if meanwhile == "an upgrade":
                await tx.versions.upgrade(PROFILES)
            else:
                await tx.operations.start(OperationName.PROFILE_GENERATION, OperationParameters())
                await tx.versions.discard_pending(PROFILES)
            late = asyncio.create_task(second_upgrade(other, came))
            while not came:
                await asyncio.sleep(0)
            await asyncio.wait([late], timeout=0.3)  # so that it has looked before the first one commits
        assert await late == Upgraded()
    upgraded = {"now": ARCHIVED, "next": CURRENT}
    assert await statuses(storage) == (upgraded if meanwhile == "an upgrade" else {"now": CURRENT})


def rules(window: Window) -> list[Candidate]:
    """Propose a playbook for each unread turn."""
    return [
        Candidate(kind=PLAYBOOK, content=turn.content, trigger=turn.content, evidence=(turn.interaction_id,))
        for turn in window.unread
    ]


@pytest.mark.parametrize("archive_current", [True, False])
@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({"agent_version": "v1"}, of("v1")),
        ({"agent_version": "v1"}, VersionFilter(kind=PLAYBOOK)),
        ({"source": "chat"}, VersionFilter(kind=PLAYBOOK)),
    ],
)
async def test_a_rerun_of_some_turns_keeps_none_of_the_others_from_being_learned(
    storage: Storage,
    clock: StoppedClock,
    ids: CountingIds,
    asked: dict,
    wanted: VersionFilter,
    *,
    archive_current: bool,
) -> None:
    """Those that waited to be read, and that the rerun left out, are learned once it is in force."""
    await storage.append(ORG, said(*lines(5), agent_version="v1", source="chat"))
    learn = learning(storage, WordEmbedder(), clock, ids, groups=reading(Recorder(rules, PLAYBOOK)))
    await learn.run(ORG, ANNA)
    waiting = lines(3, 100)  # less than a step, and the quiet time is not over
    await storage.append(ORG, said(*waiting, request_id="r2", agent_version="v2", source="mail"))
    async with storage.begin(ORG) as tx:
        await tx.operations.start(OperationName.PLAYBOOK_GENERATION, OperationParameters(**asked))
    await learn.run(ORG, ANNA)
    assert (await cursor(storage, ONE)).seq == (await cursor(storage, ONE, version=PENDING)).seq == 5
    assert (await upgrade(storage, wanted, archive_current=archive_current)).promoted_count == 5
    clock.advance(3600)
    await learn.run(ORG, ANNA, force=True)
    contents = [one.content for one in await learned(storage, MemoryKind.USER_PLAYBOOK)]
    assert sorted(set(contents)) == sorted([*lines(5), *waiting])
    assert (await cursor(storage, ONE)).seq == 8


async def test_a_rerun_of_some_turns_of_whom_nothing_was_learned_leaves_the_log_unread(
    storage: Storage, clock: StoppedClock, ids: CountingIds
) -> None:
    """As of a user whose turns all wait."""
    await storage.append(ORG, said(*lines(2), agent_version="v1"))
    learn = learning(storage, WordEmbedder(), clock, ids, groups=reading(Recorder(rules, PLAYBOOK)))
    async with storage.begin(ORG) as tx:
        asked = OperationParameters(agent_version="v1")
        await tx.operations.start(OperationName.PLAYBOOK_GENERATION, asked)
    await learn.run(ORG, ANNA)
    assert await cursors_of(storage) == {f"pending/{ONE}": 0}
    await upgrade(storage, of("v1"))
    assert await cursors_of(storage) == {ONE: 0, f"archived/{ONE}": 0}


async def test_agent_versions_that_are_swapped_one_by_one_lose_no_turn(storage: Storage) -> None:
    """A cursor holds for all agent versions: what comes back has read no further than the one that read least."""
    await storage.append(ORG, said(*lines(20)))
    for version in ("v1", "v2"):
        await add(storage, f"{version} former", kind=PLAYBOOK, name="x1", agent_version=version)
    await read_to(storage, 5, learner=ONE)
    await add(storage, "v1 next", PENDING, kind=PLAYBOOK, name="x1", agent_version="v1")
    await read_to(storage, 5, PENDING, learner=ONE)
    await upgrade(storage, of("v1"))
    await read_to(storage, 20, learner=ONE)
    await add(storage, "v1 of turns 6 to 20", kind=PLAYBOOK, name="x1", agent_version="v1")
    await add(storage, "v2 next", PENDING, kind=PLAYBOOK, name="x1", agent_version="v2")
    await read_to(storage, 20, PENDING, learner=ONE)
    await upgrade(storage, of("v2"))
    assert await cursors_of(storage) == {ONE: 20, f"archived/{ONE}": 5}
    await nothing_is_due(storage)
    async with storage.begin(ORG) as tx:
        await tx.versions.downgrade(of("v1"))
    assert (await statuses(storage, PLAYBOOK))["v1 of turns 6 to 20"] is ARCHIVED
    assert await cursors_of(storage) == {ONE: 5, f"archived/{ONE}": 5}
    assert await due_at(storage) is not None
    async with storage.begin(ORG) as tx:
        await tx.versions.downgrade(of("v2"))
    assert await cursors_of(storage) == {ONE: 5, f"archived/{ONE}": 5}


async def test_archive_that_holds_one_agent_version_is_as_far_as_that_was(storage: Storage) -> None:
    """Upgrades one after another do not lead back to the turns of the first of all."""
    for seq in (5, 20):
        for content, status in ((f"now {seq}", CURRENT), (f"next {seq}", PENDING)):
            await add(storage, content, status, kind=PLAYBOOK, name="x1", agent_version="v1")
            await read_to(storage, seq, status, learner=ONE)
        await upgrade(storage, of("v1"))
        assert await cursors_of(storage) == {ONE: seq, f"archived/{ONE}": seq}
    await read_to(storage, 30, learner=ONE)
    for seqs in ((20, 30), (20, 20)):
        async with storage.begin(ORG) as tx:
            await tx.versions.downgrade(of("v1"))
        current, archived = seqs
        assert await cursors_of(storage) == {ONE: current, f"archived/{ONE}": archived}


async def test_joining_one_agent_version_reads_none_of_the_others_turns(storage: Storage) -> None:
    """What joins may have read further; the others have not."""
    for current in (9, None):
        user = UserId(f"user {current}")
        content = f"next {current}"
        await add(storage, content, PENDING, kind=PLAYBOOK, user_id=user, name="x1", agent_version="v1")
        await read_to(storage, 12, PENDING, learner=ONE, user_id=user)
        if current is not None:
            await read_to(storage, current, learner=ONE, user_id=user)
    await upgrade(storage, of("v1"), archive_current=False)
    assert await cursors_of(storage, "user 9") == {ONE: 9}
    assert await cursors_of(storage, "user None") == {ONE: 0}


async def nothing_is_due(storage: Storage) -> None:
    async with storage.begin(ORG) as tx:
        await tx.cursors.set_due(UserId(ANNA), None)
