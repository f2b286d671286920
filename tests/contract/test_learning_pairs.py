"""Near-duplicates and opposites without a model: what a user says in one publish and in a later one."""

import pytest

from sagacity.domain.change import Occasion
from sagacity.domain.ids import InteractionId, MemoryUid, RunId
from sagacity.domain.memory import MemoryKind, Status
from sagacity.memories.merge import undo_merge
from sagacity.storage.transaction import Storage
from support.learning import learned, learning
from support.parts import ANNA, ORG, said

pytestmark = pytest.mark.either_database

PROFILE, PLAYBOOK = MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK
PAIRS = [
    pytest.param(
        PROFILE,
        "My brother is called Tom.",
        "My brother Tom lives in Oslo.",
        "Has a brother named Tom who lives in Oslo.",
        "Has a brother named Tom.",
        id="fuller",
    ),
    pytest.param(
        PROFILE,
        "I like pizza.",
        "My favourite food is pizza.",
        "Favourite food is pizza.",
        "Likes pizza.",
        id="favourite",
    ),
    pytest.param(PROFILE, "I'm married.", "I am divorced now.", "Is divorced.", "Is married.", id="state"),
    pytest.param(
        PROFILE,
        "I'm pregnant.",
        "I gave birth to Leo.",
        "Gave birth to Leo.",
        "Health: pregnant.",
        id="event",
    ),
    pytest.param(
        PROFILE,
        "I have a dog named Max.",
        "My dog Max died last week.",
        "Dog Max died.",
        "Has a dog named Max.",
        id="death",
    ),
    pytest.param(
        PLAYBOOK,
        "Stop using emojis.",
        "Emojis are fine again.",
        "You can use emojis.",
        "Stop using emojis.",
        id="permission",
    ),
]


@pytest.mark.parametrize(("kind", "first", "second", "stays", "goes"), PAIRS)
async def test_over_two_publishes(
    storage: Storage, embedder, clock, ids, kind, first, second, stays, goes
) -> None:
    """One memory is current, and the other is kept with its successor, its end and the reason."""
    learn = learning(storage, embedder, clock, ids)
    await storage.append(ORG, said(first))
    await learn.run(ORG, ANNA, force=True)
    assert goes in [memory.content for memory in await learned(storage, kind)]
    clock.advance(3_600)
    await storage.append(ORG, said(second, request_id="r2"))
    await learn.run(ORG, ANNA, force=True)
    [now] = await learned(storage, kind)
    former = await learned(storage, kind, statuses=(Status.ARCHIVED,))
    [gone] = [memory for memory in former if memory.content == goes]
    assert now.content == stays
    assert (gone.superseded_by, gone.valid_to) == (now.memory_id, now.valid_from)
    async with storage.read(ORG) as snapshot:
        newest, *_ = await snapshot.changes.list_runs(kind, limit=1)
    assert newest.reason in {"newer than what it contradicts", "says all of it and more"}
    assert goes in [memory.content for memory in newest.removed]


async def test_fuller_statement_rests_on_the_turns_of_both(storage: Storage, embedder, clock, ids) -> None:
    """What is taken in hands its evidence over, and is repeated without doing harm."""
    learn = learning(storage, embedder, clock, ids)
    for number, text in enumerate(
        ["My brother is called Tom.", "My brother Tom lives in Oslo.", "My brother is called Tom."], start=1
    ):
        clock.advance(3_600)
        await storage.append(ORG, said(text, request_id=f"r{number}"))
        await learn.run(ORG, ANNA, force=True)
    [brother] = await learned(storage)
    assert brother.content == "Has a brother named Tom who lives in Oslo."
    assert brother.source_interaction_ids == tuple(map(InteractionId, (1, 2, 3)))


async def test_what_was_taken_in_can_be_taken_out_again(storage: Storage, embedder, clock, ids) -> None:
    """It is a merge like any other, and so a person can undo it."""
    learn = learning(storage, embedder, clock, ids)
    for number, text in enumerate(["I like pizza.", "My favourite food is pizza."], start=1):
        clock.advance(3_600)
        await storage.append(ORG, said(text, request_id=f"r{number}"))
        await learn.run(ORG, ANNA, force=True)
    [whole] = await learned(storage)
    occasion = Occasion(run_id=RunId("undo"), actor="api:ops", reason="undone", at=clock.now())
    async with storage.begin(ORG) as transaction:
        await undo_merge(transaction, whole, occasion, uid=MemoryUid("apart"), vectors={})
    assert {"Likes pizza.", "Favourite food is pizza."} == {one.content for one in await learned(storage)}


@pytest.mark.parametrize(("kind", "first", "second", "stays", "goes"), PAIRS)
async def test_in_one_publish(
    storage: Storage, embedder, clock, ids, kind, first, second, stays, goes
) -> None:
    """What ended within a window is never current."""
    await storage.append(ORG, said(first, second))
    await learning(storage, embedder, clock, ids).run(ORG, ANNA, force=True)
    contents = [memory.content for memory in await learned(storage, kind)]
    assert stays in contents
    assert goes not in contents
