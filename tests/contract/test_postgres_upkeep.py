"""What an operator's commands do in a PostgreSQL that is large and in use: they take their time, and hold nobody up."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
import sqlalchemy as sa
from psycopg import connect

from conftest import PROGRAM
from sagacity.storage.base import Scope
from sagacity.storage.open import PostgresOptions, open_storage
from sagacity.storage.postgres.vectors import index_name
from sagacity.storage.search.rebuild import rebuild
from sagacity.storage.transaction import Storage
from support.local_servers import PostgresServer
from support.parts import ORG, CountingIds, StoppedClock, said
from support.waiting import until

INDEX = index_name(16)
SLOW = (
    "create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(1); return null; end'",
    "create trigger slow before delete on search_documents execute function slow()",
)
INVALID = (
    f"create index {INDEX} on search_documents (org_id)",
    f"update pg_index set indisvalid = false where indexrelid = '{INDEX}'::regclass",
)
WAITS = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like 'DROP INDEX%'"
VALID = f"select indisvalid from pg_index where indexrelid = to_regclass('{INDEX}')"


@pytest.fixture
def name(postgres: PostgresServer, migrated_database: str) -> Iterator[str]:
    """A database of this release."""
    name = postgres.new_database(template=migrated_database)
    yield name
    postgres.drop_database(name)


@pytest.fixture
async def storage(postgres: PostgresServer, name: str) -> AsyncIterator[Storage]:
    """That database, of which also the owner is known."""
    options = PostgresOptions(owner_url=postgres.url_of(name))
    storage = await open_storage(
        postgres.url_of(name, PROGRAM), clock=StoppedClock(), ids=CountingIds(), postgres=options
    )
    async with storage.begin(ORG) as tx:
        await tx.organisation.ensure()
    yield storage
    await storage.close()


async def test_an_index_is_made_anew_however_long_a_statement_takes(
    storage: Storage, postgres: PostgresServer, name: str
) -> None:
    """What ends a request that hangs does not end the replacing of an organisation's documents."""
    await storage.append(ORG, said("green tea", request_id="r"))
    for statement in SLOW:
        postgres.execute(statement, database=name)
    backend = storage.backend
    done: list[tuple[int, int]] = []
    async with backend.write(ORG.org_id) as connection:
        await connection.exec_driver_sql("SET LOCAL statement_timeout = '500ms'")
        scope = Scope(connection, ORG.org_id, backend, storage._clock, storage._ids, writes=True)
        await rebuild([scope], lambda *numbers: done.append(numbers), keeps_vectors=False)
    assert done[-1] == (1, 1)
    async with backend.read(ORG.org_id) as connection:
        told = (await connection.execute(sa.text("show statement_timeout"))).scalar_one()
    assert told == "2min"


async def test_a_broken_index_is_replaced_while_others_read(
    storage: Storage, postgres: PostgresServer, name: str
) -> None:
    """Whoever comes while the dropping waits for a reader does not wait behind it."""
    for statement in INVALID:
        postgres.execute(statement, database=name)

    async def waits() -> bool:
        return postgres.execute(WAITS) == [(1,)]

    look = "select count(*) from search_documents"
    with connect(postgres.url_of(name)) as reader:
        reader.execute(look)
        making = asyncio.create_task(storage.claim_index("test", 16))
        try:
            await until(waits)
            with connect(postgres.url_of(name)) as other:
                other.execute("set lock_timeout = '1s'")
                assert other.execute(look).fetchone() == (0,)
        finally:
            reader.rollback()
            await making
    assert postgres.execute(VALID, database=name) == [(True,)]
