"""A database of the first release is migrated while that release goes on writing, and nothing of it is lost."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa

from conftest import PROGRAM
from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import OrgId, TimeOrderedIds, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.storage.keywords import terms_of
from sagacity.storage.migrate import migrate
from sagacity.storage.open import PostgresOptions, open_storage
from sagacity.storage.sqlite import SQLite
from sagacity.storage.tables import search_documents, search_scopes, search_terms
from sagacity.storage.transaction import Storage
from support.first_release import Said, Writer, populate, session, writing
from support.local_servers import PostgresServer
from support.parts import said as new_request
from support.schemas import at_revision
from support.waiting import until

USERS = {"org-a": ["anna", "ben"], "org-b": ["anna", "cleo"]}
TURNS = 75
HELD_UP_SECONDS = 10.0
"""The longest that one publish may take while the schema changes, on a machine that is busy with other things."""


@dataclass
class Old:
    """A database of the first release."""

    url: str
    """Where that release writes: on PostgreSQL as the owner."""
    today: Callable[[], Awaitable[Storage]]
    """Opens it with this release, which migrates it."""


async def _sqlite(request: pytest.FixtureRequest) -> Old:
    path: Path = request.getfixturevalue("tmp_path") / "old.db"
    backend = SQLite(path)
    await migrate(backend._writer.begin, to="0001")
    await backend.close()
    url = f"sqlite:///{path}"
    return Old(url, lambda: open_storage(url, clock=SystemClock(), ids=TimeOrderedIds()))


async def _postgres(request: pytest.FixtureRequest) -> Old:
    server: PostgresServer = request.getfixturevalue("postgres")
    name = server.new_database()
    request.addfinalizer(lambda: server.drop_database(name))
    await at_revision(server, name, "0001")
    owner, program = server.url_of(name), server.url_of(name, PROGRAM)
    options = PostgresOptions(owner_url=owner)
    return Old(
        owner, lambda: open_storage(program, clock=SystemClock(), ids=TimeOrderedIds(), postgres=options)
    )


@pytest.fixture(params=[_sqlite, _postgres], ids=["sqlite", "postgresql"])
async def old(request: pytest.FixtureRequest) -> Old:
    """A database as the first release made it, without any organisation."""
    return await request.param(request)


async def wrote(writer: Writer, count: int) -> None:
    """Wait until the writer stored *count* more turns."""
    enough = len(writer.said) + count

    async def has() -> bool:
        assert writer.failure is None, writer.failure
        return len(writer.said) >= enough

    await until(has, 60)


async def logs_of(storage: Storage, said: Sequence[Said]) -> dict[tuple[str, str], list[tuple[int, str]]]:
    """What the logs hold, read with this release."""
    logs = {}
    for org, user in {(one.org, one.user) for one in said}:
        async with storage.read(Tenant(org_id=OrgId(org)), user_id=UserId(user)) as snapshot:
            turns = await snapshot.interactions.log(UserId(user), after_seq=0, limit=100_000)
        logs[org, user] = [(turn.seq, turn.content) for turn in turns]
    return logs


async def unfindable(storage: Storage, said: Sequence[Said]) -> list[Said]:
    """The turns that their own word does not find, or finds with others."""
    missing = []
    for one in said:
        wanted = Filter(kinds=(), interactions=True, user_id=UserId(one.user), statuses=())
        async with storage.read(Tenant(org_id=OrgId(one.org)), user_id=UserId(one.user)) as snapshot:
            hits = await snapshot.search.by_terms(wanted, one.text.split()[1], 9)
            turns = await snapshot.interactions.get([hit.owner_id for hit in hits])
        if [turn.content for turn in turns] != [one.text]:
            missing.append(one)
    return missing


async def whole(storage: Storage, org: str) -> bool:
    """Whether an organisation's scopes count what its documents and terms are."""
    async with storage._backend.read(OrgId(org)) as connection:
        scopes = (
            await connection.execute(sa.select(search_scopes).where(search_scopes.c.org_id == org))
        ).all()
        for scope in scopes:
            mine = search_documents.c.scope_id == scope.scope_id
            documents = sa.select(sa.func.count(), sa.func.sum(search_documents.c.term_count)).where(mine)
            terms = sa.select(sa.func.count()).where(search_terms.c.scope_id == scope.scope_id)
            found = (
                *(await connection.execute(documents)).one(),
                (await connection.execute(terms)).scalar_one(),
            )
            if found != (scope.document_count, scope.term_count, scope.term_count):
                return False
    return len(scopes) == 2 * len(USERS[org])


async def test_nothing_is_lost_while_the_former_release_writes(old: Old) -> None:
    """Before, during and after the migration: what it committed is there, numbered without gaps, and found by words."""
    with session(old.url) as first:
        said = [one for org, users in USERS.items() for one in populate(first, org, users, turns=TURNS)]
    assert list(terms_of(said[0].text)) == said[0].text.split()
    with writing(old.url, USERS) as writer:
        await wrote(writer, 20)
        started = time.monotonic()
        storage = await old.today()
        migrated_seconds = time.monotonic() - started
        during = len(writer.said)
        await wrote(writer, 40)
    try:
        assert writer.failure is None
        assert during >= 20
        assert migrated_seconds < 60
        assert writer.longest_seconds < HELD_UP_SECONDS
        said += writer.said
        expected: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        for one in said:
            expected[one.org, one.user].append((one.seq, one.text))
        assert await logs_of(storage, said) == expected
        assert all([seq for seq, _ in log] == list(range(1, len(log) + 1)) for log in expected.values())
        some = [*said[::10], *writer.said]
        assert await unfindable(storage, some) == []
        assert [await whole(storage, org) for org in USERS] == [True, True]
    finally:
        await storage.close()


async def test_both_releases_write_side_by_side(old: Old) -> None:
    """During a rolling upgrade the former release and this one append to one user's log, and both find all of it."""
    with session(old.url) as first:
        populate(first, "org-a", ["anna"], turns=5)
    storage = await old.today()
    tenant, anna = Tenant(org_id=OrgId("org-a")), UserId("anna")
    try:
        with writing(old.url, {"org-a": ["anna"]}) as writer:
            for number in range(20):
                await storage.append(tenant, new_request(f"coffee z{number}", request_id=f"new {number}"))
                await asyncio.sleep(0)
            await wrote(writer, 20)
        assert (writer.failure, writer.errors) == (None, [])
        async with storage.read(tenant, user_id=anna) as snapshot:
            turns = await snapshot.interactions.log(anna, after_seq=0, limit=10_000)
            wanted = Filter(kinds=tuple(MemoryKind), interactions=True, user_id=anna, statuses=())
            tea = await snapshot.search.by_terms(wanted, "tea", 10_000)
            coffee = await snapshot.search.by_terms(wanted, "coffee", 10_000)
        assert [turn.seq for turn in turns] == list(range(1, 25 + len(writer.said) + 1))
        assert len(coffee) == 20
        assert len([hit for hit in tea if hit.kind == "interaction"]) == 5 + len(writer.said)
        assert len([hit for hit in tea if hit.kind == "profile"]) == 1
    finally:
        await storage.close()
