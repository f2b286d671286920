"""How often memories are used: counted in memory, written for many together, and not lost with a broken connection."""

import pytest

from sagacity.domain.memory import MemoryKind
from sagacity.domain.user_memory import TYPED_KINDS
from sagacity.memories.access import MOST_WAITING, Accesses
from sagacity.storage.transaction import Storage
from support.faults import Faulty, with_memories
from support.parts import ANNA, ORG, OTHER_ORG, StoppedClock, new_memory


@pytest.fixture
async def stored(storage: Storage) -> list:
    """Three memories of Anna's."""
    async with storage.begin(ORG) as transaction:
        return await transaction.memories.add([new_memory(f"fact {n}", uid=f"m{n}") for n in range(3)])


async def counts(storage: Storage) -> dict[str, int]:
    async with storage.read(ORG) as snapshot:
        found = await snapshot.user_memories.page(ANNA, TYPED_KINDS, limit=9)
    return {one.uid: one.access_count for one in found}


async def test_uses_are_added_up_by_number_and_by_uid(storage: Storage, stored: list, clock) -> None:
    """What is unknown, or another organisation's, is passed over; a second flush has nothing to write."""
    accesses = Accesses(storage, clock)
    accesses.note(ORG, [stored[0].memory_id, "m0", "m1", "nobody's", 987_654])
    accesses.note(ORG, ["m1"])
    accesses.note(OTHER_ORG, [stored[2].memory_id, "m2"])
    clock.advance(60)
    await accesses.flush()
    assert await counts(storage) == {"m0": 2, "m1": 2, "m2": 0}
    await accesses.flush()
    assert await counts(storage) == {"m0": 2, "m1": 2, "m2": 0}
    async with storage.read(ORG) as snapshot:
        one = await snapshot.memories.get_by_uid("m0", kind=MemoryKind.PROFILE)
    assert (one.last_accessed_at, one.updated_at) == (clock.now(), stored[0].updated_at)


@pytest.mark.own_database
async def test_uses_wait_while_the_database_is_away(
    storage: Storage, stored: list, clock: StoppedClock
) -> None:
    """And are written once when it is back, as far as there was room for them."""
    accesses = Accesses(storage, clock)
    real = storage.backend
    storage.backend = Faulty(real, with_memories(), after_commit=False)
    accesses.note(ORG, ["m0", "m0", stored[1].memory_id])
    await accesses.flush()
    storage.backend = real
    assert await counts(storage) == {"m0": 0, "m1": 0, "m2": 0}
    accesses.note(ORG, range(10_000_000, 10_000_000 + MOST_WAITING))
    accesses.note(ORG, ["m2", "m0"])
    await accesses.flush()
    assert await counts(storage) == {"m0": 3, "m1": 1, "m2": 0}


async def test_what_was_noted_is_written_at_the_end(storage: Storage, stored: list, clock) -> None:
    accesses = Accesses(storage, clock, seconds=3_600)
    await accesses.start()
    accesses.note(ORG, ["m1"])
    await accesses.stop()
    assert await counts(storage) == {"m0": 0, "m1": 1, "m2": 0}
