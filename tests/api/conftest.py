"""The real application in this process, for every API test."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from support.api import client_of, running, settings_in


@pytest.fixture
async def app(tmp_path: Path, database_url: str) -> AsyncIterator[FastAPI]:
    """The application over an empty database of each kind, with the real embedder and learners."""
    async with running(settings_in(tmp_path, database_url=database_url)) as app:
        yield app


@pytest.fixture
async def api(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A caller on this machine, of a server that never made a token."""
    async with client_of(app) as client:
        yield client
