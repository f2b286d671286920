"""Connections to PostgreSQL are shared by all transactions, and nothing of one is left for the next."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import DBAPIError

from conftest import PROGRAM
from sagacity.auth.tokens import hash_token
from sagacity.domain.errors import StorageError
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.principal import Principal
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.storage.open import PostgresOptions, open_storage
from sagacity.storage.postgres.backend import Postgres
from sagacity.storage.transaction import Storage
from support.local_servers import PostgresServer
from support.parts import (
    ANNA,
    BEN,
    ORG,
    OTHER_ORG,
    CountingIds,
    StoppedClock,
    cursor_at,
    new_memory,
    said,
    unit_rows,
)
from support.tokens import with_token
from support.waiting import until

EVERYTHING = Filter(kinds=tuple(MemoryKind), interactions=True, statuses=())
[VECTOR] = unit_rows(1)


@pytest.fixture
def name(postgres: PostgresServer, migrated_database: str) -> Iterator[str]:
    """A database of this release."""
    name = postgres.new_database(template=migrated_database)
    yield name
    postgres.drop_database(name)


async def furnished(url: str, *, connections: int, pooler: bool = False) -> Storage:
    options = PostgresOptions(connections=connections, pooler=pooler)
    storage = await open_storage(url, clock=StoppedClock(), ids=CountingIds(), postgres=options)
    for tenant in (ORG, OTHER_ORG):
        async with storage.begin(tenant) as tx:
            await tx.organisation.ensure(tenant.org_id)
    return storage


@pytest.fixture
async def one(postgres: PostgresServer, name: str) -> AsyncIterator[Storage]:
    """A storage with a single connection, which every transaction gets in turn."""
    storage = await furnished(postgres.url_of(name, PROGRAM), connections=1)
    yield storage
    await storage.close()


async def seen(storage: Storage, org_id: OrgId | None) -> tuple[int, list[str], str, str]:
    """The session, the organisations that it sees, and what it says of itself."""
    backend = storage.backend
    assert isinstance(backend, Postgres)
    async with backend.read(org_id) as connection:
        names = (await connection.execute(sa.text("select org_id from organisations"))).scalars().all()
        statement = (
            "select pg_backend_pid(), current_setting('sagacity.user_id'), current_setting('lock_timeout')"
        )
        process, user, timeout = (await connection.execute(sa.text(statement))).one()
    return process, list(names), user, timeout


async def commits(storage: Storage) -> None:
    await storage.append(OTHER_ORG, said("tea"))


async def reads_for_a_user(storage: Storage) -> None:
    async with storage.read(OTHER_ORG, user_id=BEN) as snapshot:
        assert await snapshot.memories.list_newest(MemoryKind.PROFILE, limit=9) == []


async def rolls_back(storage: Storage) -> None:
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with storage.begin(OTHER_ORG) as tx:
            await tx.organisation.ensure("other")
            raise ZeroDivisionError


async def fails(storage: Storage) -> None:
    with pytest.raises(StorageError):
        async with storage.backend.write(OTHER_ORG.org_id) as connection:
            await connection.execute(sa.text("select 1 / 0"))


async def is_cancelled(storage: Storage) -> None:
    inside = asyncio.Event()

    async def hang() -> None:
        async with storage.backend.write(OTHER_ORG.org_id) as connection:
            inside.set()
            await connection.execute(sa.text("select pg_sleep(60)"))

    task = asyncio.create_task(hang())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def turns_to_another(storage: Storage) -> None:
    async with storage.backend.write(ORG.org_id) as connection:
        await storage.backend.enter(connection, OTHER_ORG.org_id)


@pytest.mark.parametrize(
    "before", [commits, reads_for_a_user, rolls_back, fails, is_cancelled, turns_to_another]
)
async def test_nothing_is_left_for_the_next_transaction(
    one: Storage, before: Callable[[Storage], Awaitable[None]]
) -> None:
    """However a transaction of one organisation ends, the next on its connection is whose it says."""
    await seen(one, ORG.org_id)
    await before(one)
    async with one.backend._engine.connect() as connection:  # type: ignore[attr-defined]  nothing is said yet
        assert (await connection.execute(sa.text("select count(*) from organisations"))).scalar() == 0
    assert (await seen(one, None))[1:] == ([], "", "30s")
    assert (await seen(one, ORG.org_id))[1:] == ([ORG.org_id], "", "30s")
    assert (await seen(one, OrgId("nobody")))[1:3] == ([], "")


async def test_transactions_share_their_connection(one: Storage) -> None:
    """The test before this one is about one session and not about several."""
    sessions = {(await seen(one, org))[0] for org in (None, ORG.org_id, OTHER_ORG.org_id)}
    assert len(sessions) == 1


async def test_read_for_a_user_shows_nothing_of_others(one: Storage) -> None:
    """The repositories, which filter by organisation, get only the user's rows and the tenant's from the database."""
    playbook = new_memory("rule", uid="t", kind=MemoryKind.AGENT_PLAYBOOK, user_id=None)
    async with one.begin(ORG) as tx:
        await tx.memories.add([new_memory("tea", uid="a"), new_memory("tea", uid="b", user_id=BEN), playbook])
    await one.append(ORG, said("tea", user_id=BEN))
    async with one.read(ORG, user_id=ANNA) as snapshot:
        assert [
            memory.uid for memory in await snapshot.memories.list_newest(MemoryKind.PROFILE, limit=9)
        ] == ["a"]
        assert (await snapshot.memories.find_uids(["a", "b", "t"])).keys() == {"a", "t"}
        assert await snapshot.interactions.count() == 0
        assert len(await snapshot.search.by_terms(EVERYTHING, "tea", 9)) == 1
        assert await snapshot.tokens.list_page(limit=9) == []
    async with one.read(ORG) as snapshot:
        assert len(await snapshot.search.by_terms(EVERYTHING, "tea", 9)) == 3


async def _publishes(storage: Storage) -> object:
    return (await storage.append(ORG, said("green tea", "black tea"))).last_seq


async def _learns(storage: Storage) -> object:
    async with storage.begin(ORG) as tx:
        lease = await tx.leases.claim("lease", "me", 60)
        assert lease is not None
        await tx.memories.add([new_memory("likes tea", uid="a")], vectors={"a": VECTOR})
        await tx.cursors.save(cursor_at(2))
        await tx.leases.check(lease)
        await with_token(tx, "t", secret="hash")
    return "learned"


async def _embeds(storage: Storage) -> object:
    async with storage.begin(ORG) as tx:
        waiting = await tx.search.unembedded(9)
        await tx.search.set_vectors(waiting, unit_rows(len(waiting)))
    return len(waiting)


async def _finds(storage: Storage) -> object:
    async with storage.read(ORG, user_id=ANNA) as snapshot:
        by_words = await snapshot.search.by_terms(EVERYTHING, "tea", 9)
        by_vector = await snapshot.search.by_vector(EVERYTHING, VECTOR, 9)
        log = await snapshot.interactions.log(ANNA, after_seq=0, limit=9)
    return len(by_words), len(by_vector.hits), [turn.content for turn in log]


async def _sweeps(storage: Storage) -> object:
    token = await storage.find_token(hash_token("hash"))
    due = await storage.due_scopes(limit=9)
    return token.org_id, [scope.user_id for scope in due], await storage.unembedded_count()


async def _claims(storage: Storage) -> object:
    await storage.claim_index("model", 16)
    return await storage.organisations()


async def _copies(storage: Storage) -> object:
    tenant = Tenant(org_id=OrgId("org-c"))
    async with storage.begin(tenant) as tx:
        await tx.organisation.ensure("c")
    async with storage.backend.write(tenant.org_id) as connection:
        row = {"org_id": tenant.org_id, "user_id": "copied", "last_seq": 0}
        users = sa.Table("users", sa.MetaData(), *(sa.Column(key, sa.Text) for key in ("org_id", "user_id")),
                         *(sa.Column(key, sa.BigInteger) for key in ("last_seq", "created_at", "updated_at")))  # fmt: skip
        await storage.backend.load(connection, users, [row | {"created_at": 1, "updated_at": 1}])
        found = await connection.execute(sa.select(users.c.user_id).where(users.c.org_id == tenant.org_id))
        return found.scalars().all()


STEPS: list[tuple[Callable[[Storage], Awaitable[object]], object]] = [
    (_publishes, 2),
    (_learns, "learned"),
    (_embeds, 2),
    (_finds, (3, 3, ["green tea", "black tea"])),
    (_sweeps, (ORG.org_id, [ANNA], 0)),
    (_claims, [ORG, OTHER_ORG]),
    (_copies, ["copied"]),
]
"""What an API process and a worker do, each with the answer."""


async def end_sessions(postgres: PostgresServer, name: str) -> int:
    """End every session of the program, as a pooler, a failover or an operator does; returns how many there were."""
    those = f"from pg_stat_activity where datname = '{name}' and usename = '{PROGRAM}'"
    ended = postgres.execute(f"select pg_terminate_backend(pid) {those}")

    async def are_gone() -> bool:
        return postgres.execute(f"select count(*) {those}") == [(0,)]

    await until(are_gone)
    return len(ended)


@pytest.mark.parametrize("pooler", [True, False])
async def test_no_transaction_needs_the_session_of_another(
    postgres: PostgresServer, name: str, *, pooler: bool
) -> None:
    """With a new session for each step all answers are right, and no caller hears of the connections that broke."""
    storage = await furnished(postgres.url_of(name, PROGRAM), connections=3, pooler=pooler)
    try:
        for step, expected in STEPS:
            assert await end_sessions(postgres, name) >= 1
            assert await step(storage) == expected, step.__name__
        await asyncio.gather(*(_finds(storage) for _ in range(3)))  # every connection is in use
        assert await end_sessions(postgres, name) == 3
        found = await asyncio.gather(*(_finds(storage) for _ in range(6)))
        assert found == [(3, 3, ["green tea", "black tea"])] * 6
    finally:
        await storage.close()


async def test_work_in_the_background_leaves_calls_half_of_the_connections(
    postgres: PostgresServer, name: str
) -> None:
    """However many users are learned from at a time, and however long that is written."""
    storage = await furnished(postgres.url_of(name, PROGRAM), connections=2)
    written, go_on, begun = 0, asyncio.Event(), asyncio.Event()

    async def learn() -> None:
        nonlocal written
        async with storage.begin(ORG):
            begun.set()
            await go_on.wait()
            written += 1

    try:
        learners = [asyncio.create_task(learn()) for _ in range(4)]
        await begun.wait()
        async with storage.begin(Principal(tenant=ORG)) as tx:
            assert await tx.organisation.ensure(ORG.org_id) is False
        async with storage.read(Principal(tenant=ORG)):
            assert written == 0
        go_on.set()
        await asyncio.gather(*learners)
        assert written == 4
    finally:
        await storage.close()


@pytest.mark.parametrize(("pooler", "prepares"), [(True, False), (False, True)])
async def test_statements_are_prepared_only_where_sessions_stay(
    postgres: PostgresServer, name: str, *, pooler: bool, prepares: bool
) -> None:
    """Behind a transaction pooler no statement is ever prepared: the next transaction may be in another session."""
    storage = await furnished(postgres.url_of(name, PROGRAM), connections=1, pooler=pooler)
    try:
        for step, expected in STEPS:
            assert await step(storage) == expected
        for _ in range(6):
            await _finds(storage)
        async with storage.backend.read(None) as connection:
            count = (
                await connection.execute(sa.text("select count(*) from pg_prepared_statements"))
            ).scalar_one()
        assert (count > 0) is prepares
    finally:
        await storage.close()


async def test_connection_that_breaks_inside_a_transaction_is_an_error(
    postgres: PostgresServer, name: str
) -> None:
    """Nobody is told that a transaction committed which did not; the next one has a new connection."""
    storage = await furnished(postgres.url_of(name, PROGRAM), connections=1)
    try:
        with pytest.raises(StorageError) as caught:  # noqa: PT012
            async with storage.begin(ORG) as tx:
                await tx.memories.add([new_memory("lost", uid="x")])
                await end_sessions(postgres, name)
        assert isinstance(caught.value.__cause__, DBAPIError)
        async with storage.read(ORG) as snapshot:
            assert await snapshot.memories.find_uids(["x"]) == {}
    finally:
        await storage.close()


async def said_of_itself(backend: Postgres, org: str, user: str) -> tuple[str, str, int]:
    """What a transaction of the program says of itself, and how many organisations it sees."""
    async with backend.read(OrgId(org), user_id=UserId(user)) as connection:
        statement = sa.text(
            "select current_setting('sagacity.org_id'), current_setting('sagacity.user_id'), count(*) from organisations"
        )
        return tuple((await connection.execute(statement)).one())


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
HOSTILE = st.sampled_from(
    [
        "'",
        "''",
        "\\",
        "\\'",
        "%",
        "%s",
        "%(a)s",
        "%%",
        ":org",
        "\n",
        "$1",
        "$$",
        "';reset all;--",
        "org-a'; --",
        "\u202e",
        "é",
        "🙂",
    ]
)
NAMES = st.one_of(TEXTS, HOSTILE, st.lists(st.one_of(TEXTS, HOSTILE), max_size=4).map("".join))


@pytest.mark.examples
def test_any_name_stays_inside_the_setting(postgres: PostgresServer, name: str) -> None:
    """Quotes, percent signs, backslashes, line ends, any script: what a transaction says is the name and no more."""
    url = postgres.url_of(name, PROGRAM)
    backend = Postgres(sa.make_url(url), connections=2)
    with asyncio.Runner() as runner:
        runner.run(runner.run(furnished(url, connections=1)).close())

        @given(org=NAMES, user=NAMES)
        def stays(org: str, user: str) -> None:
            assert runner.run(said_of_itself(backend, org, user)) == (
                org,
                user,
                int(org in (ORG.org_id, OTHER_ORG.org_id)),
            )

        stays()
        assert runner.run(said_of_itself(backend, ORG.org_id, BEN)) == (ORG.org_id, BEN, 1)
        runner.run(backend.close())
