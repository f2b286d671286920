"""What a user says to hold no longer is archived without a model, with what replaced it; all else stays."""

import pytest

from sagacity.domain.memory import MemoryKind, Status
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.transaction import Storage
from support.learning import learned, learning
from support.parts import ANNA, ORG, CountingIds, StoppedClock, new_memory, said

pytestmark = pytest.mark.either_database

KNOWN = (
    "I am allergic to peanuts.",
    "I take losartan every morning.",
    "I have a dog called Rex.",
    "I work at Kessler.",
    "My sister Ines lives in Leeds.",
)


@pytest.fixture
async def talk(storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds):
    """Publishes turns one after another, an hour between, and learns from each."""
    learn = learning(storage, embedder, clock, ids)

    async def say(*texts: str) -> None:
        for text in texts:
            clock.advance(3_600)
            await storage.append(ORG, said(text, request_id=ids.new()))
            await learn.run(ORG, ANNA, force=True)

    await say(*KNOWN)
    return say


@pytest.mark.parametrize(
    ("text", "former", "later"),
    [
        (
            "Actually no, I'm not allergic to peanuts.",
            "Is allergic to peanuts.",
            "Is not allergic to peanuts.",
        ),
        ("I don't take losartan anymore.", "Takes losartan every morning.", "No longer takes losartan."),
        ("Rex died last week.", "Has a dog named Rex.", "Rex died last week."),
        ("I quit Kessler.", "Works at Kessler.", "Quit Kessler."),
        (
            "No, I said Leicester, not Leeds.",
            "Has a sister named Ines who lives in Leeds.",
            "Has a sister named Ines who lives in Leicester.",
        ),
    ],
)
async def test_what_ended_is_archived_with_its_successor(
    storage: Storage, talk, text: str, former: str, later: str
) -> None:
    before = {memory.content for memory in await learned(storage)}
    await talk(text)
    current = {memory.content: memory for memory in await learned(storage)}
    [ended] = await learned(storage, statuses=(Status.ARCHIVED,))
    assert ended.content == former
    assert ended.superseded_by == current[later].memory_id
    assert current.keys() == (before - {former}) | {later}


async def test_what_is_to_be_forgotten_is_archived_and_nothing_takes_its_place(
    storage: Storage, talk
) -> None:
    before = {memory.content for memory in await learned(storage)}
    await talk("Forget what I said about peanuts.")
    [ended] = await learned(storage, statuses=(Status.ARCHIVED,))
    assert (ended.content, ended.superseded_by) == ("Is allergic to peanuts.", None)
    assert {memory.content for memory in await learned(storage)} == before - {"Is allergic to peanuts."}
    await talk("Forget what I said about peanuts.")
    assert len(await learned(storage, statuses=(Status.ARCHIVED,))) == 1


async def test_an_episode_that_quotes_what_is_to_be_forgotten_is_archived(storage: Storage, talk) -> None:
    """The others stay, and so does each when something merely ends: it says what was said then."""
    told = ("The user said: I am allergic to peanuts.", "The user said: Rex died, and I work at Kessler.")
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory(one, kind=MemoryKind.EPISODIC) for one in told])
    await talk("I am not allergic to peanuts any more.", "I quit Kessler.")
    assert len(await learned(storage, MemoryKind.EPISODIC)) == len(told)
    await talk("Forget what I said about peanuts.")
    [left] = await learned(storage, MemoryKind.EPISODIC)
    assert left.content == told[1]


@pytest.mark.parametrize(
    "text",
    [
        "My brother is not allergic to peanuts.",
        "I didn't take losartan this morning.",
        "My neighbour's dog died.",
        "If I quit Kessler, I would travel.",
    ],
)
async def test_what_has_not_ended_stays(storage: Storage, talk, text: str) -> None:
    await talk(text)
    assert await learned(storage, statuses=(Status.ARCHIVED,)) == []


async def test_what_is_back_ends_the_denial(storage: Storage, talk) -> None:
    """And the history has both turns."""
    await talk("I quit coffee.", "I drink coffee again.")
    assert [memory.content for memory in await learned(storage, statuses=(Status.ARCHIVED,))] == [
        "Quit coffee."
    ]
    assert "Drinks coffee." in [memory.content for memory in await learned(storage)]


async def test_a_denial_in_another_language_ends_what_a_slot_says(storage: Storage, talk) -> None:
    """The slot tells what is meant, and the words begin alike."""
    await talk("Je suis végétarienne.", "I'm not vegetarian anymore.")
    assert [memory.content for memory in await learned(storage, statuses=(Status.ARCHIVED,))] == [
        "Régime : végétarienne."
    ]
