"""The tenant's own work: operations someone started, what comes due by itself, and when it is looked at again."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.errors import ProviderError
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.operation import (
    ItemStatus,
    OperationName,
    OperationStatus,
)
from sagacity.domain.version import VersionFilter
from sagacity.learning.distil.agent_playbooks.trigger import note_swapped_playbooks
from support.aggregation import NAME, PNPM, UNITS, in_own_words, rules_in
from support.learning import BASE_SECONDS
from support.parts import ORG
from support.scripted_llm import ScriptedLLM, scripted_llm, status
from support.skills import ACTS, REFUND, skills, teach
from support.tenancy import Tenancy

pytestmark = pytest.mark.either_database


@pytest.fixture
def tenancy(storage, clock, ids) -> Tenancy:
    return Tenancy(storage, clock, ids)


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with scripted_llm() as running:
        running.answer_with(in_own_words)
        yield running


@pytest.fixture
def by_model(storage, clock, ids, model, closed_clients) -> Tenancy:
    return Tenancy(storage, clock, ids, model=model)


async def test_an_operation_ends_with_its_result(tenancy: Tenancy) -> None:
    """And nothing is due afterwards."""
    await tenancy.teach(*PNPM)
    operation = await tenancy.start()
    await tenancy.run()
    done = await tenancy.state(operation)
    assert (done.status, done.processed_count) == (OperationStatus.COMPLETED, 1)
    assert (done.result["processed"], done.result["generated"]) == (3, 1)
    assert len(await tenancy.shared()) == 1
    assert await tenancy.due_at() is None


async def test_skills_that_were_asked_for_are_written(tenancy: Tenancy) -> None:
    """By their own operation; its result says how many."""
    await teach(tenancy.storage, REFUND, *ACTS, *ACTS, name=NAME)
    operation = await tenancy.start(OperationName.SKILL_GENERATION)
    await tenancy.run()
    done = await tenancy.state(operation)
    assert (done.status, done.result["created"]) == (OperationStatus.COMPLETED, 1)
    assert len(await skills(tenancy.storage)) == 1


async def test_a_failing_operation_is_tried_again_and_then_given_up(tenancy: Tenancy, clock) -> None:
    """With growing waits, at whose ends it is looked at; it ends with what went wrong."""

    async def fails() -> None:
        raise ProviderError("the model is down")

    tenancy.meddling.before = fails
    operation = await tenancy.start()
    for wait in (BASE_SECONDS, 2 * BASE_SECONDS):
        await tenancy.run()
        assert (await tenancy.state(operation)).status is OperationStatus.IN_PROGRESS
        assert await tenancy.due_at() == clock.now() + timedelta(seconds=wait)
        clock.advance(wait)
    await tenancy.run()
    done = await tenancy.state(operation)
    assert (done.status, done.error) == (OperationStatus.FAILED, "the model is down")
    assert await tenancy.due_at() is None


async def test_a_cancelled_operation_that_waits_for_its_next_try_ends(tenancy: Tenancy) -> None:
    """At once, and nothing is aggregated."""

    async def fails() -> None:
        raise ProviderError("the model is down")

    tenancy.meddling.before = fails
    await tenancy.teach(*PNPM)
    operation = await tenancy.start()
    await tenancy.run()
    tenancy.meddling.before = None
    async with tenancy.storage.begin(ORG) as transaction:
        await transaction.operations.cancel(operation_id=operation.operation_id)
    await tenancy.run()
    async with tenancy.storage.read(ORG) as snapshot:
        [item] = await snapshot.operations.items(operation.operation_id, limit=2)
        operation = await snapshot.operations.get(operation.operation_id)
    assert (operation.status, item.status) == (OperationStatus.CANCELLED, ItemStatus.CANCELLED)
    assert await tenancy.due_at() is None


async def test_it_aggregates_by_itself_when_enough_was_learned(tenancy: Tenancy) -> None:
    """And writes skills after it, where the tenant wants that."""
    extractor = {
        "extractor_name": NAME,
        "extraction_definition_prompt": "how to act",
        "aggregation_config": {"reaggregation_trigger_count": 3},
        "skill_generator_config": {
            "enabled": True,
            "auto_generate_on_aggregation": True,
            "min_feedback_per_cluster": 3,
        },
    }
    config = TenantConfig.model_validate({"user_playbook_extractor_configs": [extractor]})
    await tenancy.configs.set(ORG, config)
    await teach(tenancy.storage, REFUND, *ACTS[:2], name=NAME)
    await tenancy.note()
    await tenancy.run()
    assert (await tenancy.shared(), await tenancy.due_at()) == ([], None)
    await teach(tenancy.storage, REFUND, ACTS[2], name=NAME)
    await tenancy.note()
    await tenancy.run()
    assert len(await tenancy.shared()) == 1
    assert len(await skills(tenancy.storage)) == 1
    assert await tenancy.due_at() is None


async def test_news_that_come_while_it_works_keep_it_due(tenancy: Tenancy, clock) -> None:
    """What was learned meanwhile is looked at."""
    await tenancy.teach(*PNPM)
    await tenancy.note()

    async def learned_meanwhile() -> None:
        clock.advance(1)
        await tenancy.note()

    tenancy.meddling.before = learned_meanwhile
    await tenancy.run()
    assert await tenancy.due_at() == clock.now()


async def test_clusters_that_the_model_failed_are_looked_at_again_by_themselves(
    by_model: Tenancy, model: ScriptedLLM, clock
) -> None:
    """Nobody needs to teach anything before; after some tries they wait until somebody does."""
    await by_model.teach(*PNPM)
    await by_model.teach(*UNITS)
    model.answer_with(
        lambda request: status(500) if "metric" in rules_in(request)[0] else in_own_words(request)
    )
    await by_model.note()
    await by_model.run()
    assert len(await by_model.shared()) == 1
    again_at = await by_model.due_at()
    assert again_at is not None
    assert again_at > clock.now()
    clock.advance((again_at - clock.now()).total_seconds())
    model.answer_with(in_own_words)
    await by_model.run()
    assert len(await by_model.shared()) == 2
    assert await by_model.due_at() is None


async def test_who_finds_the_tenant_worked_on_comes_again(tenancy: Tenancy, clock) -> None:
    """Two workers never aggregate at once."""
    await tenancy.teach(*PNPM)
    operation = await tenancy.start()
    await tenancy.lease()
    await tenancy.run()
    assert (await tenancy.state(operation)).status is OperationStatus.IN_PROGRESS
    assert await tenancy.due_at() is not None
    clock.advance(600)
    await tenancy.run()
    assert (await tenancy.state(operation)).status is OperationStatus.COMPLETED


async def test_a_swap_of_versions_while_it_works_is_not_lost(tenancy: Tenancy) -> None:
    """What was read of the former version is not written, nor how far that was: the present one is aggregated."""
    await tenancy.teach(*UNITS, status=Status.PENDING)
    await tenancy.teach(*PNPM)
    await tenancy.note()
    wanted = VersionFilter(kind=MemoryKind.USER_PLAYBOOK)

    async def upgraded_meanwhile() -> None:
        tenancy.embedder.before = None
        config = await tenancy.configs.get(ORG)
        async with tenancy.storage.begin(ORG) as transaction:
            await transaction.versions.upgrade(wanted)
            await note_swapped_playbooks(transaction, config, wanted)

    tenancy.embedder.before = upgraded_meanwhile
    await tenancy.run()
    assert (await tenancy.shared(), await tenancy.last_read()) == ([], -1)
    assert await tenancy.due_at() is not None
    await tenancy.run()
    assert [one.content in UNITS for one in await tenancy.shared()] == [True]
    assert await tenancy.due_at() is None
