"""What versions promise: put in force, taken back and thrown away as a whole, and nothing of a log is lost by it."""

from datetime import timedelta

import pytest

from sagacity.domain.change import ChangeAction
from sagacity.domain.memory import ArchivedBy, MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.domain.version import Downgraded, Upgraded, VersionFilter
from sagacity.storage.memories.history import with_history
from sagacity.storage.transaction import Storage
from support.parts import (
    ANNA,
    BEN,
    ORG,
    OTHER_ORG,
    START,
    StoppedClock,
    new_memory,
    said,
    unit_rows,
)
from support.vector_indexes import DIMENSION
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
    put_away,
    read_to,
    statuses,
    upgrade,
)


async def test_upgrade_puts_pending_in_force(storage: Storage, clock: StoppedClock) -> None:
    """What was archived by the one before is deleted; what was current can come back; nothing looks newer."""
    for content, status in (("old", ARCHIVED), ("now", CURRENT), ("next", PENDING), ("then", PENDING)):
        await add(storage, content, status)
    async with storage.begin(OTHER_ORG) as tx:
        await tx.memories.add([new_memory("theirs", status=PENDING)])
    at = clock.advance(60)
    assert await upgrade(storage) == Upgraded(deleted_count=1, archived_count=1, promoted_count=2)
    assert await statuses(storage) == {"now": ARCHIVED, "next": CURRENT, "then": CURRENT}
    async with storage.read(ORG) as snapshot:
        found = {one.content: one for one in await snapshot.memories.list_newest(PROFILE, limit=9)}
    assert {one.updated_at for one in found.values()} == {START}
    assert (found["now"].archived_at, found["next"].archived_at) == (at, None)
    async with storage.read(OTHER_ORG) as snapshot:
        [theirs] = await snapshot.memories.list_newest(PROFILE, limit=9)
    assert theirs.status is PENDING


async def test_upgrade_with_nothing_pending_changes_nothing(storage: Storage) -> None:
    """Not even what an earlier upgrade archived."""
    for content, status in (("old", ARCHIVED), ("now", CURRENT)):
        await add(storage, content, status)
    await add(storage, "rule", PENDING, kind=PLAYBOOK)
    before = await cursors_of(storage)
    assert await upgrade(storage) == Upgraded()
    assert await statuses(storage) == {"old": ARCHIVED, "now": CURRENT}
    assert await cursors_of(storage) == before


async def test_downgrade_takes_an_upgrade_back_and_again(storage: Storage, clock: StoppedClock) -> None:
    """Current and archived change places each time; without an archive nothing changes."""
    assert await downgrade(storage) == Downgraded()
    await add(storage, "now")
    assert await downgrade(storage) == Downgraded()
    for content in ("next", "then"):
        await add(storage, content, PENDING)
    await upgrade(storage)
    assert await downgrade(storage) == Downgraded(demoted_count=2, restored_count=1)
    assert await statuses(storage) == {"now": CURRENT, "next": ARCHIVED, "then": ARCHIVED}
    assert await downgrade(storage) == Downgraded(demoted_count=1, restored_count=2)
    assert await statuses(storage) == {"now": ARCHIVED, "next": CURRENT, "then": CURRENT}


async def test_upgrade_without_archiving_adds_to_what_is_current(storage: Storage) -> None:
    """And leaves the archive, which is still what a downgrade brings back."""
    for content, status in (("old", ARCHIVED), ("now", CURRENT), ("next", PENDING)):
        await add(storage, content, status)
    assert await upgrade(storage, archive_current=False) == Upgraded(promoted_count=1)
    assert await statuses(storage) == {"old": ARCHIVED, "now": CURRENT, "next": CURRENT}


async def test_history_is_no_version(storage: Storage, clock: StoppedClock) -> None:
    """What was superseded, or put away by a person, is neither restored nor deleted, until what followed it goes."""
    now = await add(storage, "now")
    before, long_before = await add(storage, "before"), await add(storage, "long before")
    await put_away(storage, long_before, ArchivedBy.LEARNER, successor=before)
    await put_away(storage, before, ArchivedBy.LEARNER, successor=now)
    await put_away(storage, await add(storage, "unwanted"), ArchivedBy.PERSON)
    history = {"before": ARCHIVED, "long before": ARCHIVED, "unwanted": ARCHIVED}
    assert await downgrade(storage) == Downgraded()
    await add(storage, "next", PENDING)
    assert await upgrade(storage) == Upgraded(archived_count=1, promoted_count=1)
    assert await statuses(storage) == history | {"now": ARCHIVED, "next": CURRENT}
    assert await downgrade(storage) == Downgraded(demoted_count=1, restored_count=1)
    assert await downgrade(storage) == Downgraded(demoted_count=1, restored_count=1)
    assert await statuses(storage) == history | {"now": ARCHIVED, "next": CURRENT}
    await add(storage, "after", PENDING)
    assert await upgrade(storage) == Upgraded(deleted_count=3, archived_count=1, promoted_count=1)
    assert await statuses(storage) == {"unwanted": ARCHIVED, "next": ARCHIVED, "after": CURRENT}


async def test_restored_by_a_person_is_part_of_its_version_again(storage: Storage) -> None:
    """Who put a memory away is known only as long as it is."""
    memory = await add(storage, "now")
    await put_away(storage, memory, ArchivedBy.PERSON)
    async with storage.begin(ORG) as tx:
        found = await tx.memories.get(memory.memory_id)
        assert found.archived_by is ArchivedBy.PERSON
        await tx.memories.save([found.model_copy(update={"status": CURRENT})])
        assert (await tx.memories.get(memory.memory_id)).archived_by is ArchivedBy.VERSION
    await add(storage, "next", PENDING)
    await upgrade(storage)
    assert await downgrade(storage) == Downgraded(demoted_count=1, restored_count=1)


def test_history_leads_to_what_is_deleted() -> None:
    """All that came before the deleted goes, in any order of the links; what leads elsewhere, or round, stays."""
    links = [(1, 2), (3, 9), (2, 5), (4, 5), (7, 8), (8, 7)]
    assert with_history([5, 6], links) == [1, 2, 4, 5, 6]
    assert with_history([7], links) == [7, 8]
    assert with_history([], links) == []


@pytest.mark.parametrize(
    ("wanted", "moved"),
    [
        ({"user_ids": (ANNA,)}, "anna one v1, anna two v1, anna one v2"),
        ({"names": ("two",)}, "anna two v1, ben two v1"),
        ({"agent_versions": ("v2",)}, "anna one v2"),
        ({"names": ("one",), "user_ids": (ANNA, BEN), "agent_versions": ("v1", "v4")}, "anna one v1"),
        ({"names": ("none",)}, ""),
    ],
)
async def test_filters_hold_for_every_step(storage: Storage, wanted: dict, moved: str) -> None:
    """What they do not name is neither deleted, nor archived, nor promoted, nor taken back."""
    rows = ["anna one v1", "anna two v1", "anna one v2", "ben two v1", "ben one v3"]
    for row in rows:
        user_id, name, agent_version = row.split()
        for status in (ARCHIVED, CURRENT, *(() if row == "ben one v3" else (PENDING,))):
            content, owner = f"{row} {status}", {"anna": ANNA, "ben": BEN}[user_id]
            await add(
                storage, content, status, kind=PLAYBOOK, user_id=owner, name=name, agent_version=agent_version
            )
    chosen = VersionFilter(kind=PLAYBOOK, **wanted)
    before = await statuses(storage, PLAYBOOK)
    named = [row for row in rows if row in moved.split(", ")]
    count = len(named)
    done = await upgrade(storage, chosen)
    assert done == Upgraded(deleted_count=count, archived_count=count, promoted_count=count)
    after = {
        content: status
        for content, status in before.items()
        if content not in {f"{row} archived" for row in named}
    }
    for row in named:
        after |= {f"{row} current": ARCHIVED, f"{row} pending": CURRENT}
    assert await statuses(storage, PLAYBOOK) == after
    assert await downgrade(storage, chosen) == Downgraded(demoted_count=count, restored_count=count)
    for row in named:
        after |= {f"{row} current": CURRENT, f"{row} pending": ARCHIVED}
    assert await statuses(storage, PLAYBOOK) == after


async def test_users_without_anything_pending_can_be_left_alone(storage: Storage) -> None:
    """With `only_affected_users`, which holds for the deletion too; and for a downgrade by what is archived."""
    for user_id, status in (
        (ANNA, ARCHIVED),
        (ANNA, CURRENT),
        (ANNA, PENDING),
        (BEN, ARCHIVED),
        (BEN, CURRENT),
    ):
        await add(storage, f"{user_id} {status}", status, user_id=user_id)
    await add(storage, "cleo current", user_id="cleo")
    only = PROFILES.model_copy(update={"only_affected_users": True})
    assert await upgrade(storage, only) == Upgraded(deleted_count=1, archived_count=1, promoted_count=1)
    others = {"ben archived": ARCHIVED, "ben current": CURRENT, "cleo current": CURRENT}
    assert await statuses(storage) == others | {"anna current": ARCHIVED, "anna pending": CURRENT}
    assert await downgrade(storage, only) == Downgraded(demoted_count=2, restored_count=2)
    assert (await statuses(storage))["cleo current"] is CURRENT
    assert await downgrade(storage) == Downgraded(demoted_count=3, restored_count=2)


async def test_chosen_memories_move_alone_and_no_cursor_with_them(storage: Storage) -> None:
    """Some of a version are not the version: how far it was learned does not change."""
    now, following = await add(storage, "now"), await add(storage, "next", PENDING)
    await add(storage, "also now")
    await read_to(storage, 9)
    await read_to(storage, 7, PENDING)
    chosen = VersionFilter(kind=PROFILE, memory_ids=(now.memory_id, following.memory_id))
    assert await upgrade(storage, chosen) == Upgraded(archived_count=1, promoted_count=1)
    assert await statuses(storage) == {"now": ARCHIVED, "next": CURRENT, "also now": CURRENT}
    assert await downgrade(storage, chosen) == Downgraded(demoted_count=1, restored_count=1)
    assert await cursors_of(storage) == {"profile:one": 9, "pending/profile:one": 7}


async def test_playbooks_of_the_tenant_have_versions_too(storage: Storage) -> None:
    """They are nobody's, also where only those affected are wanted."""
    for content, status in (("now", CURRENT), ("next", PENDING)):
        await add(storage, content, status, kind=MemoryKind.AGENT_PLAYBOOK, user_id=None)
    wanted = VersionFilter(kind=MemoryKind.AGENT_PLAYBOOK, only_affected_users=True)
    assert await upgrade(storage, wanted) == Upgraded(archived_count=1, promoted_count=1)
    assert await downgrade(storage, wanted) == Downgraded(demoted_count=1, restored_count=1)


async def test_discarded_version_leaves_nothing_behind(storage: Storage) -> None:
    """Pending memories go with what they superseded and with their cursors; all else stays."""
    await add(storage, "now")
    following = await add(storage, "next", PENDING, name="one")
    draft, first_draft = await add(storage, "draft", PENDING), await add(storage, "first draft", PENDING)
    await put_away(storage, first_draft, ArchivedBy.LEARNER, successor=draft)
    await put_away(storage, draft, ArchivedBy.LEARNER, successor=following)
    await add(storage, "other", PENDING, name="two")
    for learner in ("profile:one", "profile:two"):
        await read_to(storage, 9, learner=learner)
        await read_to(storage, 7, PENDING, learner=learner)
    await storage.append(ORG, said("tea"))
    async with storage.begin(ORG) as tx:
        assert await tx.versions.discard_pending(VersionFilter(kind=PROFILE, user_ids=(BEN,))) == 0
        chosen = VersionFilter(kind=PROFILE, user_ids=(ANNA,), names=("one",))
        assert await tx.versions.discard_pending(chosen) == 3
    assert await statuses(storage) == {"now": CURRENT, "other": PENDING}
    assert set(await cursors_of(storage)) == {"profile:one", "profile:two", "pending/profile:two"}
    async with storage.begin(ORG) as tx:
        assert await tx.versions.discard_pending(PROFILES) == 1
    assert await statuses(storage) == {"now": CURRENT}
    assert set(await cursors_of(storage)) == {"profile:one", "profile:two"}


async def test_versions_are_listed_by_user(storage: Storage) -> None:
    """Each with its memories in the order they came about, without history; and one can ask whether there are any."""
    for user_id, status in (
        (BEN, PENDING),
        (ANNA, CURRENT),
        (BEN, CURRENT),
        (ANNA, ARCHIVED),
        ("cleo", CURRENT),
    ):
        await add(storage, f"{user_id} {status}", status, user_id=user_id)
    await put_away(storage, await add(storage, "unwanted"), ArchivedBy.PERSON)
    only = PROFILES.model_copy(update={"only_affected_users": True})
    async with storage.read(ORG) as snapshot:
        versions = snapshot.versions
        both = await versions.of_users(PROFILES, [CURRENT, PENDING], limit=9)
        assert [one.content for one in both] == ["anna current", "ben pending", "ben current", "cleo current"]
        assert [one.content for one in await versions.of_users(PROFILES, [ARCHIVED], limit=9)] == [
            "anna archived"
        ]
        affected = await versions.of_users(only, [CURRENT, PENDING], limit=9)
        assert [one.content for one in affected] == ["ben pending", "ben current"]
        assert await versions.of_users(PROFILES, [CURRENT, PENDING], limit=2) == both[:2]
        assert await versions.has(PROFILES, PENDING)
        of_anna = VersionFilter(kind=PROFILE, user_ids=(ANNA,))
        assert [await versions.has(of_anna, status) for status in Status] == [True, False, True, False]


async def test_each_memory_that_moved_is_in_the_change_log(storage: Storage, clock: StoppedClock) -> None:
    """One row each without its content, of one run a call; the log of what learners did does not show them."""
    now, following = await add(storage, "now"), await add(storage, "next", PENDING)
    await upgrade(storage)
    clock.advance(1)
    await downgrade(storage)
    async with storage.read(ORG) as snapshot:
        rows = await snapshot.changes.of_memories([now.memory_id, following.memory_id], limit=9)
        assert await snapshot.changes.list_runs(PROFILE, limit=9) == []
    assert {(one.memory_id, one.action, one.actor, one.before, one.after) for one in rows} == {
        (now.memory_id, ChangeAction.ARCHIVED, "api", None, None),
        (following.memory_id, ChangeAction.PROMOTED, "api", None, None),
        (now.memory_id, ChangeAction.RESTORED, "api", None, None),
        (following.memory_id, ChangeAction.DEMOTED, "api", None, None),
    }
    assert len({one.run_id for one in rows}) == 2
    assert [one.created_at for one in rows] == [START, START, *[START + timedelta(seconds=1)] * 2]


async def test_search_follows_at_once(vectors_storage: Storage) -> None:
    """By word and by vector what is in force is found, with the vectors that were there, in every way of searching."""
    storage = vectors_storage
    rows = dict(zip(("now", "next"), unit_rows(2, DIMENSION), strict=True))
    for content, status in (("now", CURRENT), ("next", PENDING)):
        async with storage.begin(ORG) as tx:
            new = new_memory(f"tea {content}", status=status, uid=content, valid_to=START + timedelta(days=9))
            await tx.memories.add([new], vectors={new.uid: rows[content]})

    async def found(**wanted) -> tuple[list[int], list[int]]:
        asked = Filter(kinds=(PROFILE,), user_id=ANNA, **wanted)
        async with storage.read(ORG) as snapshot:
            by_vector = await snapshot.search.by_vector(asked, rows["now"], 9)
            by_terms = await snapshot.search.by_terms(asked, "tea", 9)
        return [hit.owner_id for hit in by_vector.hits], [hit.owner_id for hit in by_terms]

    async with storage.read(ORG) as snapshot:
        known = await snapshot.memories.find_uids(["now", "next"])
    now, following = known["now"].memory_id, known["next"].memory_id
    assert await found(statuses=(CURRENT,)) == ([now], [now])
    await upgrade(storage)
    assert await found(statuses=(CURRENT,)) == ([following], [following])
    assert await found(statuses=(ARCHIVED,)) == ([now], [now])
    later = START + timedelta(days=10)
    assert await found(statuses=(ARCHIVED,), valid_at=later) == ([now], [now])
    assert await found(statuses=(CURRENT,), valid_at=later) == ([], [])
    async with storage.read(ORG) as snapshot:
        assert await snapshot.search.unembedded(9) == []
