"""What must not be missed is found whatever the words, survives thresholds and limits, and leads a context."""

from datetime import timedelta

import pytest

from sagacity.domain.caution import Caution
from sagacity.domain.context import ContextBudgets
from sagacity.domain.memory import Approval, Memory, MemoryKind, NewMemory, Status, Visibility
from sagacity.domain.query import Filter, Query, Scored, SearchMode
from sagacity.learning.embedding_backfill import EmbeddingBackfill
from sagacity.memories.acting import Parts
from sagacity.memories.context import ContextRequest, context_for
from sagacity.memories.search import Question
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.transaction import Storage
from support.acting import for_everyone
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, StoppedClock, new_memory

PROFILE, SEMANTIC, RULE = MemoryKind.PROFILE, MemoryKind.SEMANTIC, MemoryKind.USER_PLAYBOOK
OF_ANNA = Filter(kinds=(PROFILE, SEMANTIC), user_id=ANNA, valid_at=START)
ALLERGY, ASTHMA, DIABETES = "Is allergic to peanuts.", "Has asthma.", "Has type 2 diabetes."
MEAT = "Eats meat almost every day."


async def remembered(storage: Storage, *memories: NewMemory) -> list[Memory]:
    async with storage.begin(ORG) as tx:
        return await tx.memories.add(list(memories))


async def warned(storage: Storage, wanted: Filter = OF_ANNA, *touched: Caution) -> set[str]:
    async with storage.read(ORG) as snapshot:
        hits = await snapshot.search.cautions(wanted, touched or tuple(Caution))
        return {one.content for one in await snapshot.memories.get_many([hit.owner_id for hit in hits])}


async def found(storage: Storage, text: str, **options) -> list[Scored]:
    query = Query(text=text, wanted=options.pop("wanted", OF_ANNA), limit=options.pop("limit", 10), **options)
    return list((await Searcher(storage, MiniLM(), clock=StoppedClock()).search(ORG, query)).items)


def texts(items: list[Scored]) -> list[str]:
    return [item.memory.content for item in items if item.memory]


async def test_cautions_are_one_users_facts_that_are_admitted(storage: Storage) -> None:
    """No rules, episodes, other users or organisations; nothing withheld, archived or expired."""
    day = timedelta(days=1)
    await remembered(
        storage,
        new_memory(ALLERGY),
        new_memory(ASTHMA, kind=SEMANTIC),
        new_memory(DIABETES, approval=Approval.REJECTED),
        new_memory(MEAT),
        new_memory("Is vegan.", user_id=BEN),
        new_memory("Does not eat pork.", status=Status.ARCHIVED),
        new_memory("Does not eat eggs.", expires_at=START - day),
        new_memory("Never eat in meetings.", kind=RULE),
        new_memory("Had an allergic reaction to nuts.", kind=MemoryKind.EPISODIC),
    )
    async with storage.begin(OTHER_ORG) as tx:
        await tx.memories.add([new_memory("Is vegetarian.")])
    served = OF_ANNA.model_copy(update={"visibility": (Visibility.SERVED,)})
    assert await warned(storage, served) == {ALLERGY, ASTHMA}
    assert await warned(storage, served, Caution.FOOD) == {ALLERGY}
    assert await warned(storage) == {ALLERGY, ASTHMA, DIABETES}
    assert await warned(storage, OF_ANNA.model_copy(update={"kinds": tuple(MemoryKind)})) == {
        *(ALLERGY, ASTHMA, DIABETES)
    }
    assert await warned(storage, OF_ANNA.model_copy(update={"user_id": None})) == set()
    assert await warned(storage, OF_ANNA.model_copy(update={"user_ids": (BEN,)})) == set()


async def test_a_former_caution_is_one_at_that_time(storage: Storage) -> None:
    """What was archived since warned then; what was learned since did not."""
    day = timedelta(days=1)
    [old] = await remembered(storage, new_memory("Is vegetarian.", at=START - 9 * day))
    async with storage.begin(ORG) as tx:
        await tx.memories.save([old.model_copy(update={"status": Status.ARCHIVED})])
    await remembered(storage, new_memory(ALLERGY))
    then = OF_ANNA.model_copy(update={"as_of": START - day, "valid_at": None})
    assert await warned(storage, then) == {"Is vegetarian."}
    assert await warned(storage) == {ALLERGY}


async def test_an_edit_makes_and_ends_a_caution(storage: Storage) -> None:
    """The index says what the memory says."""
    [memory] = await remembered(storage, new_memory("Likes peanuts."))
    for text, expected in ((ALLERGY, {ALLERGY}), ("Is not allergic to peanuts.", set())):
        async with storage.begin(ORG) as tx:
            await tx.memories.save([memory.model_copy(update={"content": text})])
        assert await warned(storage) == expected


@pytest.mark.own_database
async def test_rebuilding_the_index_finds_cautions_again(storage: Storage) -> None:
    """They are read from the memories."""
    await remembered(storage, new_memory(ALLERGY))
    await storage.rebuild_index("x", 384, lambda done, total: None)
    assert await warned(storage) == {ALLERGY}


@pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.FTS])
async def test_a_threshold_leaves_cautions_in(storage: Storage, mode: SearchMode) -> None:
    """Those that the question touches, and that no strategy found or none found near enough; no others."""
    await remembered(storage, *map(new_memory, (MEAT, ALLERGY, ASTHMA, DIABETES, "Is a nurse.")))
    await EmbeddingBackfill(storage, MiniLM()).run()
    items = await found(storage, "Which restaurant is it to be?", threshold=0.99, mode=mode)
    assert set(texts(items)) == {ALLERGY, DIABETES}
    assert {item.is_caution for item in items} == {True}
    assert await found(storage, "Where to?", threshold=0.99, mode=mode) == []
    assert set(texts(await found(storage, "Plan a trip", threshold=0.99, mode=mode))) == {
        *(ALLERGY, ASTHMA, DIABETES)
    }


async def test_a_limit_cuts_others_first(storage: Storage) -> None:
    """Cautions displace the last of the others, and keep their places; more than fit are cut like all else."""
    dinners = [f"Had dinner number {number} at the dinner place." for number in range(5)]
    await remembered(storage, *map(new_memory, (*dinners, ALLERGY)))
    items = await found(storage, "dinner", limit=3, mode=SearchMode.FTS)
    assert len(items) == 3
    assert texts(items)[-1] == ALLERGY
    assert [item.score for item in items] == sorted((item.score for item in items), reverse=True)
    await remembered(storage, new_memory(DIABETES))
    assert set(texts(await found(storage, "dinner", limit=1))) <= {ALLERGY, DIABETES}


async def context(parts: Parts, question: str, *, takes_few_whole: bool = False, **tokens: int) -> str:
    request = ContextRequest(
        takes_few_whole=takes_few_whole,
        user_id=ANNA,
        question=Question(text=question),
        asked=question,
        query=Query(text=question, wanted=Filter(kinds=tuple(MemoryKind), user_id=ANNA), limit=10),
        budgets=ContextBudgets(**tokens),
    )
    return (await context_for(for_everyone(parts), request)).text


async def test_a_context_begins_with_what_must_not_be_missed(parts: Parts, storage: Storage) -> None:
    """The allergy is the first line of the profile, and a prohibition the first rule."""
    facts = [f"Plans dinner for {number} people." for number in range(2, 12)]
    rules = [
        new_memory("Offer three options for dinner.", kind=RULE, trigger="When planning a dinner"),
        new_memory("Never book anything without asking.", kind=RULE),
    ]
    await remembered(storage, *map(new_memory, (*facts, ALLERGY)), *rules)
    await EmbeddingBackfill(storage, MiniLM()).run()
    lines = (await context(parts, "plan a dinner for him")).splitlines()
    assert ALLERGY in lines[lines.index("## User profile") + 1]
    assert "Never book" in lines[lines.index("## Learned procedures") + 1]
    assert "dinner" in (await context(parts, "plan what is next")).splitlines()[3]


async def test_a_small_context_keeps_what_must_not_be_missed(parts: Parts, storage: Storage) -> None:
    """Also where its section has no room of its own."""
    facts = [f"Plans dinner for {number} people." for number in range(2, 12)]
    await remembered(storage, *map(new_memory, (*facts, ALLERGY)), new_memory("Use a list.", kind=RULE))
    text = await context(parts, "plan a dinner for him", total_tokens=60, profile_tokens=0)
    assert ALLERGY in text
    assert "Plans dinner" not in text


async def test_a_few_memories_are_given_whole(parts: Parts, storage: Storage) -> None:
    """Beyond the limit of the search, best first; of many only the first ones."""
    facts = [f"Plans dinner for {number} people." for number in range(2, 22)]
    await remembered(storage, *map(new_memory, facts))
    await EmbeddingBackfill(storage, MiniLM()).run()
    assert (await context(parts, "plan a dinner")).count("Plans dinner") == 10
    assert (await context(parts, "plan a dinner", takes_few_whole=True)).count("Plans dinner") == 20
    await remembered(storage, *(new_memory(f"Knows person {number}.") for number in range(30)))
    await EmbeddingBackfill(storage, MiniLM()).run()
    text = await context(parts, "plan a dinner", takes_few_whole=True)
    assert text.count("Plans dinner") + text.count("Knows person") == 10
