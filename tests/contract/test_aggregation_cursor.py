"""When aggregation is due: what it has not seen counts, whatever its number, and whatever it is called."""

import asyncio

import pytest

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cluster import Aggregated
from sagacity.domain.memory import Memory
from sagacity.learning.distil.agent_playbooks.trigger import note_playbooks
from sagacity.storage.transaction import Storage
from support.aggregation import NAME, PNPM, RULE, VERSION, Aggregating
from support.parts import ANNA, ORG, new_memory
from support.tenancy import MeddlingEmbedder

UNITS = ("write metric units always", "write metric units")


@pytest.fixture
def by_rules(storage: Storage, clock, ids) -> Aggregating:
    return Aggregating(storage, clock, ids)


async def _extract(one: Aggregating, *names: str) -> None:
    extractors = [
        {"extractor_name": name, "extraction_definition_prompt": "x", "aggregation_config": {}}
        for name in names
    ]
    await one.configs.set(ORG, TenantConfig.model_validate({"user_playbook_extractor_configs": extractors}))


async def _note(one: Aggregating, *written: Memory) -> None:
    async with one.storage.begin(ORG) as transaction:
        await note_playbooks(transaction, await one.configs.get(ORG), written)


@pytest.mark.parametrize(
    "those",
    [
        [("support", "eu:v1"), ("support:eu", "v1")],
        [("n" * 1_024, "v1"), ("n" * 1_024, "v2")],
        [('a","b', "c"), ("a", 'b","c')],
    ],
    ids=["colons", "long", "quotes"],
)
async def test_names_and_versions_do_not_share_a_cursor(by_rules: Aggregating, those) -> None:
    """A run of one does not take another's news away."""
    await _extract(by_rules, *dict.fromkeys(name for name, _ in those))
    for (name, version), contents in zip(those, (PNPM, UNITS), strict=True):
        await by_rules.teach(*contents, name=name, version=version)
    assert sorted(await by_rules.aggregator.due(ORG)) == sorted(those)
    await by_rules.run(name=those[1][0], version=those[1][1])
    assert await by_rules.aggregator.due(ORG) == [those[0]]


async def test_what_changes_after_a_run_read_it_is_due_when_the_run_ends(
    storage: Storage, clock, ids
) -> None:
    """The cursor goes no further than to what the run saw with other words."""
    embedder = MeddlingEmbedder()
    one = Aggregating(storage, clock, ids, embedder=embedder)
    await one.choose(reaggregation_trigger_count=1)
    first, *_ = await one.teach(*PNPM)

    async def changed_meanwhile() -> None:
        embedder.before = None
        await one.change(first, content="use yarn for packages")

    embedder.before = changed_meanwhile
    await one.run()
    assert await one.aggregator.due(ORG) == [(NAME, VERSION)]
    await one.run()
    assert await one.aggregator.due(ORG) == []


async def test_what_goes_after_a_run_read_it_is_due_when_the_run_ends(storage: Storage, clock, ids) -> None:
    """However few are new, and until a run ends that saw it gone; then nothing rests on it."""
    embedder = MeddlingEmbedder()
    one = Aggregating(storage, clock, ids, embedder=embedder)
    await one.choose(reaggregation_trigger_count=1_000)
    first, *others = await one.teach(*PNPM)
    await one.run()
    assert await one.aggregator.due(ORG) == []

    async def deleted_meanwhile() -> None:
        embedder.before = None
        config = await one.configs.get(ORG)
        async with storage.begin(ORG) as transaction:
            lost = await transaction.clusters.taught([first.memory_id])
            await transaction.memories.delete(RULE, ids=[first.memory_id])
            assert await note_playbooks(transaction, config, (), lost=lost)

    embedder.before = deleted_meanwhile
    await one.run(full=True)
    assert await one.aggregator.due(ORG) == [(NAME, VERSION)]
    await one.run()
    assert await one.aggregator.due(ORG) == []
    assert [one.member_ids for one in await one.clusters()] == [tuple(book.memory_id for book in others)]


async def test_without_clusters_what_goes_makes_nothing_due(by_rules: Aggregating) -> None:
    """No playbook rests on it; what is left waits for as many as it did."""
    await by_rules.choose(reaggregation_trigger_count=4)
    await by_rules.teach(*PNPM)
    async with by_rules.storage.begin(ORG) as transaction:
        config = await by_rules.configs.get(ORG)
        await note_playbooks(transaction, config, (), lost={(NAME, VERSION), ("other", VERSION)})
    assert await by_rules.aggregator.due(ORG) == []
    await by_rules.teach(UNITS[0])
    assert await by_rules.aggregator.due(ORG) == [(NAME, VERSION)]


async def test_an_edit_makes_it_due(by_rules: Aggregating) -> None:
    """As often as somebody writes; and not where the playbooks are aggregated by nobody."""
    await by_rules.choose(reaggregation_trigger_count=1)
    [book, *_] = await by_rules.teach(*PNPM)
    await by_rules.run()
    assert await by_rules.aggregator.due(ORG) == []
    await _note(by_rules, book.model_copy(update={"name": "other"}))
    assert await by_rules.aggregator.due(ORG) == []
    await _note(by_rules, book)
    assert await by_rules.aggregator.due(ORG) == [(NAME, VERSION)]


async def test_the_one_that_takes_its_number_first_may_be_stored_last(by_rules: Aggregating) -> None:
    """Two learners write at once, and a run comes between them: the slower one's is new, on each database."""
    await by_rules.choose(reaggregation_trigger_count=1)
    config = await by_rules.configs.get(ORG)
    new = [new_memory(PNPM[0], kind=RULE, user_id=ANNA, name=NAME, agent_version=VERSION)]
    written = asyncio.Event()

    async def slow() -> None:
        async with by_rules.storage.begin(ORG) as transaction:
            made = await transaction.memories.add(new)
            written.set()
            # One writer at a time: where a database has one only, the others come afterwards.
            await asyncio.wait([others], timeout=1)
            await note_playbooks(transaction, config, made)

    async def between() -> Aggregated:
        await written.wait()
        await by_rules.teach("walk the dog at noon", user_id="ben")
        return await by_rules.run()

    others = asyncio.create_task(between())
    await slow()
    done = await others
    if done.processed < 2:
        assert await by_rules.aggregator.due(ORG) == [(NAME, VERSION)]
        done = await by_rules.run()
    assert (done.processed, await by_rules.aggregator.due(ORG)) == (2, [])
