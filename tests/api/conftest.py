"""
The real application in this process, for every API test.

What storage promises is tested on every database in `tests/contract`. Here a test runs on SQLite, and on PostgreSQL in
the full suite; one marked `both_databases` runs on both each time. Where only one database has anything to tell, the
test names it (`support.databases`).
"""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from sagacity.domain.clock import Clock, SystemClock
from support.api import client_of, running, settings_in


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Say on which databases a test runs that does not say so itself."""
    marks = metafunc.definition.iter_markers("parametrize")
    if "database_url" not in metafunc.fixturenames or any("database_url" in mark.args[0] for mark in marks):
        return
    both = metafunc.definition.get_closest_marker("both_databases")
    second = pytest.param("postgresql", marks=() if both else pytest.mark.full)
    metafunc.parametrize("database_url", ["sqlite", second], indirect=True)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, database: Callable[[str], str]) -> str:
    """A database without any organisation."""
    return database(request.param)


@pytest.fixture
def api_clock() -> Clock:
    """The application's time. A test file that lives at a moment of its own says so by a fixture of this name."""
    return SystemClock()


@pytest.fixture
async def app(tmp_path: Path, database_url: str, api_clock: Clock) -> AsyncIterator[FastAPI]:
    """The application over an empty database of each kind, with the real embedder and learners."""
    async with running(settings_in(tmp_path, database_url=database_url), api_clock) as app:
        yield app


@pytest.fixture
async def api(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A caller on this machine, of a server that never made a token."""
    async with client_of(app) as client:
        yield client
