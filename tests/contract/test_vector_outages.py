"""What a search promises whatever is wrong with the copy: the database answers, says why, and nothing is believed."""

import asyncio

import pytest

from sagacity.domain.clock import SystemClock
from sagacity.domain.errors import VectorStoreError
from sagacity.domain.query import Query
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.qdrant.search import MOST_UNCOPIED
from sagacity.storage.qdrant.store import QdrantStore
from sagacity.storage.transaction import Storage
from support.learning import WordEmbedder
from support.parts import BEN, ORG, OTHER_ORG, opened, unit_rows
from support.qdrant_server import QdrantServer, qdrant_server
from support.vector_copies import (
    PROFILES,
    ROWS,
    add,
    asked,
    copied_to,
    copy_of,
    documents,
    found_by_qdrant,
    search,
)
from support.vector_indexes import DIMENSION, with_qdrant


async def test_a_store_that_is_down_is_named_and_catches_up(copying: Storage, qdrant: QdrantServer) -> None:
    """The database answers meanwhile, with all that is new, and the trace says so; afterwards the copy has it."""
    await add(copying, ROWS[:30])
    await copy_of(copying).fill()
    qdrant.stop()
    [late] = await add(copying, ROWS[30:31])
    nearest = await search(copying, ROWS[30])
    assert nearest.fallback == "the vector store cannot be reached; the database answered"
    assert next(iter(nearest.hits)).owner_id == late.memory_id
    await copy_of(copying).run()  # says so in the log, and ends
    with pytest.raises(VectorStoreError, match="cannot be reached"):
        await copy_of(copying).fill()
    qdrant.start()
    assert (await found_by_qdrant(copying, ROWS[30]))[0] == late.memory_id
    await copy_of(copying).run()
    assert qdrant.numbers() == await documents(copying)


async def test_the_trace_of_a_search_names_the_store(storage: Storage, qdrant: QdrantServer) -> None:
    """What a caller sees: results, and under `failed` why another place gave them."""
    embedder = WordEmbedder()
    await storage.claim_index(embedder.model, embedder.dimension)
    async with copied_to(storage, qdrant) as copying:
        vectors = await embedder.embed(["green tea", "black coffee"])
        await add(copying, vectors)
        await copy_of(copying).fill()
        query = Query(text="green tea", wanted=PROFILES, limit=1)
        found = await Searcher(copying, embedder, clock=SystemClock()).search(ORG, query)
        assert (len(found.items), found.trace.failed) == (1, {})
        qdrant.stop()
        found = await Searcher(copying, embedder, clock=SystemClock()).search(ORG, query)
        assert len(found.items) == 1
        assert found.items[0].components["vector"] == pytest.approx(1.0, abs=1e-3)
        assert found.trace.failed == {
            "vector store": "the vector store cannot be reached; the database answered"
        }


async def test_a_store_that_hangs_costs_one_search_its_patience(
    storage: Storage, qdrant: QdrantServer
) -> None:
    """One search waits as long as it may; those after it go to the database at once, until it is time to try."""
    await storage.claim_index("test", DIMENSION)
    async with copied_to(storage, qdrant, search_seconds=0.2, rest_seconds=600) as copying:
        await add(copying, ROWS[:30])
        await copy_of(copying).fill()
        qdrant.slow_down(30)
        qdrant.paths.clear()
        for _ in range(5):
            nearest = await search(copying, ROWS[0])
            assert nearest.fallback == "the vector store gave no answer in time; the database answered"
            assert len(nearest.hits) == 10
        assert asked(qdrant) == 1


async def test_a_store_that_is_back_is_asked_again(storage: Storage, qdrant: QdrantServer) -> None:
    """After its rest one search tries it, and then all use it."""
    await storage.claim_index("test", DIMENSION)
    async with copied_to(storage, qdrant, rest_seconds=0.3) as copying:
        await add(copying, ROWS[:30])
        await copy_of(copying).fill()
        qdrant.stop()
        assert (await search(copying, ROWS[0])).fallback
        qdrant.start()
        async with asyncio.timeout(60):
            while (await search(copying, ROWS[0])).fallback:
                await asyncio.sleep(0.02)
        assert len(await found_by_qdrant(copying, ROWS[0])) == 10


async def test_a_lost_collection_is_noticed_and_made_anew(copying: Storage, qdrant: QdrantServer) -> None:
    """A store that comes back with nothing is not believed, and is filled again although nothing changed."""
    kept = await add(copying, ROWS[:30])
    await copy_of(copying).fill()
    qdrant.stop()
    qdrant.start(empty=True)
    lost = "the vector store lost the copy; it is being rebuilt; the database answered"
    nearest = await search(copying, ROWS[3])
    assert (nearest.fallback, next(iter(nearest.hits)).owner_id) == (lost, kept[3].memory_id)
    home = await copy_of(copying)._home()
    await copying.vector_store.create(home.name, home.dimension)  # as far as a job that is killed there
    assert (await search(copying, ROWS[3])).fallback == lost
    assert (await copy_of(copying).compare()).copied_documents is None
    await copy_of(copying).run()
    assert (await found_by_qdrant(copying, ROWS[3]))[0] == kept[3].memory_id
    assert qdrant.numbers() == await documents(copying)


async def test_a_collection_lost_while_it_is_filled_counts_for_nothing(
    copying: Storage, qdrant: QdrantServer
) -> None:
    """What a job sent to a collection that is no more is not recorded as copied."""
    await copy_of(copying).fill()
    await add(copying, ROWS[:300])
    sent = "PUT .*/points"
    with qdrant.hold(sent) as held:
        late = asyncio.create_task(copy_of(copying, "late").fill())
        assert await asyncio.to_thread(held.wait, 20)
        [name] = qdrant.collections
        await copying.vector_store.drop(name)
        await copy_of(copying, "quick")._ready()
    with pytest.raises(VectorStoreError, match="lost the copy"):
        await late
    assert len(await found_by_qdrant(copying, ROWS[7], 300)) == 300
    await copy_of(copying).fill()
    assert qdrant.numbers() == await documents(copying)


async def test_lost_points_are_seen_by_comparing(copying: Storage, qdrant: QdrantServer) -> None:
    """Points that vanish one by one are what `sagacity doctor` counts."""
    await add(copying, ROWS[:30])
    await copy_of(copying).fill()
    [name] = qdrant.collections
    await copying.vector_store.remove(name, list(qdrant.numbers())[:3])
    report = await copy_of(copying).compare()
    assert (report.documents, report.copied_documents, report.scopes_behind) == (30, 27, 0)


async def test_a_collection_of_another_dimension_is_named(copying: Storage, qdrant: QdrantServer) -> None:
    """It answers no search, and the comparison shows both dimensions; dropped, it is made right."""
    await add(copying, ROWS[:30])
    home = await copy_of(copying)._home()
    await copying.vector_store.create(home.name, 8)
    await copying.vector_store.make_ready(home.name, 8, "other")
    with pytest.raises(VectorStoreError, match="answered 400"):
        await copy_of(copying).fill()
    assert len(await found_by_qdrant(copying, ROWS[0])) == 10  # nothing is copied: all from the database
    report = await copy_of(copying).compare()
    assert (report.dimension, report.copied_dimension) == (16, 8)
    await copy_of(copying).drop()
    await copy_of(copying).fill()
    assert len(await found_by_qdrant(copying, ROWS[0])) == 10
    assert (await copy_of(copying).compare()).copied_dimension == 16


async def test_a_wrong_payload_shows_nobody_anothers_memories(copying: Storage, qdrant: QdrantServer) -> None:
    """Points that claim to be Anna's and are another user's or organisation's are checked in the database."""
    kept = await add(copying, ROWS[:10])
    await add(copying, ROWS[10:20], user_id=BEN)
    await add(copying, ROWS[20:30], tenant=OTHER_ORG)
    await copy_of(copying).fill()
    [name] = qdrant.collections
    async with copying.read(ORG) as snapshot:
        [scope] = await snapshot.search.scopes(PROFILES)
        mine = await snapshot.copies.changed(scope.scope_id, 0, after=0, limit=100)
    strangers = await documents(copying, ORG, OTHER_ORG) - {one.document_id for one in mine}
    assert len(strangers) == 20
    for number in strangers:  # nearer than anything of her own
        forged = type(mine[0])(
            **{field: getattr(mine[0], field) for field in type(mine[0]).__dataclass_fields__}
            | {"document_id": number}
        )
        await copying.vector_store.put(name, ORG.org_id, [forged])
    nearest = await search(copying, ROWS[0], 5)
    assert {hit.owner_id for hit in nearest.hits} <= {memory.memory_id for memory in kept}
    assert nearest.fallback == (
        "the vector store is behind: too many of its results no longer exist; the database answered"
    )
    assert set(await found_by_qdrant(copying, ROWS[0], 100)) == {memory.memory_id for memory in kept}


async def test_too_much_that_is_not_copied_is_left_to_the_database(
    copying: Storage, qdrant: QdrantServer
) -> None:
    """A search reads some new documents beside the copy, and not thousands."""
    await add(copying, ROWS[:30])
    await copy_of(copying).fill()
    rows = unit_rows(MOST_UNCOPIED + 1, seed=3)
    await add(copying, rows[:-1])
    assert len(await found_by_qdrant(copying, rows[5], 3)) == 3
    await add(copying, rows[-1:])
    nearest = await search(copying, rows[-1], 3)
    assert nearest.fallback == (
        "the vector store is behind: too much is not copied yet; the database answered"
    )
    assert next(iter(nearest.hits)).score == pytest.approx(1.0, abs=1e-3)


async def test_a_question_over_few_documents_is_not_sent(storage: Storage, qdrant: QdrantServer) -> None:
    """What the database compares in no time it is asked for; what is more goes to the store."""
    await storage.claim_index("test", DIMENSION)
    with_qdrant(storage, qdrant, few=30)
    await add(storage, ROWS[:30])
    assert len(await found_by_qdrant(storage, ROWS[0], 30)) == 30
    assert asked(qdrant) == 0
    await add(storage, ROWS[30:31])
    storage.vector_store = QdrantStore(qdrant.url)
    await copy_of(storage).fill()
    assert len(await found_by_qdrant(storage, ROWS[0], 31)) == 31
    assert asked(qdrant) == 1


async def test_other_databases_have_collections_of_their_own(
    copying: Storage, qdrant: QdrantServer, tmp_path, clock, ids
) -> None:
    """Two databases may share a Qdrant; and an index that was made anew does not find its former self."""
    await add(copying, ROWS[:5])
    await copy_of(copying).fill()
    clock.advance(1)
    async with opened(f"sqlite:///{tmp_path / 'other.db'}", clock, ids) as other:
        await other.claim_index("test", DIMENSION)
        async with copied_to(other, qdrant) as copying_other:
            await add(copying_other, ROWS[5:7])
            await copy_of(copying_other).fill()
            assert len(qdrant.collections) == 2
            report = await copy_of(copying_other).compare()
            assert (report.documents, report.copied_documents) == (2, 2)
    assert (await copy_of(copying).compare()).copied_documents == 5


async def test_a_key_is_sent_and_never_told(storage: Storage, tmp_path_factory) -> None:
    """The right key opens the store; a wrong one is refused in words that hold neither key nor address."""
    await storage.claim_index("test", DIMENSION)
    with qdrant_server(tmp_path_factory.mktemp("guarded"), api_key="right-key") as guarded:
        await add(storage, ROWS[:3])
        for key, why in (("right-key", ""), ("wrong-key", "the vector store refuses the key")):
            storage.vector_store = QdrantStore(guarded.url, key)
            try:
                await copy_of(storage).fill()
                said = ""
            except VectorStoreError as error:
                said = str(error)
            assert said.startswith(why)
            assert bool(said) == bool(why)
            assert key not in said
            assert str(guarded.port) not in said
        assert len(guarded.numbers()) == 3
