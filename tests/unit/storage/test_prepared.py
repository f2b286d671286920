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
from sagacity.storage.statements.prepared import BoundStatement, DriverResult, PreparedStatements, driver_of

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
        self.queries = PreparedStatements(connection.dialect)
        self.texts: list[str] = []

    async def rows(self, statement: sa.Executable, parameters: object = None) -> list[object]:
        return list(await self.queries.rows(self.connection, statement, parameters, self._ask))

    async def run(self, statement: sa.Executable, parameters: object = None) -> int:
        return await self.queries.run(self.connection, statement, parameters, self._ask)

    async def _ask(self, told: BoundStatement) -> DriverResult:
        self.texts.append(told.text)
        driver, found = driver_of(self.connection), []
        for values in told.values if isinstance(told.values, list) else [told.values]:
            cursor = await driver.execute(told.text, values)
            found += await cursor.fetchall()
        return DriverResult(
            cursor.description or (), found, len(found) if told.returns_rows else cursor.rowcount
        )


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
    """A list in the statement itself, and columns of one name."""
    listed = sa.select(THINGS.c.number).where(THINGS.c.number.in_([1, 3])).order_by(THINGS.c.number)
    twice = sa.select(THINGS.c.number.label("n"), THINGS.c.name.label("n")).where(THINGS.c.number == 1)
    for _ in range(3):
        assert await asked.rows(listed) == [(1,), (3,)]
        assert await asked.rows(twice) == [(1, "one")]
    assert not asked.texts


async def test_a_query_of_one_call_is_let_go(asked: Asked) -> None:
    """It may hold what somebody said."""
    said = sa.select(THINGS.c.number).where(THINGS.c.name == "a secret")
    await asked.rows(said)
    gone = weakref.ref(said)
    del said
    gc.collect()
    assert gone() is None


async def test_what_writes_is_prepared_like_what_reads(asked: Asked) -> None:
    """One row or several, with what it returns and how many rows it touched; values are stored as SQLAlchemy does."""
    added = THINGS.insert()
    numbered = THINGS.insert().returning(THINGS.c.number, THINGS.c.at)
    renamed = (
        sa.update(THINGS).where(THINGS.c.number > sa.bindparam("above")).values(name=sa.bindparam("new"))
    )
    gone = sa.delete(THINGS).where(THINGS.c.number == sa.bindparam("gone"))
    for place in range(3):
        first = 10 * (place + 1)
        rows = [{**row, "number": first + row["number"]} for row in ROWS]
        assert await asked.run(added, rows[0]) == 1
        assert await asked.rows(numbered, rows[1:]) == [(first + 2, None), (first + 3, WHEN)]
        assert await asked.run(renamed, {"above": first, "new": f"new {place}"}) == 3
        found = sa.select(THINGS.c.said, THINGS.c.is_kept, THINGS.c.name).where(THINGS.c.number > first)
        kept = [(row["said"], row["is_kept"], f"new {place}") for row in ROWS]
        assert await asked.rows(found.order_by(THINGS.c.number)) == kept
        assert await asked.run(gone, {"gone": first + 1}) == 1
        assert await asked.run(gone, {"gone": first + 1}) == 0
    assert len(asked.texts) == 3 * 5 - 4


async def test_a_statement_writes_the_columns_that_it_is_given(asked: Asked) -> None:
    """The same one with other columns is another text: the others get their defaults."""
    added = THINGS.insert()
    for number in (11, 12, 13):
        assert await asked.run(added, {"number": number, "name": "x"}) == 1
        assert await asked.run(added, {"number": number + 10, "is_kept": True}) == 1
    rows = await asked.rows(sa.select(THINGS.c.name, THINGS.c.is_kept).where(THINGS.c.number > 10))
    assert rows == [("x", None)] * 3 + [(None, True)] * 3
