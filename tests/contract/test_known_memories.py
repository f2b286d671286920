"""What a model is told of what is remembered, before it reads new turns."""

from datetime import timedelta

import pytest

from sagacity.domain.errors import ProviderError
from sagacity.domain.memory import MemoryKind, Status
from sagacity.learning.windows.known import MOST_KNOWN, KnownMemories, User
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.transaction import Storage
from support.loop_work import loop_work
from support.parts import ANNA, ORG, START, StoppedClock, new_memory
from support.windows import turn, window

PROFILE = MemoryKind.PROFILE
SHOWN = User(ORG, ANNA, Status.CURRENT)
ASKED = [window(turn(content="How do I get to my sister in Basel by train?"))]


class Unreachable:
    """An embedder whose server is away."""

    async def embed(self, texts, *, background=False):
        raise ProviderError("no answer")


async def remembered(storage: Storage, *contents: str, **fields) -> None:
    async with storage.begin(ORG) as transaction:
        await transaction.memories.add([new_memory(content, **fields) for content in contents], vectors={})


@pytest.mark.parametrize("has_vectors", [True, False])
async def test_what_new_turns_are_about_is_shown_however_old(
    storage: Storage, embedder: MiniLM, has_vectors
) -> None:
    await remembered(storage, "User's sister Ana lives in Basel.")
    await remembered(storage, *(f"User owns the book number {n}." for n in range(MOST_KNOWN + 10)))
    reader = KnownMemories(storage, embedder if has_vectors else Unreachable())
    known = await reader.of(SHOWN, PROFILE, ASKED, now=START)
    assert known[0].content == "User's sister Ana lives in Basel."
    assert len(known) == MOST_KNOWN == len({one.memory_id for one in known})


async def test_all_are_shown_where_they_fit_with_slot_day_and_end(
    storage: Storage, clock: StoppedClock
) -> None:
    """Also what has expired: said again, it is not new."""
    async with storage.begin(ORG) as transaction:
        await transaction.memories.add(
            [
                new_memory("Is on holiday.", valid_from=START, expires_at=START + timedelta(days=1)),
                new_memory(
                    "Use metric units.", kind=MemoryKind.USER_PLAYBOOK, trigger="giving sizes", pitfall="feet"
                ),
            ],
            vectors={},
        )
    reader, later = KnownMemories(storage, Unreachable()), START + timedelta(days=9)
    [fact] = await reader.of(SHOWN, PROFILE, ASKED, now=later)
    assert (fact.content, fact.said_at, fact.ended_at) == ("Is on holiday.", START, START + timedelta(days=1))
    [rule] = await reader.of(SHOWN, MemoryKind.USER_PLAYBOOK, ASKED, now=later)
    assert rule.content == "When giving sizes: Use metric units. (avoid: feet)"
    assert await reader.of(User(ORG, "ben", Status.CURRENT), PROFILE, ASKED, now=later) == []


async def test_who_looks_for_what_may_end_lets_others_go_on_between_two_turns(
    storage: Storage, embedder: MiniLM
) -> None:
    """Forty long turns take forty times as long as one."""
    reader = KnownMemories(storage, embedder)
    said = "I do not take it anymore, as far as I know. " * 400
    longest: list[int] = []
    for count in (1, 40):
        turns = [turn(content=f"{number} {said}") for number in range(count)]
        with loop_work() as work:
            await reader.that_may_end(SHOWN, PROFILE, [window(*turns)], now=START)
        longest.append(work.longest)
    assert longest[1] < 2 * longest[0]
