"""The tenant's own work is told to stop, or what it should do: neither waits for anything else to happen."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.memory import MemoryKind
from sagacity.domain.operation import Operation, OperationName, OperationStatus
from support.aggregation import NAME, VERSION, in_own_words
from support.learning import due_at
from support.parts import ORG
from support.scripted_llm import Answer, ChatRequest, ScriptedLLM, as_json, scripted_llm
from support.skills import REFUND, SKILL, skills, teach
from support.tenancy import Tenancy
from support.waiting import until

pytestmark = pytest.mark.own_database

AT_ONCE = 4
"""Clusters that are written up side by side."""
WORDS = ("anchor", "balloon", "cactus", "drum", "engine", "falcon", "glove")
"""Of each there is a cluster: more than are written up at once."""
ACTS = ("look up the order", "ask for the receipt", "name the days it takes") * 2


class Gate:
    """Holds a model's answers back."""

    def __init__(self, answer: Callable[[ChatRequest], Answer]) -> None:
        self._answer = answer
        self._open = threading.Event()

    def open(self) -> None:
        self._open.set()

    def __call__(self, request: ChatRequest) -> Answer:
        assert self._open.wait(60)
        return self._answer(request)


@pytest.fixture
def tenancy(storage, clock, ids) -> Tenancy:
    return Tenancy(storage, clock, ids)


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with scripted_llm() as running:
        yield running


@pytest.fixture
def by_model(storage, clock, ids, model, closed_clients) -> Tenancy:
    return Tenancy(storage, clock, ids, model=model)


@asynccontextmanager
async def while_it_asks(
    tenancy: Tenancy, model: ScriptedLLM, answer: Callable[[ChatRequest], Answer]
) -> AsyncIterator[None]:
    """Do the tenant's work, with the block while the first clusters are with the model."""
    gate = Gate(answer)
    model.answer_with(gate)

    async def is_asked() -> bool:
        return len(model.requests) >= AT_ONCE

    work = asyncio.create_task(tenancy.run())
    try:
        await until(is_asked, 60)
        yield
    finally:
        gate.open()
        await work


async def cancel(tenancy: Tenancy, operation: Operation) -> Operation:
    async with tenancy.storage.begin(ORG) as transaction:
        [cancelled] = await transaction.operations.cancel(operation_id=operation.operation_id)
    return cancelled


async def teach_clusters(tenancy: Tenancy) -> None:
    for word in WORDS:
        await tenancy.teach(f"{word} {word} now", f"{word} {word} soon")


def config(**options) -> TenantConfig:
    extractor = {"extractor_name": NAME, "extraction_definition_prompt": "how to act", **options}
    return TenantConfig.model_validate({"user_playbook_extractor_configs": [extractor]})


async def test_a_cancelled_aggregation_asks_no_more_and_writes_nothing(
    by_model: Tenancy, model: ScriptedLLM
) -> None:
    """The clusters that are with the model come to their end; no other is begun, neither by what is due by itself."""
    await teach_clusters(by_model)
    operation = await by_model.start()
    async with while_it_asks(by_model, model, in_own_words):
        assert (await cancel(by_model, operation)).status is OperationStatus.CANCELLED
    assert len(model.requests) == AT_ONCE
    assert (await by_model.shared(), await by_model.clusters()) == ([], [])
    assert (await by_model.state(operation)).status is OperationStatus.CANCELLED
    assert await by_model.due_at() is None
    model.answer_with(in_own_words)
    await by_model.teach("hammer hammer now", "hammer hammer soon")
    await by_model.note()
    await by_model.run()
    assert len(await by_model.shared()) == len(WORDS) + 1


async def test_cancelled_skills_are_not_written(by_model: Tenancy, model: ScriptedLLM) -> None:
    """As with an aggregation: what is with the model comes to its end, and nothing is written of it."""
    await by_model.choose()
    for word in WORDS:
        await teach(by_model.storage, " ".join([word] * 6), *ACTS, name=NAME)
    operation = await by_model.start(OperationName.SKILL_GENERATION)
    async with while_it_asks(by_model, model, lambda request: as_json(SKILL)):
        await cancel(by_model, operation)
    assert len(model.requests) == AT_ONCE
    assert await skills(by_model.storage) == []
    assert (await by_model.state(operation)).status is OperationStatus.CANCELLED


async def test_who_asked_for_an_aggregation_does_not_wait_for_its_skills(tenancy: Tenancy) -> None:
    """The operation has ended when they are written, by themselves; to cancel it then is too late."""
    wanted = {"enabled": True, "auto_generate_on_aggregation": True}
    rarely = {"reaggregation_trigger_count": 100}
    await tenancy.configs.set(ORG, config(aggregation_config=rarely, skill_generator_config=wanted))
    await teach(tenancy.storage, REFUND, *ACTS, name=NAME)
    operation = await tenancy.start()

    seen: list[OperationStatus] = []

    async def look_after_the_playbooks() -> None:
        if await tenancy.shared():
            seen.append((await tenancy.state(operation)).status)
            async with tenancy.storage.begin(ORG) as transaction:
                await transaction.operations.cancel()

    tenancy.embedder.before = look_after_the_playbooks
    await tenancy.run()
    assert seen == [OperationStatus.COMPLETED]
    assert (len(await tenancy.shared()), len(await skills(tenancy.storage))) == (1, 1)
    assert (await tenancy.state(operation)).status is OperationStatus.COMPLETED


async def test_an_aggregation_tells_how_many_clusters_are_done(by_model: Tenancy, model: ScriptedLLM) -> None:
    """While it runs, and at its end all of them."""
    await teach_clusters(by_model)
    operation = await by_model.start()
    model.answer_with(in_own_words)
    await by_model.run()
    done = await by_model.state(operation)
    assert (done.status, done.step_count, done.step_total) == (OperationStatus.COMPLETED, 7, 7)


async def test_aggregation_that_is_turned_on_counts_what_is_there(tenancy: Tenancy) -> None:
    """Nobody has to teach anything before; the configuration makes the tenant due in its own transaction."""
    await tenancy.configs.set(ORG, config(aggregation_config=None))
    await tenancy.run()
    await tenancy.teach("use pnpm for packages", "use pnpm for packages here", "use pnpm for all packages")
    await tenancy.note()
    await tenancy.run()
    assert (await tenancy.shared(), await tenancy.due_at()) == ([], None)
    await tenancy.configs.set(ORG, config(aggregation_config={"reaggregation_trigger_count": 3}))
    assert await due_at(tenancy.storage, ORGANISATION) == tenancy.clock.now()
    await tenancy.run()
    assert len(await tenancy.shared()) == 1
    assert await tenancy.due_at() is None


async def test_skills_that_are_turned_on_are_written_of_what_was_aggregated(tenancy: Tenancy) -> None:
    """Once: looked at again, and with nothing aggregated since, no skill is written anew."""
    await tenancy.configs.set(ORG, config(aggregation_config={}))
    await teach(tenancy.storage, "customer wants a refund", *ACTS, name=NAME)
    await tenancy.note()
    await tenancy.run()
    assert (len(await tenancy.shared()), await skills(tenancy.storage)) == (1, [])
    wanted = {"enabled": True, "auto_generate_on_aggregation": True, "cooldown_hours": 0}
    await tenancy.configs.set(ORG, config(aggregation_config={}, skill_generator_config=wanted))
    await tenancy.run()
    [skill] = await skills(tenancy.storage)
    async with tenancy.storage.begin(ORG) as transaction:
        await transaction.memories.delete(MemoryKind.SKILL, ids=[skill.memory_id])
    await tenancy.note()
    await tenancy.run()
    assert await skills(tenancy.storage) == []
    assert (skill.name, skill.agent_version) == (NAME, VERSION)
