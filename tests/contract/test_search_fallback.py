"""What a search promises when the database fails in one ranking: the other answers, and the trace says so."""

import pytest
import sqlalchemy as sa

from sagacity.domain.clock import SystemClock
from sagacity.domain.errors import StorageError
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Filter, Query, SearchMode
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.base import Nearest, Scope
from sagacity.storage.transaction import Storage
from support.learning import WordEmbedder
from support.parts import ANNA, ORG, new_memory

PROFILES = Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA)


class RefusedVectors:
    """A search by vector that the database refuses, as it does one that takes too long."""

    waits = False

    async def search(self, scope: Scope, *question) -> Nearest:
        await scope.all(sa.text("SELECT no_such_function()"))
        raise AssertionError("unreachable")


async def test_words_answer_when_the_search_by_vector_is_refused(storage: Storage) -> None:
    """The refused statement spoils its transaction; the words are searched in another, and the trace says why."""
    async with storage.begin(ORG) as tx:
        [memory] = await tx.memories.add([new_memory("green tea")])
    storage.backend.vectors = RefusedVectors()
    searcher = Searcher(storage, WordEmbedder(), clock=SystemClock())
    found = await searcher.search(ORG, Query(text="tea", wanted=PROFILES, limit=3))
    assert [item.memory for item in found.items] == [memory]
    assert set(found.items[0].components) == {"keyword", "keyword_part"}
    assert list(found.trace.failed) == ["vector"]
    assert "no_such_function" in found.trace.failed["vector"]


async def test_a_search_by_vector_alone_fails_with_it(storage: Storage) -> None:
    """Who asked for nothing else is told that it failed."""
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory("green tea")])
    storage.backend.vectors = RefusedVectors()
    query = Query(text="tea", wanted=PROFILES, limit=3, mode=SearchMode.VECTOR)
    with pytest.raises(StorageError, match="no_such_function"):
        await Searcher(storage, WordEmbedder(), clock=SystemClock()).search(ORG, query)
