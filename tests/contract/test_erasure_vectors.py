"""Erasing a user where Qdrant has a copy of the vectors: none of the user's points is left, and others keep theirs."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.errors import VectorStoreError
from sagacity.domain.memory import MemoryKind
from sagacity.learning.erasure.report import is_genuine
from sagacity.storage.replica.base import VectorReplica
from sagacity.storage.transaction import Storage
from support.erasing import OTHERS, WHO, WORD, Erasing
from support.faults import Faulty
from support.parts import BEN, ORG, OTHER_ORG, new_memory, said
from support.planted import bytes_with, dump, tables_with
from support.qdrant_server import QdrantServer
from support.vector_copies import PROFILES, ROWS, copy_of, documents, search

COUNT = 50


async def _fill(copying: Storage) -> None:
    """Memories and turns of the user, of another one, and of a user of the same name elsewhere; all copied."""
    for user_id, tenant, word in ((WHO, ORG, WORD), (BEN, ORG, OTHERS), (WHO, OTHER_ORG, OTHERS)):
        texts = [f"{word} {number}" for number in range(COUNT)]
        await copying.append(tenant, said(*texts, user_id=user_id, request_id=f"{word} {user_id}"))
        new = [
            new_memory(text, user_id=user_id, kind=kind)
            for text, kind in zip(texts, [MemoryKind.PROFILE, MemoryKind.SEMANTIC] * COUNT, strict=False)
        ]
        vectors = {one.uid: row for one, row in zip(new, ROWS, strict=False)}
        async with copying.begin(tenant) as transaction:
            await transaction.memories.add(new, vectors=vectors)
    await copy_of(copying).fill()


async def _bens(copying: Storage) -> list[tuple[int, float]]:
    """What Qdrant finds of the other user, with scores."""
    wanted = PROFILES.model_copy(update={"user_id": BEN})
    nearest = await search(copying, ROWS[3], COUNT, wanted=wanted)
    assert nearest.fallback == ""
    return [(hit.owner_id, hit.score) for hit in nearest.hits]


async def _late_memory(copying: Storage, number: int) -> None:
    """A learner that read the log before writes a memory of a kind that the user had none of, and it is copied."""
    late = new_memory(f"{WORD} late {number}", user_id=WHO, kind=MemoryKind.USER_PLAYBOOK)
    async with copying.begin(ORG) as transaction:
        await transaction.memories.add([late], vectors={late.uid: ROWS[COUNT + number]})
    await copy_of(copying, f"late {number}").fill()


async def test_no_point_of_the_user_is_left_and_others_find_what_they_found(
    copying: Storage, qdrant: QdrantServer, embedder, clock, ids
) -> None:
    """Also not of scopes that came after the request, nor by the hand of a copier that read before the end."""
    await _fill(copying)
    before, erasing = await _bens(copying), Erasing(copying, embedder, clock, ids)
    operation = await erasing.ask()
    await _late_memory(copying, 1)
    there = qdrant.numbers()
    late = new_memory(f"{WORD} read before", user_id=WHO)
    async with copying.begin(ORG) as transaction:
        await transaction.memories.add([late], vectors={late.uid: ROWS[COUNT]})
    with qdrant.hold("PUT .*/points") as held:
        copier = asyncio.create_task(copy_of(copying, "slow").fill())
        assert await asyncio.to_thread(held.wait, 60)
        await erasing.work()
        assert qdrant.numbers() == await documents(copying, ORG, OTHER_ORG)
    await copier
    left = qdrant.numbers()
    assert left == await documents(copying, ORG, OTHER_ORG)
    assert len(there - left) == COUNT + 1
    assert await _bens(copying) == before
    assert len(before) == COUNT // 2
    done = (await erasing.look(operation)).report
    assert done is not None
    assert is_genuine(done)
    assert done.scan.vector_copy == "clean"
    assert tables_with(await dump(copying.backend, ORG), WORD, WHO) == {}
    if copying.backend.file is not None:
        assert bytes_with(copying.backend.file, WORD) == []


@pytest.mark.one_database
async def test_a_copier_that_dies_after_it_wrote_leaves_no_point_of_a_user_who_is_erased_meanwhile(
    copying: Storage, qdrant: QdrantServer, embedder, clock, ids
) -> None:
    """It read before the erasure, wrote after its end, and did not live to see that the user was gone."""
    await _fill(copying)
    before = await _bens(copying)
    late = new_memory(f"{WORD} read before", user_id=WHO)
    async with copying.begin(ORG) as transaction:
        await transaction.memories.add([late], vectors={late.uid: ROWS[COUNT]})
    with qdrant.hold("PUT .*/points") as held:
        copier = asyncio.create_task(copy_of(_dying(copying), "dies").fill())
        assert await asyncio.to_thread(held.wait, 60)
        await Erasing(copying, embedder, clock, ids).erase()
    with pytest.raises(VectorStoreError):
        await copier
    theirs = await documents(copying, ORG, OTHER_ORG)
    assert len(qdrant.numbers() - theirs) == 1
    await copy_of(copying, "next").run()
    assert qdrant.numbers() == theirs
    assert await _bens(copying) == before


def _dying(copying: Storage) -> Storage:
    """The same storage; its copier ends once its first documents are written."""

    class Dying:
        def __init__(self, inner: VectorReplica) -> None:
            self._inner = inner

        async def put(self, *documents: Any) -> None:
            await self._inner.put(*documents)
            raise VectorStoreError("the process ended here")

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

    return Storage(
        copying.backend, clock=copying._clock, ids=copying._ids, vector_store=Dying(copying.vector_store)
    )


@pytest.mark.one_database
@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.full)])
async def test_killed_anywhere_and_without_qdrant_for_a_while_it_goes_on_to_the_end(
    copying: Storage, qdrant: QdrantServer, embedder, clock, ids, step: int
) -> None:
    """Copiers work between the tries, and learners write; it does not end while Qdrant cannot be asked."""
    await _fill(copying)
    before, left, tries = await _bens(copying), 9, 0

    async def dies(_connection: AsyncConnection) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise asyncio.CancelledError
        return False

    backend = Faulty(copying.backend, dies, after_commit=False)
    killed = Storage(backend, clock=clock, ids=ids, vector_store=copying.vector_store)
    erasing = Erasing(killed, embedder, clock, ids, batch=20)
    operation = await erasing.ask()
    while (await erasing.look(operation)).gone_at is None:
        tries += 1
        left = tries * step
        with suppress(asyncio.CancelledError):
            await erasing.work()
        if tries < 3:
            await _late_memory(copying, tries)
        else:
            qdrant.stop()
        clock.advance(61)
    assert tries > 3
    left = 1_000
    await erasing.work()
    assert (await erasing.look(operation)).finished_at is None
    qdrant.start()
    while (await erasing.look(operation)).finished_at is None:
        tries += 1
        left = tries * step
        clock.advance(601)
        with suppress(asyncio.CancelledError):
            await erasing.work()
    done = (await erasing.look(operation)).report
    assert done is not None
    assert done.scan.vector_copy == "clean"
    assert qdrant.numbers() == await documents(copying, ORG, OTHER_ORG)
    assert await _bens(copying) == before
