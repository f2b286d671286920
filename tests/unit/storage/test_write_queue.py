"""Turns: people's requests before background work, first come first served, and no turn is ever lost."""

import asyncio

from sagacity.storage.write_queue import MOST_IN_A_ROW, Turns


async def holder(turns: Turns, name: str, told: list[str], *, urgent: bool) -> None:
    async with turns.take(urgent=urgent):
        told.append(name)
        await asyncio.sleep(0)


async def test_urgent_ones_go_first_and_each_in_order() -> None:
    """Whoever came while the turn was taken waits in one of two queues."""
    turns, told = Turns(), list[str]()
    async with turns.take(urgent=False):
        waiting = [
            asyncio.create_task(holder(turns, name, told, urgent=urgent))
            for name, urgent in (("b1", False), ("u1", True), ("b2", False), ("u2", True))
        ]
        await asyncio.sleep(0)
        assert told == []
    await asyncio.gather(*waiting)
    assert told == ["u1", "u2", "b1", "b2"]


async def test_background_work_has_its_turn_however_many_calls_come() -> None:
    """It waits for so many calls and no longer; a turn of its own begins the count anew."""
    turns, told = Turns(), list[str]()
    async with turns.take(urgent=False):
        names = ["b", *["u"] * (2 * MOST_IN_A_ROW + 2), "b"]
        waiting = [asyncio.create_task(holder(turns, name, told, urgent=name == "u")) for name in names]
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)
    assert "".join(told) == f"{'u' * MOST_IN_A_ROW}b{'u' * MOST_IN_A_ROW}buu"


async def test_cancelled_waiter_passes_the_turn_on() -> None:
    """Also when it was cancelled in the moment in which the turn became its own."""
    turns, told = Turns(), list[str]()
    async with turns.take(urgent=True):
        first = asyncio.create_task(holder(turns, "first", told, urgent=True))
        second = asyncio.create_task(holder(turns, "second", told, urgent=True))
        await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    assert told == ["second"]
    async with asyncio.timeout(60), turns.take(urgent=False):
        told.append("free")
    assert told == ["second", "free"]
