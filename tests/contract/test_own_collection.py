"""A database that was made of another one keeps its vectors apart from that one's, on the same vector store."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from sagacity.storage.open import open_file, open_storage
from sagacity.storage.transaction import Storage
from sagacity.storage.transfer.backup import back_up, restore_file, restore_rows
from sagacity.storage.transfer.copy import Step, copy
from support.parts import ORG, START, CountingIds, StoppedClock
from support.qdrant_server import QdrantServer
from support.vector_copies import ROWS, add, copied_to, copy_of, delete, documents, found_by_qdrant

pytestmark = pytest.mark.own_database

LATER = START + timedelta(hours=1)


def quiet(_: Step) -> None:
    """Tell nobody."""


async def collection_of(storage: Storage) -> str:
    async with storage.read(ORG) as snapshot:
        home = await snapshot.copies.home()
    assert home is not None
    return home.name


@pytest.fixture
def empty_url(new_database: Callable[[str], str], tmp_path: Path, database_url: str) -> str:
    """A database of the kind that *database_url* is not."""
    return new_database("postgresql") if "sqlite" in database_url else f"sqlite:///{tmp_path / 'own.db'}"


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Storage]:
    storage = await open_storage(url, clock=StoppedClock(LATER), ids=CountingIds("own"))
    try:
        yield storage
    finally:
        await storage.close()


async def test_a_copied_database_has_a_collection_of_its_own(storage: Storage, empty_url: str) -> None:
    """It keeps that one when the same is copied again."""
    await storage.claim_index("test", 16)
    async with opened(empty_url) as made:
        await copy(storage.backend, made.backend, quiet, now=LATER)
        name = await collection_of(made)
        await copy(storage.backend, made.backend, quiet, now=LATER + timedelta(hours=1))
        assert await collection_of(made) == name != await collection_of(storage)


async def test_restored_rows_have_a_collection_of_their_own(
    storage: Storage, empty_url: str, tmp_path: Path
) -> None:
    """The backup is one moment of the original, whose collection stays the original's."""
    await storage.claim_index("test", 16)
    await back_up(storage.backend, tmp_path / "kept.db", open_file, quiet)
    async with opened(empty_url) as made:
        await restore_rows(tmp_path / "kept.db", made.backend, open_file, quiet, now=LATER)
        assert await collection_of(made) != await collection_of(storage)


async def test_what_a_restored_database_deletes_stays_with_the_original(
    copying: Storage, qdrant: QdrantServer, tmp_path: Path
) -> None:
    """Both go on from the same rows: what is copied and taken out for one, the other finds as before."""
    shared = await add(copying, ROWS[:20])
    await back_up(copying.backend, tmp_path / "kept.db", open_file, quiet)
    await restore_file(tmp_path / "kept.db", tmp_path / "own.db", open_file, quiet, force=False, now=LATER)
    new = await add(copying, ROWS[300:340])
    await copy_of(copying).fill()
    async with opened(f"sqlite:///{tmp_path / 'own.db'}") as made, copied_to(made, qdrant) as own:
        await delete(own, shared)
        kept = await add(own, ROWS[100:130])
        await copy_of(own, "own").fill()
        assert await collection_of(own) != await collection_of(copying)
        assert len(await found_by_qdrant(own, ROWS[110], 99)) == len(kept)
    assert len(await documents(copying)) == 60
    found = await found_by_qdrant(copying, ROWS[310], 99)
    assert (found[0], set(found)) == (new[10].memory_id, {one.memory_id for one in [*shared, *new]})
