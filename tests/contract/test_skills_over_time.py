"""What becomes of skills as playbooks come and go: what was rejected, what failed, what waits, on both databases."""

from collections.abc import Iterator

import pytest

from sagacity.domain.errors import ProviderTimeout
from sagacity.domain.memory import Approval, BlockingIssue, BlockingIssueKind, Memory
from sagacity.learning.distil.pipeline import Distiller
from sagacity.storage.transaction import Storage
from support.learning import WordEmbedder
from support.parts import ORG
from support.scripted_llm import ScriptedLLM, as_json, garbage, scripted_llm
from support.skills import (
    ACTS,
    REFUND,
    SKILL,
    TRAINS,
    TRAVEL,
    OneConfig,
    change,
    clusters_of,
    facts,
    generate,
    generator,
    scripted,
    skills,
    teach,
)

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.either_database]
OTHER_ACTS = ("compare two fares", "mention the seat", "say the platform")


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with scripted_llm() as running:
        yield running


@pytest.fixture
def by_rules(storage: Storage, clock, ids) -> Distiller:
    return generator(storage, clock, ids, configs=OneConfig(cooldown_hours=0))


async def reword(storage: Storage, book: Memory, **fields) -> None:
    """Write *fields* of a playbook as a person does while no vectors can be made."""
    async with storage.begin(ORG) as tx:
        [found] = await tx.memories.get_many([book.memory_id])
        await tx.memories.save([found.model_copy(update=fields)])


async def test_what_was_rejected_waits_until_more_than_half_is_others(storage, by_rules) -> None:
    """Not with each new member, not little by little, not because someone asks; then it is proposed once more."""
    await teach(storage, REFUND, *ACTS, "thank the customer")
    await generate(storage, by_rules)
    [first] = await skills(storage)
    first = await change(storage, first, approval=Approval.REJECTED)
    [before] = await clusters_of(storage)
    for number in range(4):
        await teach(storage, REFUND, f"do step number {number}")
        made = await generate(storage, by_rules, rerun=number % 2 == 1)
        assert (made.created, made.updated, await skills(storage)) == (0, 0, [first])
        [kept] = await clusters_of(storage)
        assert (kept.member_ids, kept.memory_id) == (before.member_ids, first.memory_id)
    await teach(storage, REFUND, "do the last step")
    assert (await generate(storage, by_rules)).updated == 1
    rejected, second = await skills(storage)
    assert (rejected, facts(second).replaces) == (first, first.memory_id)
    assert len((await clusters_of(storage))[0].member_ids) == 9


async def test_a_member_that_waits_for_its_vector_stays_in_its_skill(storage, by_rules) -> None:
    """A person rewords one playbook while the embedder is away: its skill says it in the new words."""
    books = await teach(storage, REFUND, *ACTS, "thank the customer")
    await generate(storage, by_rules)
    await reword(storage, books[2], content="name the days that it takes")
    assert (await generate(storage, by_rules)).updated == 1
    [after] = await skills(storage)
    assert "name the days that it takes" in after.content
    assert facts(after).user_playbook_ids == tuple(book.memory_id for book in books)


class NoEmbedder(WordEmbedder):
    """The embedder is away."""

    async def embed(self, texts, *, background: bool = False):
        message = "no answer"
        raise ProviderTimeout(message)


async def test_without_the_vectors_that_it_takes_nothing_is_written(storage, clock, ids, by_rules) -> None:
    """The skill stays as it is, the run says so and starts no cooldown; the next one makes up for it."""
    books = await teach(storage, REFUND, *ACTS, "thank the customer")
    await generate(storage, by_rules)
    [before] = await skills(storage)
    await reword(storage, books[2], content="name the days that it takes")
    away = generator(storage, clock, ids, embedder=NoEmbedder())
    clock.advance(25 * 3_600)
    with pytest.raises(ProviderTimeout):
        await generate(storage, away)
    assert await skills(storage) == [before]
    made = await generate(storage, generator(storage, clock, ids))
    assert (made.updated, made.skipped_reason) == (1, "")


async def test_a_run_that_someone_asked_for_begins_no_cooldown(storage, clock, ids) -> None:
    """It counts between two runs that nobody asked for."""
    await teach(storage, REFUND, *ACTS)
    one = generator(storage, clock, ids)
    assert (await generate(storage, one, rerun=True)).created == 1
    await teach(storage, REFUND, "thank the customer")
    assert (await generate(storage, one)).updated == 1
    await teach(storage, REFUND, "close the case")
    assert (await generate(storage, one, rerun=True)).updated == 1
    assert "cooldown" in (await generate(storage, one)).skipped_reason


@pytest.mark.parametrize("asked", [False, True])
async def test_a_cluster_that_failed_is_due_in_the_next_run(storage, clock, ids, server, asked) -> None:
    """Others were stored: no cooldown keeps it back. Once all are written the cooldown counts again."""
    await teach(storage, REFUND, *ACTS)
    one = generator(storage, clock, ids, models=scripted(server))
    server.answer_with([as_json(SKILL)])
    assert (await generate(storage, one)).created == 1
    clock.advance(0 if asked else 25 * 3_600)
    await teach(storage, REFUND, "thank the customer")
    await teach(storage, TRAVEL, *OTHER_ACTS)
    server.answer_with(lambda request: as_json(SKILL) if REFUND in request.prompt else garbage())
    made = await generate(storage, one, rerun=asked)
    assert (made.created, made.failed) == (0, 1)
    server.answer_with(lambda request: as_json(TRAINS))
    made = await generate(storage, one)
    assert (made.created, made.failed, made.skipped_reason) == (1, 0, "")
    assert "cooldown" in (await generate(storage, one)).skipped_reason


async def test_tools_and_issues_follow_where_the_text_stays(storage, clock, ids, server) -> None:
    """The same words, but more tools and something that stands in the way: a new version that names them."""
    books = await teach(storage, REFUND, *ACTS)
    tools = ["orders.find", "receipts.find"]
    configs = OneConfig(cooldown_hours=0, tools=tools)
    one = generator(storage, clock, ids, models=scripted(server), configs=configs)
    issue = BlockingIssue(kind=BlockingIssueKind.MISSING_TOOL, details="no refund tool")
    more = as_json(SKILL | {"allowed_tools": [*tools, "invented.tool"]})
    server.answer_with([as_json(SKILL), more, more])
    await generate(storage, one)
    await reword(storage, books[0], blocking_issue=issue)
    assert (await generate(storage, one)).updated == 1
    [skill] = await skills(storage)
    assert (facts(skill).tools, facts(skill).blocking_issues) == (tuple(tools), (issue,))
    assert (facts(skill).version, skill.content) == ("1.1.0", SKILL["instructions"])
    await teach(storage, REFUND, "thank the customer")
    assert (await generate(storage, one)).updated == 0, "nothing of it changed"
    [skill] = await skills(storage)
    assert (facts(skill).version, len(facts(skill).user_playbook_ids)) == ("1.1.0", 4)
