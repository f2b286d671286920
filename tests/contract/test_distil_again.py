"""A commit of which nobody heard is done again and changes nothing then: of both specs, on both databases."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from sagacity.domain.memory import Approval, MemoryKind
from sagacity.storage.transaction import Storage
from support.aggregation import PNPM, Aggregating
from support.parts import ORG
from support.skills import ACTS, REFUND, change, clusters_of, facts, generate, generator, skills, teach

pytestmark = pytest.mark.either_database

OTHER_WORDS = ("do use pnpm for packages", "use pnpm for your packages", "do use pnpm for your packages")
Done = TypeVar("Done")


class Unheard(Storage):
    """Commits, loses the answer, and so does the work once more."""

    def __init__(self, storage: Storage) -> None:
        self.__dict__.update(storage.__dict__)

    async def retry(self, work: Callable[[], Awaitable[Done]]) -> Done:
        await work()
        return await work()


async def _changes(storage: Storage, memory_id: int) -> int:
    async with storage.read(ORG) as snapshot:
        return len(await snapshot.changes.of_memories([memory_id], limit=10))


async def test_a_playbook_is_written_and_rewritten_once(storage: Storage, clock, ids) -> None:
    """One playbook, one cluster, and one entry in the change log for each run."""
    one = Aggregating(Unheard(storage), clock, ids)
    books = await one.teach(*PNPM)
    assert (await one.run()).generated == 1
    [made] = await one.shared()
    assert await _changes(storage, made.memory_id) == 1
    await one.forget(*books)
    await one.teach(*OTHER_WORDS)
    await one.run()
    [now], [cluster] = await one.shared(), await one.clusters()
    assert (now.memory_id, cluster.memory_id, len(cluster.member_ids)) == (made.memory_id, made.memory_id, 3)
    assert await _changes(storage, made.memory_id) == 2


@pytest.mark.parametrize("approval", [Approval.PENDING, Approval.APPROVED])
async def test_a_skill_is_written_and_written_anew_once(storage: Storage, clock, ids, approval) -> None:
    """In place or beside the one that a person approved; the counts are those of one run."""
    await teach(storage, REFUND, *ACTS)
    made_by = generator(Unheard(storage), clock, ids)
    assert (await generate(storage, made_by, rerun=True)).created == 1
    [made] = await skills(storage)
    await change(storage, made, approval=approval)
    await teach(storage, REFUND, "thank the customer")
    assert (await generate(storage, made_by, rerun=True)).updated == 1
    *former, now = await skills(storage)
    assert len(former) == (approval is Approval.APPROVED)
    assert (facts(now).version, now.kind) == ("1.1.0", MemoryKind.SKILL)
    [cluster] = await clusters_of(storage)
    assert (cluster.memory_id, await _changes(storage, now.memory_id)) == (now.memory_id, 2 - len(former))
