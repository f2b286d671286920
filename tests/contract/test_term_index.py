"""What is kept of terms in memory never shows: not what was rolled back, nor less or more than a reader may see."""

import copy

import pytest

from sagacity.domain.ids import UserId
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Filter
from sagacity.storage.search.term_index import TermIndex
from sagacity.storage.transaction import Storage, Transaction
from support.parts import ANNA, ORG, CountingIds, StoppedClock, new_memory

OF_ANNA = Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA)
OF_ALL = Filter(kinds=(MemoryKind.PROFILE,))


async def add(storage: Storage, *texts: str, user_id: str = ANNA) -> list[Memory]:
    async with storage.begin(ORG) as tx:
        return await tx.memories.add([new_memory(text, user_id=UserId(user_id)) for text in texts])


async def said_by(tx: Transaction, word: str, wanted: Filter = OF_ANNA) -> list[str]:
    """What memories say that have a word, in the order of their numbers."""
    hits = await tx.search.by_terms(wanted, word, 99)
    found = await tx.memories.get_many(sorted(hit.owner_id for hit in hits))
    assert len(found) == len(hits)
    return [memory.content for memory in found]


async def found(storage: Storage, word: str, wanted: Filter = OF_ANNA) -> list[str]:
    async with storage.read(ORG) as snapshot:
        return await said_by(snapshot, word, wanted)


async def test_what_was_rolled_back_was_never_there(storage: Storage) -> None:
    """A transaction finds what it wrote; nobody else ever does, nor it in what comes next under the same revision."""
    await add(storage, "green tea")
    assert await found(storage, "tea") == ["green tea"]
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with storage.begin(ORG) as tx:
            await tx.memories.add([new_memory("white tea")])
            assert await said_by(tx, "tea") == ["green tea", "white tea"]
            raise ZeroDivisionError
    assert await found(storage, "tea") == ["green tea"]
    await add(storage, "black tea")  # perhaps in the place that the other would have had
    assert await found(storage, "black") == ["black tea"]
    assert await found(storage, "white") == []


async def test_what_another_process_writes_is_found(
    storage: Storage, clock: StoppedClock, ids: CountingIds
) -> None:
    """Added, changed and deleted by one that keeps its own terms."""
    backend = copy.copy(storage.backend)
    backend.terms = TermIndex()
    other = Storage(backend, clock=clock, ids=ids)
    green, black = await add(storage, "green tea", "black tea")
    for one in (storage, other):
        assert await found(one, "tea") == ["green tea", "black tea"]
    await add(other, "white tea")
    assert await found(storage, "tea") == ["green tea", "black tea", "white tea"]
    async with other.begin(ORG) as tx:
        await tx.memories.save([green.model_copy(update={"content": "green coffee"})])
    assert await found(storage, "green tea") == ["green coffee", "black tea", "white tea"]
    assert await found(storage, "tea") == ["black tea", "white tea"]
    async with other.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, ids=[black.memory_id])
    assert await found(storage, "tea") == ["white tea"]


async def test_a_snapshot_finds_what_there_was_at_its_moment(storage: Storage) -> None:
    """Also when others have read later ones since; and these go on finding what is there now."""
    await add(storage, "green tea")
    async with storage.read(ORG) as early:
        assert await said_by(early, "tea") == ["green tea"]
        await add(storage, "black tea")
        assert await found(storage, "tea") == ["green tea", "black tea"]
        assert await said_by(early, "tea") == ["green tea"]
    assert await found(storage, "tea") == ["green tea", "black tea"]


@pytest.mark.parametrize("users", [3, 60])
async def test_few_and_many_changed_scopes_are_read(storage: Storage, users: int) -> None:
    """Of an organisation some users are known as they are, some changed since, and some were never read."""
    names = [f"user-{number}" for number in range(users)]
    for name in names[: users * 2 // 3]:
        await add(storage, f"tea of {name}", user_id=name)
    assert len(await found(storage, "tea", OF_ALL)) == users * 2 // 3
    for name in names[users // 3 :]:
        await add(storage, f"more tea of {name}", user_id=name)
    expected = [f"tea of {name}" for name in names[: users * 2 // 3]]
    expected += [f"more tea of {name}" for name in names[users // 3 :]]
    assert await found(storage, "tea", OF_ALL) == expected
    storage.forget()
    assert await found(storage, "tea", OF_ALL) == expected


async def test_what_is_kept_is_bounded_and_what_is_found_is_not(storage: Storage) -> None:
    """Of ten users the terms of two are kept, those that were searched last."""
    names = [f"user-{number}" for number in range(10)]
    for name in names:
        await add(storage, *(f"tea {number} of {name}" for number in range(5)), user_id=name)
    index = storage.backend.terms = TermIndex(capacity_bytes=4_500)
    for name in [*names, *names]:
        wanted = Filter(kinds=(MemoryKind.PROFILE,), user_id=UserId(name))
        assert await found(storage, "tea", wanted) == [f"tea {number} of {name}" for number in range(5)]
    async with storage.read(ORG) as snapshot:
        last = [
            (await snapshot.search.scopes(Filter(kinds=(MemoryKind.PROFILE,), user_id=UserId(name))))[0]
            for name in names[-2:]
        ]
    assert list(index._kept) == [one.scope_id for one in last]
    assert index._bytes == sum(one.nbytes for one in index._kept.values()) <= 4_500
