"""The application as tests drive it: over HTTP, in this process or on a port."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx
import uvicorn
from fastapi import FastAPI

from sagacity.api.app import create_app
from sagacity.auth.tokens import new_token
from sagacity.config.settings import Settings
from sagacity.domain.clock import Clock
from sagacity.domain.ids import OrgId
from sagacity.domain.tenant import Tenant
from support.tokens import with_token

LOCAL = "http://127.0.0.1:8081"


def settings_in(folder: Path, **given) -> Settings:
    """
    Settings of a server whose data is in *folder*; nothing is limited unless *given* says so.

    A search waits for all its strategies, even on a busy machine.
    """
    patient = {"rate_limits": False, "sweep_seconds": 0.2, "strategy_timeout_seconds": 60}
    return Settings(home=folder, **(patient | given))


@asynccontextmanager
async def running(settings: Settings, clock: Clock | None = None) -> AsyncIterator[FastAPI]:
    """Run the real application in this process; *clock* gives the time of everything that it stores."""
    app = create_app(settings, clock=clock)
    async with app.router.lifespan_context(app):
        yield app


def client_of(app: FastAPI, *, token: str | None = None, base_url: str = LOCAL, **given) -> httpx.AsyncClient:
    """Return a client of *app* that gets replies, and no exceptions, even after a crash."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, **given)
    return httpx.AsyncClient(transport=transport, base_url=base_url, headers=headers)


async def make_token(app: FastAPI, org: str) -> str:
    """Return a new token of an organisation, which is created if needed."""
    token = new_token()
    async with app.state.runtime.storage.begin(Tenant(org_id=OrgId(org))) as transaction:
        await transaction.organisation.ensure(org)
        await with_token(transaction, "test", secret=token)
    return token


@contextmanager
def listening(settings: Settings) -> Iterator[str]:
    """The real application behind a real server on a free port; gives its address."""
    config = uvicorn.Config(create_app(settings), port=0, log_level="error", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    started = threading.Event()
    while not server.started and thread.is_alive():
        started.wait(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


def turns(*contents: str, user_id: str = "anna", **fields) -> dict:
    """A publish body with one user turn for each of *contents*."""
    return {"user_id": user_id, "interaction_data_list": [{"content": one} for one in contents]} | fields


async def publish(api: httpx.AsyncClient, *contents: str, **fields) -> str:
    """Publish, and return the request's id."""
    reply = await api.post("/api/publish_interaction", json=turns(*contents, **fields))
    assert reply.status_code == 200, reply.text
    return reply.json()["request_id"]


async def add_profile(api: httpx.AsyncClient, content: str, *, user_id: str = "anna", **fields) -> None:
    """Store one profile."""
    body = {"user_profiles": [{"user_id": user_id, "content": content} | fields]}
    reply = await api.post("/api/add_user_profile", json=body)
    assert reply.status_code == 200, reply.text


async def profiles_of(api: httpx.AsyncClient, user_id: str = "anna", **fields) -> list[dict]:
    """A user's profiles, last changed first."""
    reply = await api.post("/api/get_profiles", json={"user_id": user_id} | fields)
    assert reply.status_code == 200, reply.text
    return reply.json()["user_profiles"]


async def delete(api: httpx.AsyncClient, path: str, body: dict | None = None) -> httpx.Response:
    """A DELETE with a JSON body, as the contract has it."""
    return await api.request("DELETE", path, json=body)
