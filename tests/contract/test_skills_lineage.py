"""Which skill a cluster stands by: when proposals are deleted, and when playbooks come under other numbers."""

from sagacity.domain.memory import Approval, Memory, MemoryKind, Status
from sagacity.storage.transaction import Storage
from support.parts import ORG
from support.skills import ACTS, REFUND, TRAVEL, OneConfig, change, facts, generate, generator, skills, teach


async def _decided(storage: Storage, clock, ids, approval: Approval) -> tuple[Memory, list[Memory]]:
    """Teach, write the skill, and decide on it; returns it and what was taught."""
    books = await teach(storage, REFUND, *ACTS)
    await generate(storage, generator(storage, clock, ids))
    [made] = await skills(storage)
    return await change(storage, made, approval=approval), books


async def _swap(storage: Storage, old: list[Memory], trigger: str, *acts: str) -> None:
    """What a rerun and an upgrade do: the old ones are put away, and like ones come under other numbers."""
    async with storage.begin(ORG) as transaction:
        await transaction.memories.save([book.model_copy(update={"status": Status.ARCHIVED}) for book in old])
    await teach(storage, trigger, *acts)


async def test_after_a_proposal_is_deleted_the_next_one_still_names_the_approved_skill(
    storage: Storage, clock, ids
) -> None:
    """And follows its version: the cluster's skill is gone, and the one before speaks for the cluster again."""
    approved, _ = await _decided(storage, clock, ids, Approval.APPROVED)
    made_by = generator(storage, clock, ids, configs=OneConfig(cooldown_hours=0))
    await teach(storage, REFUND, "thank the customer")
    await generate(storage, made_by)
    _, proposed = await skills(storage)
    assert (facts(proposed).replaces, facts(proposed).version) == (approved.memory_id, "1.1.0")
    async with storage.begin(ORG) as transaction:
        await transaction.memories.delete(MemoryKind.SKILL, ids=[proposed.memory_id])
    await teach(storage, REFUND, "close the case")
    await generate(storage, made_by)
    stays, again = await skills(storage)
    assert (stays.memory_id, facts(again).replaces) == (approved.memory_id, approved.memory_id)
    assert facts(again).version == "1.1.0"


async def test_like_playbooks_under_other_numbers_write_in_place_of_the_approved_skill(
    storage: Storage, clock, ids
) -> None:
    """After an upgrade no member is what it was, and the task is; another task is another skill."""
    approved, books = await _decided(storage, clock, ids, Approval.APPROVED)
    await _swap(storage, books, REFUND, *ACTS, "thank the customer")
    await teach(storage, TRAVEL, "book the seat", "choose the route", "show the fare")
    await generate(storage, generator(storage, clock, ids, configs=OneConfig(cooldown_hours=0)))
    stays, *made = await skills(storage)
    assert stays.memory_id == approved.memory_id
    assert sorted((facts(one).version, facts(one).replaces or 0) for one in made) == [
        ("1.0.0", 0),
        ("1.1.0", approved.memory_id),
    ]


async def test_a_rejected_skill_is_not_proposed_again_under_other_numbers(
    storage: Storage, clock, ids
) -> None:
    """Whoever asks: they took the places of those that it was rejected with."""
    rejected, books = await _decided(storage, clock, ids, Approval.REJECTED)
    await _swap(storage, books, REFUND, *ACTS)
    made_by = generator(storage, clock, ids, configs=OneConfig(cooldown_hours=0))
    for rerun in (False, True, False):
        await generate(storage, made_by, rerun=rerun)
        assert [one.memory_id for one in await skills(storage)] == [rejected.memory_id]
