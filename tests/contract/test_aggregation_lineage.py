"""Which cluster is which, and whose word stands: when proposals, names, numbers and words change."""

from collections.abc import Iterator

import pytest

from sagacity.domain.cluster import MEMBER_COUNT, REPLACES
from sagacity.domain.memory import Approval, BlockingIssue, BlockingIssueKind, Memory, MemoryKind
from sagacity.domain.version import VersionFilter
from sagacity.learning.distil.agent_playbooks.trigger import note_swapped_playbooks
from sagacity.storage.transaction import Storage
from support.aggregation import NAME, NOTHING, PNPM, UNITS, VERSION, Aggregating, in_own_words
from support.parts import ORG
from support.scripted_llm import ScriptedLLM, scripted_llm

pytestmark = pytest.mark.either_database

OTHER_WORDS = ("do use pnpm for packages", "use pnpm for your packages", "do use pnpm for your packages")


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with scripted_llm() as running:
        running.answer_with(in_own_words)
        yield running


@pytest.fixture
def by_rules(storage: Storage, clock, ids) -> Aggregating:
    return Aggregating(storage, clock, ids)


@pytest.fixture
def by_model(storage: Storage, clock, ids, model: ScriptedLLM, closed_clients) -> Aggregating:
    return Aggregating(storage, clock, ids, model=model)


async def _decided(one: Aggregating, approval: Approval, **fields) -> Memory:
    """Aggregate, and decide on the one playbook that comes of it."""
    await one.run()
    [made] = await one.shared()
    return await one.change(made, approval=approval, **fields)


async def _delete(one: Aggregating, memory: Memory) -> None:
    async with one.storage.begin(ORG) as transaction:
        await transaction.memories.delete(memory.kind, ids=[memory.memory_id])


async def _swap(one: Aggregating, old: list[Memory], contents: tuple[str, ...]) -> list[Memory]:
    """What a rerun and an upgrade do: the old ones are put away, and like ones come under other numbers."""
    await one.forget(*old)
    new = await one.teach(*contents)
    async with one.storage.begin(ORG) as transaction:
        config, wanted = await one.configs.get(ORG), VersionFilter(kind=MemoryKind.USER_PLAYBOOK)
        await note_swapped_playbooks(transaction, config, wanted)
    return new


# --- a person's words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        {"rationale": "our legal team wants it so"},
        {"blocking_issue": BlockingIssue(kind=BlockingIssueKind.MISSING_TOOL, details="no registry")},
    ],
    ids=["rationale", "blocking_issue"],
)
async def test_reasons_and_obstacles_that_a_person_wrote_are_not_overwritten(
    by_model: Aggregating, fields: dict
) -> None:
    """They are words like the others: what a later run would say waits beside them."""
    await by_model.teach(*PNPM)
    await by_model.run()
    [made] = await by_model.shared()
    edited = await by_model.change(made, **fields)
    await by_model.teach("use pnpm for packages please")
    await by_model.run()
    stays, proposed = await by_model.shared()
    assert stays == edited
    assert proposed.metadata[REPLACES] == edited.memory_id


async def test_an_edited_rule_reaches_the_shared_playbook(by_model: Aggregating, model: ScriptedLLM) -> None:
    """The members are the same ones and one says something else: the cluster changed, and others did not."""
    books = await by_model.teach(*PNPM)
    await by_model.teach(*UNITS)
    await by_model.run()
    model.requests.clear()
    await by_model.change(books[0], content="use pnpm nine for packages")
    done = await by_model.run()
    assert (done.updated, len(model.requests)) == (1, 1)
    assert "pnpm nine" in model.requests[0].prompt


# --- what a cluster stands by ----------------------------------------------------------------------------------------


async def test_after_a_proposal_is_deleted_the_next_one_still_names_the_approved_one(
    by_model: Aggregating,
) -> None:
    """The cluster's playbook is gone, and the one before it speaks for the cluster again."""
    await by_model.teach(*PNPM)
    approved = await _decided(by_model, Approval.APPROVED)
    await by_model.teach("use pnpm for packages please")
    await by_model.run()
    await _delete(by_model, (await by_model.shared())[1])
    await by_model.teach("use pnpm for packages again")
    await by_model.run()
    stays, proposed = await by_model.shared()
    assert (stays, proposed.metadata.get(REPLACES)) == (approved, approved.memory_id)


async def test_an_approved_playbook_under_another_name_keeps_its_cluster(by_model: Aggregating) -> None:
    """What it is called is a person's choice."""
    await by_model.teach(*PNPM)
    approved = await _decided(by_model, Approval.APPROVED, name="house rules")
    await by_model.teach("use pnpm for packages please")
    await by_model.run()
    stays, proposed = await by_model.shared()
    assert (stays, proposed.metadata.get(REPLACES)) == (approved, approved.memory_id)


# --- other numbers ---------------------------------------------------------------------------------------------------


async def test_the_same_rules_under_other_numbers_leave_the_approved_playbook_without_a_rival(
    by_model: Aggregating, model: ScriptedLLM
) -> None:
    """After an upgrade no member is what it was, and the cluster is: the model sees what is in force."""
    old = await by_model.teach(*PNPM)
    approved = await _decided(by_model, Approval.APPROVED)
    [cluster] = await by_model.clusters()
    new = await _swap(by_model, old, PNPM)
    model.answer_with(NOTHING)
    await by_model.run()
    assert await by_model.shared() == [approved]
    [after] = await by_model.clusters()
    assert (after.cluster_id, after.memory_id) == (cluster.cluster_id, approved.memory_id)
    assert after.member_ids == tuple(one.memory_id for one in new)


async def test_like_rules_under_other_numbers_propose_in_place_of_the_approved_playbook(
    by_model: Aggregating,
) -> None:
    """In other words it is still the same matter."""
    old = await by_model.teach(*PNPM)
    approved = await _decided(by_model, Approval.APPROVED)
    await _swap(by_model, old, OTHER_WORDS)
    await by_model.run()
    stays, proposed = await by_model.shared()
    assert (stays, proposed.metadata.get(REPLACES)) == (approved, approved.memory_id)


async def test_a_waiting_playbook_is_rewritten_in_its_place_under_other_numbers(
    by_rules: Aggregating,
) -> None:
    """Nothing is archived and proposed anew that is the same matter."""
    old = await by_rules.teach(*PNPM)
    await by_rules.run()
    [made] = await by_rules.shared()
    await _swap(by_rules, old, OTHER_WORDS)
    done = await by_rules.run()
    [now] = await by_rules.shared()
    assert (done.generated, done.archived, now.uid) == (0, 0, made.uid)
    assert now.content in OTHER_WORDS


async def test_a_rejected_playbook_is_not_proposed_again_under_other_numbers(
    by_rules: Aggregating,
) -> None:
    """Not until more than half of the rules behind it are others than those that took their places."""
    old = await by_rules.teach(*PNPM)
    rejected = await _decided(by_rules, Approval.REJECTED)
    new = await _swap(by_rules, old, PNPM)
    await by_rules.run()
    await by_rules.run(full=True)
    assert await by_rules.shared() == [rejected]
    await by_rules.forget(*new[:2])
    await by_rules.teach("use pnpm for packages now", "use pnpm for packages today")
    await by_rules.run()
    _, proposed = await by_rules.shared()
    assert (proposed.approval, proposed.metadata[MEMBER_COUNT]) == (Approval.PENDING, 3)


async def test_rules_about_something_else_do_not_take_a_clusters_place(by_rules: Aggregating) -> None:
    """What no cluster would be joined with is new, and what was approved stays as it is."""
    old = await by_rules.teach(*PNPM)
    approved = await _decided(by_rules, Approval.APPROVED)
    await _swap(by_rules, old, UNITS)
    await by_rules.run()
    stays, proposed = await by_rules.shared()
    assert (stays, proposed.metadata.get(REPLACES)) == (approved, None)
    assert (proposed.name, proposed.agent_version, proposed.content in UNITS) == (NAME, VERSION, True)
