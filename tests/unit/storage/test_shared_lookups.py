"""Look-ups that are shared: by whom, and what each may be told."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sagacity.domain.errors import StorageUnavailable
from sagacity.storage.shared_lookups import SharedLookups


class Database:
    """Answers with what it held when a look-up began, once it is let."""

    def __init__(self) -> None:
        self.value = 0
        self.begun = 0
        self.may_answer = asyncio.Event()

    async def look(self) -> int:
        self.begun += 1
        seen = self.value
        await self.may_answer.wait()
        return seen


async def _begun(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0)


async def test_those_who_ask_at_a_time_share_one_look() -> None:
    """And other keys have their own."""
    database, lookups = Database(), SharedLookups()
    database.may_answer.set()
    answers = await asyncio.gather(*(lookups.ask(key, database.look) for key in "aaab"))
    assert answers == [0, 0, 0, 0]
    assert database.begun == 2


async def test_who_asks_while_one_runs_is_told_what_holds_by_then() -> None:
    """A token that was revoked meanwhile is not let in by the look before."""
    database, lookups = Database(), SharedLookups()
    first = asyncio.create_task(lookups.ask("a", database.look))
    await _begun(lambda: database.begun == 1)
    database.value = 1
    later = [asyncio.create_task(lookups.ask("a", database.look)) for _ in range(3)]
    await asyncio.sleep(0)
    database.may_answer.set()
    assert await first == 0
    assert await asyncio.gather(*later) == [1, 1, 1]
    assert database.begun == 2


async def test_a_caller_who_goes_away_takes_the_answer_from_nobody() -> None:
    """The look goes on, and the next one begins by itself."""
    database, lookups = Database(), SharedLookups()
    gone, stays = (asyncio.create_task(lookups.ask("a", database.look)) for _ in range(2))
    await _begun(lambda: database.begun == 1)
    gone.cancel()
    database.may_answer.set()
    assert await stays == 0
    assert await lookups.ask("a", database.look) == 0
    assert database.begun == 2


async def test_a_failure_is_told_to_all_who_shared_it_and_to_nobody_after() -> None:
    """As the database may be back."""
    lookups, database = SharedLookups(), Database()
    database.may_answer.set()

    async def fail() -> int:
        raise StorageUnavailable("away")

    asked: list[Awaitable[int]] = [lookups.ask("a", fail) for _ in range(2)]
    assert [type(one) for one in await asyncio.gather(*asked, return_exceptions=True)] == [
        StorageUnavailable
    ] * 2
    assert await lookups.ask("a", database.look) == 0


async def test_ending_cancels_what_runs_and_what_waits() -> None:
    """Whoever closes the database waits for nobody."""
    database, lookups = Database(), SharedLookups()
    first = asyncio.create_task(lookups.ask("a", database.look))
    await _begun(lambda: database.begun == 1)
    second = asyncio.create_task(lookups.ask("a", database.look))
    await asyncio.sleep(0)
    await lookups.end()
    for one in (first, second):
        with pytest.raises(asyncio.CancelledError):
            await one
    assert database.begun == 1
