"""A server whose database is away from the start answers, waits for it, and goes on when it is there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sagacity.api.app import create_app
from sagacity.api.opening import Unwatched
from sagacity.bootstrap import Runtime
from sagacity.domain.errors import ConfigError, StorageError
from support.api import client_of, settings_in
from support.furnished import PROGRAM
from support.local_servers import PostgresServer, free_port
from support.waiting import until


class Watching(Unwatched):
    """Remembers what it hears, and objects if it is told to."""

    def __init__(self, objection: Exception | None = None) -> None:
        self.heard: list[str] = []
        self.failures: list[Exception] = []
        self._objection = objection

    async def accept(self, runtime: Runtime) -> None:
        if self._objection is not None:
            raise self._objection

    def waits(self, reason: str) -> None:
        self.heard.append(reason)

    def opened(self) -> None:
        self.heard.append("opened")

    def failed(self, error: Exception) -> None:
        self.failures.append(error)


@asynccontextmanager
async def forwarding(port: int, target: int) -> AsyncIterator[None]:
    """A port that leads to another one, during the block."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
        finally:
            writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs, to_them = await asyncio.open_connection("127.0.0.1", target)
        await asyncio.gather(carry(reader, to_them), carry(theirs, writer), return_exceptions=True)

    async with await asyncio.start_server(connected, "127.0.0.1", port):
        yield


def url_at(postgres: PostgresServer, database: str, port: int, role: str = PROGRAM) -> str:
    return postgres.url_of(database, role).replace(f":{postgres.port}/", f":{port}/")


async def test_calls_are_told_to_come_again_until_the_database_is_there(
    postgres: PostgresServer, migrated_database: str, tmp_path: Path
) -> None:
    """Probes see a process that lives and is not ready; nobody has to start it again."""
    port, watching = free_port(), Watching()
    database = postgres.new_database(template=migrated_database)
    settings = settings_in(tmp_path, database_url=url_at(postgres, database, port), rate_limits=True)
    app = create_app(settings, watcher=watching)
    async with app.router.lifespan_context(app), client_of(app) as api:
        for path in ("/", "/health", "/health/live", "/meta/version"):
            assert (await api.get(path)).status_code == 200, path
        ready = await api.get("/health/ready")
        assert [(one["name"], one["ok"]) for one in ready.json()["checks"]] == [("storage", False)]
        replies = [
            ready,
            await api.get("/metrics"),
            await api.get("/health/detailed"),
            await api.post("/api/search", json={"query": "tea"}),
            await api.post("/api/publish_interaction", content=b"no JSON"),
            await api.get("/api/no_such_route", headers={"Authorization": "Bearer unknown"}),
        ]
        assert [(one.status_code, one.headers["Retry-After"]) for one in replies] == [(503, "1")] * len(
            replies
        )
        assert {one.json()["error"] for one in replies[1:]} == {"StorageUnavailable"}
        assert all("X-Correlation-ID" in one.headers for one in replies)
        async with forwarding(port, postgres.port):

            async def is_ready() -> bool:
                return (await api.get("/health/ready")).status_code == 200

            await until(is_ready)
            assert (await api.get("/api/whoami")).status_code == 200
            assert watching.heard == ["the database cannot be reached, or the connection broke", "opened"]
            assert watching.failures == []


@pytest.mark.parametrize("is_known", [False, True])
async def test_what_waiting_does_not_help_ends_the_server(
    postgres: PostgresServer, migrated_database: str, tmp_path: Path, *, is_known: bool
) -> None:
    """At once if the database is there to say so, or else as soon as it is."""
    port = free_port()
    watching = Watching(ConfigError("no token exists yet"))
    database = postgres.new_database(template=migrated_database) if is_known else "nowhere"
    url = url_at(postgres, database, port, PROGRAM if is_known else "postgres")
    app = create_app(settings_in(tmp_path, database_url=url), watcher=watching)
    async with app.router.lifespan_context(app), forwarding(port, postgres.port):

        async def has_failed() -> bool:
            return bool(watching.failures)

        await until(has_failed)
    [failure] = watching.failures
    expected = (
        (ConfigError, "no token exists yet")
        if is_known
        else (StorageError, 'the database refused the connection: database "nowhere" does not exist')
    )
    assert (type(failure), str(failure)) == expected
    app = create_app(
        settings_in(tmp_path, database_url=url_at(postgres, database, postgres.port, "postgres")),
        watcher=watching,
    )
    with pytest.raises((ConfigError, StorageError)):
        async with app.router.lifespan_context(app):
            raise AssertionError("it does not begin")
