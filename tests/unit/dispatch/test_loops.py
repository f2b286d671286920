"""Loops go on after errors, and end when they are told to, also where a library swallows that."""

import asyncio

from sagacity.dispatch.loops import end, for_ever


async def test_loop_goes_on_after_an_error() -> None:
    """An error is recorded, and the next try comes."""
    tries, again = 0, asyncio.Event()

    async def step() -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise ZeroDivisionError
        again.set()
        await asyncio.sleep(60)

    loop = asyncio.create_task(for_ever(step))
    async with asyncio.timeout(60):
        await again.wait()
        await end([loop])
    assert loop.cancelled()
    assert tries == 2


async def test_swallowed_cancellation_is_repeated() -> None:
    """A task that takes a cancellation for something else ends all the same, and so does one that has ended already."""
    swallowed = 0

    async def deaf() -> None:
        nonlocal swallowed
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                swallowed += 1
                if swallowed == 2:
                    raise

    async def done() -> None:
        """End at once."""

    tasks = [asyncio.create_task(deaf()), asyncio.create_task(done())]
    await asyncio.sleep(0)
    async with asyncio.timeout(60):
        await end(tasks)
    assert [task.done() for task in tasks] == [True, True]
    assert swallowed == 2
