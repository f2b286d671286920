"""Queries that come again go through the driver: the rows are the same, narrowed alike; none of one call is kept."""

import gc
import weakref
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
import pytest_asyncio
import sqlalchemy as sa
from sqlalchemy.exc import StatementError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from sagacity.storage.schema.columns import Json, Moment
from sagacity.storage.statements.array_params import among
from sagacity.storage.statements.prepared import Driven, PreparedQueries, driver_of

WHEN = datetime(2026, 5, 20, 12, 30, tzinfo=UTC)
THINGS = sa.Table(
    "things",
    sa.MetaData(),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text),
    sa.Column("said", Json),
    sa.Column("at", Moment),
    sa.Column("is_kept", sa.Boolean(create_constraint=False)),
)
ROWS = [
    {"number": 1, "name": "one", "said": {"a": [1, None]}, "at": WHEN, "is_kept": True},
    {"number": 2, "name": "two", "said": None, "at": None, "is_kept": None},
    {"number": 3, "name": "three", "said": "3", "at": WHEN, "is_kept": False},
]


class Asked:
    """A connection, and what its driver was asked beside SQLAlchemy."""

    def __init__(self, connection: AsyncConnection) -> None:
        self.connection = connection
        self.queries = PreparedQueries(connection.dialect)
        self.texts: list[str] = []

    async def rows(self, statement: sa.Executable, parameters: object = None) -> list[object]:
        return list(await self.queries.rows(self.connection, statement, parameters, self._ask))

    async def _ask(self, text: str, values: object) -> Driven:
        self.texts.append(text)
        driver = driver_of(self.connection)
        cursor = await driver.execute(text, values)
        return cursor.description, await cursor.fetchall()


@pytest_asyncio.fixture
async def asked() -> AsyncIterator[Asked]:
    engine = create_async_engine(
        "sqlite+aiosqlite://", execution_options={"compiled_cache": None}
    )  # or it keeps them
    async with engine.connect() as connection:
        await connection.run_sync(THINGS.metadata.create_all)
        await connection.execute(THINGS.insert(), ROWS)
        yield Asked(connection)
    await engine.dispose()


async def test_rows_are_the_same_however_often_a_query_comes(asked: Asked) -> None:
    """By place, by name and as a mapping, with values of every type that we keep."""
    query = sa.select(THINGS, sa.func.length(THINGS.c.name)).where(among(THINGS.c.number, "numbers"))
    query = query.where(THINGS.c.name != "four").order_by(THINGS.c.number)
    first, *others = [await asked.rows(query, {"numbers": [1, 2, 3]}) for _ in range(4)]
    assert len(asked.texts) == 3
    for rows in others:
        assert [tuple(row) for row in rows] == [tuple(row) for row in first]
        assert [row._fields for row in rows] == [row._fields for row in first]
        assert [dict(row._mapping) for row in rows] == [dict(row._mapping) for row in first]
    assert [(row.number, row.at) for row in others[0]] == [(1, WHEN), (2, None), (3, WHEN)]
    assert await asked.rows(query, {"numbers": [2]}) == [first[1]]


async def test_a_query_that_needs_a_value_says_so(asked: Asked) -> None:
    """As SQLAlchemy does: a value that is missing is not taken for nothing."""
    query = sa.select(THINGS.c.number).where(THINGS.c.name == sa.bindparam("name"))
    for _ in range(3):
        with pytest.raises(StatementError, match="required"):
            await asked.rows(query, {"other": 1})
    assert await asked.rows(query, {"name": None}) == []


async def test_who_narrows_a_connection_narrows_what_is_prepared(asked: Asked) -> None:
    """From the moment when it begins until it ends, with the values that it adds."""
    query = sa.select(THINGS.c.number).order_by(THINGS.c.number)
    narrower = query.where(THINGS.c.name == sa.bindparam("only"))

    def narrow(_connection, _statement, several, one, _options):
        return narrower, several, {**one, "only": "two"}

    for _ in range(3):
        assert await asked.rows(query) == [(1,), (2,), (3,)]
    sa.event.listen(asked.connection.sync_connection, "before_execute", narrow, retval=True)
    for _ in range(3):
        assert await asked.rows(query) == [(2,)]
    sa.event.remove(asked.connection.sync_connection, "before_execute", narrow)
    assert await asked.rows(query) == [(1,), (2,), (3,)]
    assert len(asked.texts) == 6


async def test_what_cannot_be_prepared_is_answered_all_the_same(asked: Asked) -> None:
    """A list in the statement itself, columns of one name, and what is no query."""
    listed = sa.select(THINGS.c.number).where(THINGS.c.number.in_([1, 3])).order_by(THINGS.c.number)
    twice = sa.select(THINGS.c.number.label("n"), THINGS.c.name.label("n")).where(THINGS.c.number == 1)
    changed = sa.update(THINGS).values(name="one").where(THINGS.c.number == 1).returning(THINGS.c.number)
    for _ in range(3):
        assert await asked.rows(listed) == [(1,), (3,)]
        assert await asked.rows(twice) == [(1, "one")]
        assert await asked.rows(changed) == [(1,)]
    assert not asked.texts


async def test_a_query_of_one_call_is_let_go(asked: Asked) -> None:
    """It may hold what somebody said."""
    said = sa.select(THINGS.c.number).where(THINGS.c.name == "a secret")
    await asked.rows(said)
    gone = weakref.ref(said)
    del said
    gc.collect()
    assert gone() is None
