"""What vector search promises: exact, also where it keeps rows in memory, and never a moment behind."""

import asyncio

import numpy as np
import pytest

from sagacity.domain.memory import Memory, MemoryKind, Status, Visibility
from sagacity.domain.query import Filter
from sagacity.storage.search.exact_vectors import ExactVectors, _Matrix
from sagacity.storage.search.writing import pack
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG, new_memory, opened, unit_rows

PROFILES = Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA)
EVERYONE = Filter(kinds=(MemoryKind.PROFILE, MemoryKind.SEMANTIC))


async def add(storage: Storage, rows: np.ndarray, *, user_id=ANNA, kind=MemoryKind.PROFILE) -> list[Memory]:
    new = [new_memory(f"memory {n}", user_id=user_id, kind=kind) for n in range(len(rows))]
    async with storage.begin(ORG) as tx:
        return await tx.memories.add(new, vectors=dict(zip((one.uid for one in new), rows, strict=True)))


async def nearest(
    storage: Storage, vector: np.ndarray, limit=1_000, wanted=PROFILES
) -> list[tuple[int, float]]:
    async with storage.read(ORG) as snapshot:
        hits = (await snapshot.search.by_vector(wanted, vector, limit)).hits
    return [(hit.owner_id, hit.score) for hit in hits]


def brute_force(known: dict[int, np.ndarray], vector: np.ndarray, limit=1_000) -> list[int]:
    """Owners by cosine over the stored halves, best first, ties by number."""
    cosines = {owner: float(row.astype("<f2").astype(np.float32) @ vector) for owner, row in known.items()}
    return sorted(cosines, key=lambda owner: (-cosines[owner], owner))[:limit]


async def assert_exact(storage: Storage, known: dict[int, np.ndarray], limit=1_000, **kwargs) -> None:
    """Found are the nearest in the right order, but for those that half precision cannot tell apart."""
    vectors = unit_rows(5, seed=99)
    async with storage.read(ORG) as snapshot:
        at_once = await snapshot.search.by_vectors(kwargs.get("wanted", PROFILES), vectors, limit)
    for vector, together in zip(vectors, at_once, strict=True):
        found = await nearest(storage, vector, limit, **kwargs)
        exact = [float(known[owner] @ vector) for owner in brute_force(known, vector, limit)]
        assert [float(known[owner] @ vector) for owner, _ in found] == pytest.approx(exact, abs=1e-3)
        assert [score for _, score in found] == pytest.approx(exact, abs=1e-3)
        assert [hit.score for hit in together.hits] == pytest.approx(exact, abs=1e-3)
        assert len({hit.owner_id for hit in together.hits}) == len(exact)
        assert len({owner for owner, _ in found}) == len(exact)
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


async def test_found_equals_brute_force(vectors_storage: Storage) -> None:
    """Every document, in the order that numpy gives over all of them."""
    rows = unit_rows(300)
    kept = await add(vectors_storage, rows)
    await add(vectors_storage, unit_rows(30, seed=1), user_id="ben")
    known = {memory.memory_id: row for memory, row in zip(kept, rows, strict=True)}
    await assert_exact(vectors_storage, known)
    found = await nearest(vectors_storage, rows[7], limit=5)
    assert len(found) == 5
    assert found[0] == (kept[7].memory_id, pytest.approx(1.0, abs=1e-3))


async def test_found_over_all_users_equals_brute_force(vectors_storage: Storage) -> None:
    """A search of all users' rows is exact as well, up to the limit of each kind."""
    known: dict[int, np.ndarray] = {}
    for n, user in enumerate(("anna", "ben", "carl")):
        rows = unit_rows(60, seed=n)
        known |= {
            m.memory_id: r for m, r in zip(await add(vectors_storage, rows, user_id=user), rows, strict=True)
        }
    await add(vectors_storage, unit_rows(50, seed=9), kind=MemoryKind.SEMANTIC)
    await assert_exact(vectors_storage, known, wanted=Filter(kinds=(MemoryKind.PROFILE,)))
    vector = unit_rows(1, seed=5)[0]
    found = await nearest(vectors_storage, vector, limit=10, wanted=EVERYONE)
    assert len(found) == 20
    assert len([owner for owner, _ in found if owner in known]) == 10
    await assert_exact(vectors_storage, known, limit=10, wanted=Filter(kinds=(MemoryKind.PROFILE,)))


async def test_many_are_searched_for_at_once_past_what_is_withheld(vectors_storage: Storage) -> None:
    """Where all that is nearest may not be found, what comes after it is, for each vector of several."""
    rows = unit_rows(80)
    kept = await add(vectors_storage, rows)
    asked = rows[:3]
    hidden = {
        owner for row in asked for owner in brute_force(dict(enumerate(rows)), row, limit=20)
    }  # far more than are looked at beside the wanted ones
    async with vectors_storage.begin(ORG) as tx:
        archived = [
            memory.model_copy(update={"status": Status.ARCHIVED})
            for n, memory in enumerate(kept)
            if n in hidden
        ]
        await tx.memories.save(archived)
    wanted = PROFILES.model_copy(update={"visibility": (Visibility.SERVED,)})
    async with vectors_storage.read(ORG) as snapshot:
        found = await snapshot.search.by_vectors(wanted, asked, 4)
    known = {memory.memory_id: rows[n] for n, memory in enumerate(kept) if n not in hidden}
    assert [[hit.owner_id for hit in one.hits] for one in found] == [
        brute_force(known, row, limit=4) for row in asked
    ]


@pytest.mark.one_database
async def test_found_follows_every_write(vectors_storage: Storage, database_url, clock, ids) -> None:
    """After each insert, edit and delete, here or by another process, the next search knows."""
    rng = np.random.default_rng(5)
    pool = unit_rows(400, seed=2)
    kept: dict[int, Memory] = {}
    known: dict[int, np.ndarray] = {}
    async with opened(database_url, clock, ids) as other:
        for step in range(30):
            storage = (vectors_storage, other)[step % 2]
            choice = rng.integers(4)
            if choice <= 1 or not kept:
                rows = pool[step * 10 : step * 10 + int(rng.integers(1, 10))]
                for memory, row in zip(await add(storage, rows), rows, strict=True):
                    kept[memory.memory_id], known[memory.memory_id] = memory, row
            elif choice == 2:
                number = int(rng.choice(list(kept)))
                changed = kept[number].model_copy(update={"content": f"edited {step}"})
                async with storage.begin(ORG) as tx:
                    await tx.memories.save([changed], vectors={changed.uid: pool[399 - step]})
                kept[number], known[number] = changed, pool[399 - step]
            else:
                number = int(rng.choice(list(kept)))
                async with storage.begin(ORG) as tx:
                    await tx.memories.delete(MemoryKind.PROFILE, ids=[number])
                del kept[number], known[number]
            await assert_exact(vectors_storage, known)
            await assert_exact(other, known)


async def test_vectors_that_come_later_are_found(vectors_storage: Storage) -> None:
    """Documents without a vector are not found by one; once they have it they are."""
    async with vectors_storage.begin(ORG) as tx:
        kept = await tx.memories.add([new_memory(f"memory {n}") for n in range(50)])
    assert await nearest(vectors_storage, unit_rows(1)[0]) == []
    rows = unit_rows(50)
    known: dict[int, np.ndarray] = {}
    for start in (0, 20):
        async with vectors_storage.begin(ORG) as tx:
            waiting = await tx.search.unembedded(20 if not start else 30)
            await tx.search.set_vectors(waiting, rows[start : start + len(waiting)])
        for n in range(start, start + len(waiting)):
            known[kept[n].memory_id] = rows[n]
        await assert_exact(vectors_storage, known)
    assert len(known) == 50


async def test_rolled_back_rows_are_never_found(vectors_storage: Storage) -> None:
    """What a transaction saw of its own writes is forgotten with it."""
    rows = unit_rows(60)
    kept = await add(vectors_storage, rows[:50])
    known = {memory.memory_id: row for memory, row in zip(kept, rows, strict=False)}
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with vectors_storage.begin(ORG) as tx:
            await tx.memories.add([new_memory("ghost", uid="g")], vectors={"g": rows[59]})
            assert len((await tx.search.by_vector(PROFILES, rows[59], 100)).hits) == 51
            raise ZeroDivisionError
    [memory] = await add(vectors_storage, rows[50:51])
    known[memory.memory_id] = rows[50]
    await assert_exact(vectors_storage, known)


async def test_one_transaction_sees_its_own_writes(vectors_storage: Storage) -> None:
    """Within a transaction a search knows what was written before it, by term and by vector."""
    rows = unit_rows(3)
    async with vectors_storage.begin(ORG) as tx:
        [first] = await tx.memories.add([new_memory("tea", uid="a")], vectors={"a": rows[0]})
        assert len((await tx.search.by_vector(PROFILES, rows[0], 9)).hits) == 1
        await tx.memories.add([new_memory("tea", uid="b")], vectors={"b": rows[1]})
        assert len((await tx.search.by_vector(PROFILES, rows[0], 9)).hits) == 2
        two = [hit.score for hit in await tx.search.by_terms(PROFILES, "tea", 9)]
        await tx.memories.delete(MemoryKind.PROFILE, ids=[first.memory_id])
        assert len((await tx.search.by_vector(PROFILES, rows[0], 9)).hits) == 1
        [one] = [hit.score for hit in await tx.search.by_terms(PROFILES, "tea", 9)]
    assert one == pytest.approx(0.2876820724517809)  # ln(1 + 0.5/1.5), the only one of one
    assert two == [pytest.approx(0.1823215567939546)] * 2  # ln(1 + 0.5/2.5)


async def test_rebuild_leaves_nothing_kept(vectors_storage: Storage) -> None:
    """After the index is made anew, no row of the former one is found, nor taken for a new one."""
    rows = unit_rows(50)
    await add(vectors_storage, rows)
    await nearest(vectors_storage, rows[0])
    await vectors_storage.rebuild_index("another", 16, lambda done, total: None)
    assert await nearest(vectors_storage, rows[0]) == []
    async with vectors_storage.begin(ORG) as tx:
        waiting = await tx.search.unembedded(100)
        await tx.search.set_vectors(waiting, rows[::-1].copy())
    found = await nearest(vectors_storage, rows[0], limit=1)
    async with vectors_storage.read(ORG) as snapshot:
        [memory] = await snapshot.memories.get_many([found[0][0]])
    assert memory.content == "memory 49"


@pytest.mark.one_database
async def test_searches_and_writes_at_once_agree_with_some_moment(vectors_storage: Storage) -> None:
    """Searches beside writes see all rows of each commit or none of them."""
    rows = unit_rows(200)
    await add(vectors_storage, rows[:50])
    counts: list[int] = []

    async def search() -> None:
        for _ in range(10):
            counts.append(len(await nearest(vectors_storage, rows[0])))

    async def write() -> None:
        for start in range(50, 200, 10):
            await add(vectors_storage, rows[start : start + 10])

    await asyncio.gather(search(), write(), search())
    assert all(count % 10 == 0 for count in counts)
    assert len(await nearest(vectors_storage, rows[0])) == 200


def test_half_precision_keeps_the_cosine_within_a_thousandth() -> None:
    """Cosines over stored vectors are within 0.001 of the exact ones."""
    rows, queries = unit_rows(2_000, 384), unit_rows(50, 384, seed=3)
    halves = np.frombuffer(b"".join(map(pack, rows)), "<f2").reshape(rows.shape).astype(np.float32)
    assert np.abs(halves @ queries.T - rows @ queries.T).max() < 1e-3


def test_cache_stays_within_its_bytes() -> None:
    """What is kept in memory is bounded, the least recently used going first."""
    kept = ExactVectors(capacity_bytes=3 * 16 * 4 * 10)
    for scope_id in range(10):
        kept._keep(
            scope_id, _Matrix(1, "profile", np.arange(10), np.arange(10), np.ones(10, bool), unit_rows(10))
        )
    assert sorted(kept._cache) == [7, 8, 9]
