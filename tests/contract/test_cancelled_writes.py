"""A write that is cancelled, wherever it waits: no connection is lost, and the next one works."""

import asyncio
import gc
import warnings
from collections.abc import Callable, Coroutine, Generator
from typing import Any

import pytest

from sagacity.storage.postgres.backend import Postgres
from sagacity.storage.transaction import Storage
from support.parts import ORG, said

pytestmark = pytest.mark.own_database


class CancelledAt:
    """Runs *work*, and cancels the task that it runs in when it begins its wait of that number, from 1."""

    def __init__(self, work: Coroutine[Any, Any, object], number: int) -> None:
        self._steps = work.__await__()
        self._number = number
        self.waits = 0

    def __await__(self) -> Generator[Any, Any, None]:
        error: BaseException | None = None
        while True:
            try:
                awaited = self._steps.send(None) if error is None else self._steps.throw(error)
            except StopIteration:
                return
            self.waits += 1
            task = asyncio.current_task()
            if self.waits == self._number and task is not None:
                task.cancel()
            try:
                error = None
                yield awaited
            except BaseException as thrown:  # noqa: BLE001  it is handed on
                error = thrown


async def run(work: CancelledAt) -> None:
    await work


def engines_of(storage: Storage) -> list[Any]:
    """What opens the connections that are written by; the first one's are an event loop's."""
    backend: Any = storage.backend
    return [backend._engine] if isinstance(backend, Postgres) else [backend._writer, backend._writes.engine]


async def begun(storage: Storage, number: int) -> None:
    """A write whose every statement is a wait of the event loop."""
    async with storage.begin(ORG) as transaction:
        await transaction.interactions.append([said("x", request_id=f"r{number}")])


async def several(storage: Storage, number: int) -> None:
    """A write of several rows, which PostgreSQL gets at once."""
    async with storage.begin(ORG) as transaction:
        rows = [said("x", request_id=f"r{number}-{place}") for place in range(3)]
        await transaction.interactions.append(rows)


async def published(storage: Storage, number: int) -> None:
    """A write that an embedded database does in one visit to a thread."""
    await storage._append(ORG, [said("x", request_id=f"r{number}")])


@pytest.mark.parametrize(("write", "least"), [(begun, 8), (several, 7), (published, 1)])
@pytest.mark.parametrize("is_connected", [True, False])
async def test_cancelled_write_gives_its_connection_back(
    storage: Storage,
    write: Callable[[Storage, int], Coroutine[Any, Any, None]],
    least: int,
    *,
    is_connected: bool,
) -> None:
    """Cancelled at each wait in turn, from connecting to committing: none is lost, and the next publish works."""
    engines = engines_of(storage)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        number, ended = 0, False
        while not ended:
            number += 1
            if not is_connected:
                await engines[0].dispose()
            work = CancelledAt(write(storage, number), number)
            [error] = await asyncio.gather(asyncio.create_task(run(work)), return_exceptions=True)
            ended = work.waits < number
            assert type(error) is (type(None) if ended else asyncio.CancelledError)
            assert [engine.pool.checkedout() for engine in engines] == [0] * len(engines)
            await storage.append(ORG, said("x", request_id=f"next-{number}"))
        gc.collect()
    assert number > least  # it did wait, so that there was something to cancel
    assert [warning for warning in caught if "connection" in str(warning.message)] == []
