"""What every test may ask for: a storage on each implementation, a clock, ids, the real embedder."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sagacity.providers.minilm import MiniLM
from sagacity.storage.transaction import Storage
from support.parts import CountingIds, StoppedClock, opened

# Implementation → where a test's database lies. To run every contract on one more, add its line.
DATABASES = {
    "sqlite": lambda folder: f"sqlite:///{folder / 'sagacity.db'}",
}


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def ids() -> CountingIds:
    return CountingIds()


@pytest.fixture(params=list(DATABASES))
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that is not there yet."""
    return DATABASES[request.param](tmp_path)


@pytest.fixture
async def storage(database_url: str, clock: StoppedClock, ids: CountingIds) -> AsyncIterator[Storage]:
    async with opened(database_url, clock, ids) as storage:
        yield storage


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM()
