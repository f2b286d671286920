"""What clean-up promises: nothing goes that somebody still has to read, and what goes takes its history along."""

from datetime import timedelta

import pytest

from sagacity.domain.cursor import learner_name
from sagacity.domain.ids import UserId
from sagacity.domain.memory import ArchivedBy, MemoryKind
from sagacity.domain.operation import OperationName, OperationParameters
from sagacity.domain.retention import TurnsToGo
from sagacity.storage.transaction import Storage
from support.learning import lines
from support.parts import ANNA, BEN, ORG, START, cursor_at, said
from support.versions import ARCHIVED, CURRENT, PENDING, add, put_away, read_to, statuses

ONE, TWO = (MemoryKind.PROFILE, "one"), (MemoryKind.USER_PLAYBOOK, "two")


async def drop(storage: Storage, count: int, learners=(ONE,)) -> int:
    """Drop up to so many of the oldest turns."""
    async with storage.read(ORG) as snapshot:
        chosen = await snapshot.retention.oldest_read(TurnsToGo(learners=learners), limit=count)
    async with storage.begin(ORG) as tx:
        return await tx.retention.drop(chosen, TurnsToGo(learners=learners))


async def turns(storage: Storage, user_id: str = ANNA) -> list[str]:
    async with storage.read(ORG) as snapshot:
        return [
            one.content for one in await snapshot.interactions.log(UserId(user_id), after_seq=0, limit=99)
        ]


@pytest.mark.parametrize("version", [PENDING, ARCHIVED])
async def test_turns_that_a_version_has_not_read_stay(storage: Storage, version) -> None:
    """When it comes into force they are learned into it, as after a rerun that was cancelled half way."""
    await storage.append(ORG, said(*lines(10)))
    await read_to(storage, 10)
    await read_to(storage, 2, version)
    assert await drop(storage, 7) == 2
    assert await turns(storage) == lines(8, 2)


async def test_turns_that_not_every_learner_has_read_stay(storage: Storage) -> None:
    """Of each user as far as the one that read least; of whom one has read nothing, all stay."""
    for user_id, second in ((ANNA, 3), (BEN, None)):
        await storage.append(ORG, said(*lines(5), request_id=user_id, user_id=user_id))
        await read_to(storage, 5, learner=learner_name(*ONE), user_id=user_id)
        if second is not None:
            await read_to(storage, second, learner=learner_name(*TWO), user_id=user_id)
    assert await drop(storage, 9, (ONE, TWO)) == 3
    assert (await turns(storage), await turns(storage, BEN)) == (lines(2, 3), lines(5))
    assert await drop(storage, 9, (ONE, TWO)) == 0


async def test_turns_that_were_chosen_stay_if_somebody_is_to_read_them_by_then(storage: Storage) -> None:
    """They are chosen first and deleted later; meanwhile a version may come back, or a run start."""
    await storage.append(ORG, said(*lines(10)))
    await read_to(storage, 10)
    async with storage.read(ORG) as snapshot:
        assert await snapshot.retention.excess(4) == 6
        chosen = await snapshot.retention.oldest_read(TurnsToGo(learners=(ONE,)), limit=6)
    assert len(chosen) == 6
    await read_to(storage, 4, PENDING)
    async with storage.begin(ORG) as tx:
        assert await tx.retention.drop(chosen, TurnsToGo(learners=(ONE,))) == 4
        assert await tx.retention.excess(4) == 2
    async with storage.begin(ORG) as tx:
        await tx.cursors.save(cursor_at(10, learner=learner_name(*ONE)))
        await tx.operations.start(OperationName.PROFILE_GENERATION, OperationParameters())
    async with storage.begin(ORG) as tx:
        assert await tx.retention.drop(chosen, TurnsToGo()) == 0
        assert await tx.retention.excess(4) == 0
    assert await turns(storage) == lines(6, 4)


async def test_what_expired_takes_its_history_along(storage: Storage) -> None:
    """What was superseded stays until all that followed from it is gone."""
    old, new = await add(storage, "Lives in Paris."), await add(storage, "Stays in Lyon.", expires_at=START)
    oldest, other = await add(storage, "Lives in Nice."), await add(storage, "Has a dog.")
    await put_away(storage, oldest, ArchivedBy.LEARNER, successor=old)
    await put_away(storage, old, ArchivedBy.LEARNER, successor=new)
    await put_away(storage, await add(storage, "Has no dog."), ArchivedBy.LEARNER, successor=other)
    async with storage.begin(ORG) as tx:
        assert await tx.retention.purge_expired(START + timedelta(days=1), limit=9) == 1
    assert await statuses(storage) == {"Has a dog.": CURRENT, "Has no dog.": ARCHIVED}


@pytest.mark.parametrize("by", ["ids", "uids"])
async def test_what_is_deleted_takes_its_history_along(storage: Storage, by: str) -> None:
    """Of the same owner and kind; what a person put away is no history. Only what was asked for is counted."""
    for user_id in (ANNA, None):
        kind = MemoryKind.PROFILE if user_id else MemoryKind.AGENT_PLAYBOOK
        old, new = [await add(storage, name, kind=kind, user_id=user_id) for name in ("old", "new")]
        await put_away(storage, old, ArchivedBy.LEARNER, successor=new)
        unwanted = await add(storage, "unwanted", kind=kind, user_id=user_id)
        await put_away(storage, unwanted, ArchivedBy.PERSON, successor=new)
        chosen = {"ids": [new.memory_id]} if by == "ids" else {"uids": [new.uid]}
        async with storage.begin(ORG) as tx:
            assert await tx.memories.delete(kind, **chosen) == 1
        assert await statuses(storage, kind) == {"unwanted": ARCHIVED}
