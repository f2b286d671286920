"""A few at a time, and nobody waits for what takes long."""

import asyncio

from sagacity.chat.slots import Slots


async def test_a_few_at_a_time_in_their_order() -> None:
    """Others begin as these end."""
    slots, begun, ends = Slots(2, seconds=600), list[int](), [asyncio.Event() for _ in range(4)]

    async def work(number: int) -> None:
        async with slots.take():
            begun.append(number)
            await ends[number].wait()

    working = [asyncio.create_task(work(number)) for number in range(4)]
    while len(begun) < 2:
        await asyncio.sleep(0)
    for _ in range(20):
        await asyncio.sleep(0)
    assert begun == [0, 1]
    ends[1].set()
    while len(begun) < 3:
        await asyncio.sleep(0)
    assert begun == [0, 1, 2]
    for end in ends:
        end.set()
    await asyncio.gather(*working)
    assert begun == [0, 1, 2, 3]


async def test_who_takes_long_lets_others_pass() -> None:
    """And has no second place to give back at its end."""
    slots = Slots(1, seconds=0.01)
    async with slots.take(), slots.take():
        pass
    assert slots._free._value == 1


async def test_who_leaves_while_waiting_takes_no_place() -> None:
    """The next one has it."""
    slots = Slots(1, seconds=600)
    async with slots.take():
        waiting = asyncio.create_task(slots.take().__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
    assert slots._free._value == 1
