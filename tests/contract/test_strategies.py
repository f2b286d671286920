"""Five ways of finding: each finds what no other does, and none takes the others down with it."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from sagacity.domain.change import Candidate
from sagacity.domain.errors import ProviderError, StorageError
from sagacity.domain.graph import EntityMention, RelationshipEdit, RelationshipMention
from sagacity.domain.ids import InteractionId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.query import Filter, Found, Query, StrategyName
from sagacity.learning.embedding_backfill import EmbeddingBackfill
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.base import Backend, Nearest
from sagacity.storage.transaction import Storage
from support.faults import Unreadable
from support.learning import WordEmbedder
from support.parts import ANNA, BEN, ORG, START, StoppedClock, new_memory, said

ALL = tuple(StrategyName)
KINDS = (MemoryKind.PROFILE, MemoryKind.SEMANTIC, MemoryKind.EPISODIC)
MINE = Filter(kinds=KINDS, interactions=True, user_id=ANNA)


def searcher_of(storage: Storage, **options) -> Searcher:
    return Searcher(storage, options.pop("embedder", MiniLM()), clock=StoppedClock(), **options)


async def remembered(storage: Storage, content: str, kind: MemoryKind, **fields) -> Memory:
    async with storage.begin(ORG) as transaction:
        [memory] = await transaction.memories.add([new_memory(content, kind=kind, **fields)])
    return memory


async def named(
    storage: Storage, memory: Memory, *names: str, ties: tuple[RelationshipMention, ...] = ()
) -> None:
    """Say that *memory* speaks of *names*."""
    candidate = Candidate(
        kind=memory.kind,
        content=memory.content,
        evidence=(InteractionId(1),),
        entities=tuple(EntityMention(name=name) for name in names),
        relationships=ties,
    )
    async with storage.begin(ORG) as transaction:
        await transaction.graph.add(memory, candidate)


async def finds_alone(storage: Storage, text: str, strategy: StrategyName, memory: Memory) -> None:
    """Assert that *strategy* finds *memory* by itself, and the four others together do not."""
    for strategies, expected in (
        ((strategy,), [memory.memory_id]),
        (tuple(one for one in ALL if one is not strategy), []),
        (ALL, [memory.memory_id]),
    ):
        found = await asked(storage, text, strategies=strategies)
        assert found.trace.failed == {}
        assert [one.memory.memory_id for one in found.items if one.memory] == expected, strategies
    assert str(strategy) in found.items[0].components


async def asked(storage: Storage, text: str, **options) -> Found:
    query = Query(text=text, wanted=options.pop("wanted", MINE), limit=10, **options)
    return await searcher_of(storage).search(ORG, query)


async def test_only_the_vector_finds_what_is_said_in_other_words(storage: Storage) -> None:
    """Neither a word nor a name in common."""
    dog = await remembered(storage, "Has a golden retriever.", MemoryKind.SEMANTIC)
    await EmbeddingBackfill(storage, MiniLM()).run()
    await finds_alone(storage, "Which canine companion lives there?", StrategyName.VECTOR, dog)


async def test_only_words_find_a_number(storage: Storage) -> None:
    """What no embedder has made a vector of is found by what it says."""
    order = await remembered(storage, "Ordered the spare part XK-4711.", MemoryKind.SEMANTIC)
    await finds_alone(storage, "xk 4711?", StrategyName.KEYWORD, order)


async def test_only_the_graph_finds_what_a_name_leads_to(storage: Storage) -> None:
    """Sarah works at the harbour clinic, which moved: two steps from the question, and not a word in common."""
    works = await remembered(storage, "Spoke of a job.", MemoryKind.SEMANTIC, status=Status.ARCHIVED)
    tie = RelationshipMention(source="Sarah", target="Harbour Clinic", relationship_type="works_at")
    await named(storage, works, "Sarah", ties=(tie,))
    async with storage.begin(ORG) as tx:
        [learned], _ = await tx.relationships.list_page(ANNA, with_ended=True)
        await tx.relationships.update(ANNA, learned.relationship_id, RelationshipEdit(description="still"))
    moved = await remembered(storage, "They opened a new building downtown.", MemoryKind.SEMANTIC)
    await named(storage, moved, "Harbour Clinic")
    await finds_alone(storage, "How is Sarah?", StrategyName.GRAPH, moved)
    found = await asked(storage, "How is sarah?", strategies=(StrategyName.GRAPH,))
    assert found.trace.analysis is not None
    assert found.trace.analysis.entities_mentioned[0] == "Sarah"


async def test_only_the_profile_is_there_whatever_is_asked(storage: Storage) -> None:
    """How somebody wants to be answered has no word of any question."""
    terse = await remembered(storage, "Prefers short answers.", MemoryKind.PROFILE)
    await finds_alone(storage, "Plan Lisbon!", StrategyName.PROFILE, terse)


async def test_only_recency_finds_what_was_last(storage: Storage) -> None:
    """The newest episode is context for a question that does not name it."""
    launch = await remembered(storage, "Discussed the launch.", MemoryKind.EPISODIC)
    await finds_alone(storage, "And now?", StrategyName.RECENT, launch)


async def test_recent_turns_come_newest_first(storage: Storage) -> None:
    """Turns are what happened last, too; older ones score lower, and other users' are not there."""
    for number in range(12):
        await storage.append(ORG, said(f"turn {number}", request_id=f"r{number}"))
    await storage.append(ORG, said("secret", request_id="b", user_id=BEN))
    found = await asked(storage, "?", strategies=(StrategyName.RECENT,))
    assert {one.interaction.content for one in found.items if one.interaction} == {
        f"turn {number}" for number in range(2, 12)
    }


async def test_the_surest_of_the_profile_come_first(storage: Storage) -> None:
    """By confidence, and not more than a context has room for."""
    for number in range(30):
        await remembered(storage, f"Fact {number}", MemoryKind.PROFILE, confidence=(number + 1) / 40)
    found = await asked(storage, "?", strategies=(StrategyName.PROFILE,))
    assert [one.memory.content for one in found.items if one.memory] == [
        f"Fact {number}" for number in range(29, 19, -1)
    ]
    assert found.trace.found == {"profile": 20}
    assert found.trace.dropped == {"over_limit": 10}


@pytest.mark.parametrize("strategy", [StrategyName.GRAPH, StrategyName.PROFILE, StrategyName.RECENT])
async def test_what_may_not_be_found_is_not(storage: Storage, strategy: StrategyName) -> None:
    """Archived, expired and other users' things are left out by those, too, that look for no match."""
    kind = MemoryKind.EPISODIC if strategy is StrategyName.RECENT else MemoryKind.PROFILE
    shown = await remembered(storage, "Shown.", kind)
    old = await remembered(storage, "Archived.", kind, status=Status.ARCHIVED)
    over = await remembered(storage, "Expired.", kind, expires_at=START - timedelta(days=1))
    bens = await remembered(storage, "Ben's.", kind, user_id=BEN)
    for memory in (shown, old, over, bens):
        await named(storage, memory, "Rex")
    wanted = MINE.model_copy(update={"valid_at": START})
    found = await asked(storage, "Rex?", strategies=(strategy,), wanted=wanted)
    assert [one.memory for one in found.items] == [shown]


async def test_standing_strategies_need_a_user(storage: Storage) -> None:
    """Nobody's profile and nobody's graph: a question to all users finds nothing by them, and does not fail."""
    await remembered(storage, "Prefers short answers.", MemoryKind.PROFILE)
    everybody = Filter(kinds=KINDS, interactions=True)
    standing = (StrategyName.GRAPH, StrategyName.PROFILE, StrategyName.RECENT)
    found = await asked(storage, "Anna?", strategies=standing, wanted=everybody)
    assert (found.items, found.trace.failed) == ((), {})


class SlowVectors:
    """A search by vector that does not come back."""

    waits = True

    async def search(self, *question) -> Nearest:
        await asyncio.sleep(60)
        raise AssertionError("unreachable")


class NoEmbedder:
    """An embedder whose provider is down."""

    model, dimension = "none", 384

    async def embed(self, texts, *, background: bool = False):
        raise ProviderError("the embedder is down")

    async def warm(self) -> None:
        """Nothing to load."""


async def test_a_slow_strategy_is_named_and_the_others_answer(storage: Storage) -> None:
    """Nobody waits for it longer than its time."""
    tea = await remembered(storage, "Likes green tea.", MemoryKind.SEMANTIC)
    storage.backend.vectors = SlowVectors()
    query = Query(text="green tea", wanted=MINE, limit=3, strategies=ALL)
    found = await searcher_of(storage, strategy_seconds=3).search(ORG, query)
    assert [one.memory for one in found.items] == [tea]
    assert found.trace.failed == {"vector": "no answer within 3 s"}
    assert set(found.trace.strategies) >= {"keyword", "graph", "profile", "recent", "rank"}


async def test_a_failing_strategy_is_named_and_the_others_answer(storage: Storage) -> None:
    """The reason is the provider's."""
    tea = await remembered(storage, "Likes green tea.", MemoryKind.SEMANTIC)
    query = Query(text="green tea", wanted=MINE, limit=3, strategies=ALL)
    found = await searcher_of(storage, embedder=NoEmbedder()).search(ORG, query)
    assert [one.memory for one in found.items] == [tea]
    assert found.trace.failed == {"vector": "the embedder is down"}


class CountedVisits:
    """A real backend that counts the visits it is paid, and says when one is over."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner
        self.count = 0
        self.is_visited = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def visit(self, org_id, work, **given) -> Any:
        self.count += 1
        result = await self._inner.visit(org_id, work, **given)
        self.is_visited.set()
        return result


class LateEmbedder(WordEmbedder):
    """An embedder that answers when it is told to."""

    def __init__(self, go_on: asyncio.Event) -> None:
        self._go_on = go_on

    async def embed(self, texts, *, background: bool = False):
        await self._go_on.wait()
        return await super().embed(texts, background=background)


async def test_a_question_costs_one_visit_if_its_vector_is_there(storage: Storage) -> None:
    """The vector is searched for where the words were, and whose name it is gets looked up on the way."""
    tea = await remembered(storage, "Priya likes green tea.", MemoryKind.SEMANTIC)
    storage.backend = counted = CountedVisits(storage.backend)
    query = Query(text="Which tea does Priya like?", wanted=MINE, limit=3, strategies=ALL)
    found = await searcher_of(storage, embedder=WordEmbedder()).search(ORG, query)
    assert ([one.memory for one in found.items], counted.count) == ([tea], 1)
    assert {"vector", "keyword"} <= set(found.trace.strategies)


async def test_a_question_costs_two_visits_if_its_vector_comes_later(storage: Storage) -> None:
    """What the first visit found is ranked in the second, with what the vector finds."""
    tea = await remembered(storage, "Priya likes green tea.", MemoryKind.SEMANTIC)
    storage.backend = counted = CountedVisits(storage.backend)
    searcher = searcher_of(storage, embedder=LateEmbedder(counted.is_visited))
    query = Query(text="Which tea does Priya like?", wanted=MINE, limit=3, strategies=ALL)
    found = await searcher.search(ORG, query)
    assert ([one.memory for one in found.items], counted.count) == ([tea], 2)
    assert {"vector", "keyword"} <= set(found.trace.strategies)


async def test_without_names_the_question_is_asked_as_it_is(storage: Storage) -> None:
    """Only what needs the names fails, and says so."""
    tea = await remembered(storage, "Priya likes green tea.", MemoryKind.SEMANTIC)
    storage.backend = Unreadable(storage.backend, "FROM entities")
    found = await asked(storage, "Which tea does Priya like?")
    assert [one.memory for one in found.items] == [tea]
    assert found.trace.failed == {"graph": "the connection broke"}


class RefusedVectors:
    """A search by vector that the database refuses."""

    waits = False

    async def search(self, scope, *question) -> Nearest:
        await scope.all(sa.text("SELECT no_such_function()"))
        raise AssertionError("unreachable")


async def test_if_none_can_answer_the_database_is_to_blame(storage: Storage) -> None:
    """An empty answer would be taken for "nothing is known"."""
    await remembered(storage, "Likes green tea.", MemoryKind.SEMANTIC)
    storage.backend.vectors = RefusedVectors()
    query = Query(text="tea", wanted=MINE, limit=3, strategies=(StrategyName.VECTOR,))
    with pytest.raises(StorageError, match="no_such_function"):
        await searcher_of(storage).search(ORG, query)


WORDS_OF_THE_WORLD: Mapping[str, tuple[str, str]] = {
    "de": ("Anna wohnt seit März in München und fährt gern Fahrrad.", "Wo wohnt Anna?"),
    "zh": ("我女儿下个月要去上海参加钢琴比赛。", "钢琴比赛在哪里?"),
    "ar": ("أختي تعمل طبيبة في مستشفى القاهرة.", "أين تعمل أختي؟"),
    "ja": ("来週の火曜日に歯医者を予約しました。", "歯医者の予約はいつですか"),
    "emoji": ("Rex got a cake 🎂 today 🐕", "🎂"),
}


@pytest.mark.parametrize("language", WORDS_OF_THE_WORLD)
async def test_question_finds_the_text_of_its_language(storage: Storage, language: str) -> None:
    """Words alone find it, first among those of all other languages."""
    for number, (text, _) in enumerate(WORDS_OF_THE_WORLD.values()):
        await storage.append(ORG, said(text, request_id=f"r{number}"))
    text, question = WORDS_OF_THE_WORLD[language]
    found = await asked(storage, question, strategies=(StrategyName.KEYWORD,))
    assert found.items[0].interaction is not None
    assert found.items[0].interaction.content == text


async def test_neighbours_come_with_a_turn(storage: Storage) -> None:
    """The turns of the same session right before and after it, and no others."""
    await storage.append(ORG, said("one", "two", "the blue kayak", "four", "five", session_id="s"))
    await storage.append(ORG, said("other", request_id="r2", session_id="t"))
    found = await asked(storage, "kayak", strategies=(StrategyName.KEYWORD,), neighbours=1)
    [item] = found.items
    assert [turn.content for turn in item.neighbours] == ["two", "four"]
    plain = await asked(storage, "kayak", strategies=(StrategyName.KEYWORD,))
    assert plain.items[0].neighbours == ()
