"""What listing memories promises: what holds now is current, and what was replaced can still be read."""

from datetime import timedelta

from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG, START, new_memory


async def test_superseded_memory_is_listed_among_the_archived(storage: Storage) -> None:
    """It stopped holding when its successor came, and stays readable."""
    async with storage.begin(ORG) as tx:
        [old] = await tx.memories.add([new_memory("Lives in Lyon.", uid="old")])
        archived = old.model_copy(update={"status": Status.ARCHIVED, "valid_to": START})
        await tx.memories.save([archived])
    later = START + timedelta(days=1)
    async with storage.read(ORG) as snapshot:
        for status, expected in ((Status.ARCHIVED, ["Lives in Lyon."]), (Status.CURRENT, [])):
            found = await snapshot.memories.list_newest(
                MemoryKind.PROFILE, user_id=ANNA, statuses=[status], valid_at=later, limit=9
            )
            assert [memory.content for memory in found] == expected
        counts, _ = await snapshot.memories.count_by_status(
            MemoryKind.PROFILE, valid_at=later, expiring_before=later
        )
    assert counts == {Status.ARCHIVED: 1}


async def test_current_memory_that_stopped_holding_is_neither_listed_nor_found(storage: Storage) -> None:
    """`valid_to` in the past hides a memory everywhere, as an expiry does."""
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory("Lives in Lyon.", uid="old", valid_to=START)])
    later = START + timedelta(days=1)
    wanted = Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA, valid_at=later)
    async with storage.read(ORG) as snapshot:
        assert not await snapshot.search.by_terms(wanted, "Lyon", 9)
        assert (
            await snapshot.memories.list_newest(
                MemoryKind.PROFILE, user_id=ANNA, statuses=[Status.CURRENT], valid_at=later, limit=9
            )
            == []
        )
