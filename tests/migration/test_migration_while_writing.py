"""A database is migrated to the next release while this one goes on writing, and nothing of it is lost."""

import asyncio
import itertools
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import sqlalchemy as sa

from conftest import PROGRAM
from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import OrgId, TimeOrderedIds, UserId
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.storage.open import open_storage
from sagacity.storage.schema.tables import search_documents, search_scopes
from sagacity.storage.transaction import Storage
from support.local_servers import PostgresServer
from support.parts import migrated, said
from support.schemas import next_release
from support.waiting import until

USERS = {"org-a": ["anna", "ben"], "org-b": ["anna", "cleo"]}
Logs = dict[tuple[str, str], list[tuple[int, str]]]


@dataclass
class Database:
    """One that this release made."""

    url: str
    migrate: Callable[[], Awaitable[None]]
    """What the operator of the next release does."""


async def _sqlite(request: pytest.FixtureRequest) -> Database:
    url = f"sqlite:///{request.getfixturevalue('tmp_path') / 'a.db'}"

    async def migrate() -> None:
        await (await open_storage(url, clock=SystemClock(), ids=TimeOrderedIds())).close()

    return Database(url, migrate)


async def _postgres(request: pytest.FixtureRequest) -> Database:
    server: PostgresServer = request.getfixturevalue("postgres")
    name = server.new_database()
    request.addfinalizer(lambda: server.drop_database(name))
    url, owner_url = server.url_of(name, PROGRAM), server.url_of(name)
    await migrated(url, owner_url=owner_url)
    return Database(url, lambda: migrated(url, owner_url=owner_url))


@pytest.fixture(params=[_sqlite, _postgres], ids=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest) -> Database:
    """A database as this release makes it, without any organisation."""
    return await request.param(request)


@dataclass
class Writer:
    """Publishes to the logs of all users, one request after the other."""

    storage: Storage
    logs: Logs = field(default_factory=lambda: defaultdict(list))
    count: int = 0
    is_stopping: bool = False

    async def publish(self) -> None:
        for number, (org, user) in enumerate(
            itertools.cycle((o, u) for o, users in USERS.items() for u in users)
        ):
            text = f"tea {org.replace('-', '')}{user}x{number}"
            new = said(text, request_id=f"{user} {number}", user_id=UserId(user))
            stored = await self.storage.append(Tenant(org_id=OrgId(org)), new)
            self.logs[org, user].append((stored.last_seq, text))
            self.count += 1
            if self.is_stopping:
                return

    async def wrote(self, count: int, task: asyncio.Task[None]) -> None:
        """Wait until *count* more requests are stored."""
        enough = self.count + count

        async def has() -> bool:
            assert not task.done(), task.exception()
            return self.count >= enough

        await until(has, 60)


@asynccontextmanager
async def writing(storage: Storage) -> AsyncIterator[tuple[Writer, asyncio.Task[None]]]:
    """Publish during the block."""
    writer = Writer(storage)
    task = asyncio.create_task(writer.publish())
    try:
        yield writer, task
    finally:
        writer.is_stopping = True
        await asyncio.gather(task, return_exceptions=True)


async def logs_of(storage: Storage) -> Logs:
    logs: Logs = {}
    for org, user in ((org, user) for org, users in USERS.items() for user in users):
        async with storage.read(Tenant(org_id=OrgId(org)), user_id=UserId(user)) as snapshot:
            turns = await snapshot.interactions.log(UserId(user), after_seq=0, limit=100_000)
        logs[org, user] = [(turn.seq, turn.content) for turn in turns]
    return logs


async def unfindable(storage: Storage, logs: Logs) -> list[str]:
    """The turns that their own word does not find, or finds with others."""
    missing = []
    for (org, user), log in logs.items():
        wanted = Filter(kinds=(), interactions=True, user_id=UserId(user), statuses=())
        for _, text in log[::3]:
            async with storage.read(Tenant(org_id=OrgId(org)), user_id=UserId(user)) as snapshot:
                hits = await snapshot.search.by_terms(wanted, text.split()[1], 9)
                turns = await snapshot.interactions.get([hit.owner_id for hit in hits])
            if [turn.content for turn in turns] != [text]:
                missing.append(text)
    return missing


async def whole(storage: Storage, org: str) -> bool:
    """Whether an organisation's scopes count what its documents are."""
    async with storage.backend.read(OrgId(org)) as connection:
        scopes = (
            await connection.execute(sa.select(search_scopes).where(search_scopes.c.org_id == org))
        ).all()
        for scope in scopes:
            mine = search_documents.c.scope_id == scope.scope_id
            documents = sa.select(sa.func.count(), sa.func.sum(search_documents.c.term_count)).where(mine)
            found = (await connection.execute(documents)).one()
            if found != (scope.document_count, scope.term_count):
                return False
    return len(scopes) == len(USERS[org])


async def test_nothing_is_lost_while_the_former_release_writes(database: Database) -> None:
    """Before, during and after the migration: what it committed is there, numbered without gaps, and found by words."""
    storage = await open_storage(database.url, clock=SystemClock(), ids=TimeOrderedIds())
    try:
        for org in USERS:
            async with storage.begin(Tenant(org_id=OrgId(org))) as transaction:
                await transaction.organisation.ensure()
        async with writing(storage) as (writer, task):
            await writer.wrote(40, task)
            with next_release():
                await database.migrate()
            await writer.wrote(40, task)
    finally:
        await storage.close()
    with next_release():
        storage = await open_storage(database.url, clock=SystemClock(), ids=TimeOrderedIds())
    try:
        logs = await logs_of(storage)
        assert {key: log[: len(writer.logs[key])] for key, log in logs.items()} == writer.logs
        assert all([seq for seq, _ in log] == list(range(1, len(log) + 1)) for log in logs.values())
        assert await unfindable(storage, logs) == []
        assert [await whole(storage, org) for org in USERS] == [True, True]
        assert (await storage.append(Tenant(org_id=OrgId("org-a")), said("milk"))).last_seq == len(
            logs["org-a", "anna"]
        ) + 1
    finally:
        await storage.close()
