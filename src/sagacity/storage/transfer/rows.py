"""
Read the rows of one organisation in a table, in a fixed order, and compute their checksum.

The cost of a page depends only on its own rows, even if a database has no statistics yet: each statement sets the first
columns of a key, so that a planner has no other choice.

    the key begins with the organisation    → a range of that key, page by page
    rows of all organisations are numbered  → the organisation's numbers at once, then rows by number
"""

import json
from array import array
from bisect import bisect_right
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.ids import OrgId
from sagacity.storage.base import Backend
from sagacity.storage.schema.tables import (
    changes,
    interactions,
    leases,
    memories,
    metadata,
    requests,
    search_documents,
    search_index,
    search_scopes,
)
from sagacity.storage.schema.views import known_organisations
from sagacity.storage.statements.array_params import among

Row = dict[str, Any]
Rows = Sequence[sa.Row[Any]]
Key = tuple[Any, ...]

# Leases belong to running processes; the single row of `search_index` belongs to no organisation.
_ASIDE = (leases, search_index)
TABLES = tuple(table for table in metadata.sorted_tables if table not in _ASIDE)
"""The tables to copy, which belong to organisations; parents before children."""

_PAGE = 2_000
_PAGE_OF = {interactions: 100, requests: 500, memories: 500, changes: 500, search_documents: 500}
"""Rows per page: fewer if they may be long, fewest if each may have an image of some megabytes."""
_NUMBERS = 10_000
_MODULUS = 2**128


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one table that belong to one organisation."""

    table: sa.Table
    org_id: OrgId

    def __str__(self) -> str:
        return f"table {self.table.name} of organisation {self.org_id!r}"


@dataclass(frozen=True, slots=True)
class Sum:
    """The number of rows and the sum of their hashes, which is equal for equal rows in any order, on any backend."""

    count: int = 0
    total: int = 0

    def __add__(self, other: "Sum") -> "Sum":
        return Sum(self.count + other.count, (self.total + other.total) % _MODULUS)

    @property
    def checksum(self) -> str:
        """The sum of the hashes in hexadecimal."""
        return f"{self.total:032x}"


NOTHING = Sum()


class Snapshot:
    """A snapshot of a database, read part by part; rows are as a copy should have them."""

    def __init__(self, backend: Backend, connection: AsyncConnection) -> None:
        """Read through *connection*, which `backend.read(None)` opened."""
        self._backend = backend
        self._connection = connection
        self._counts: dict[Part, int] = {}
        self._entered: OrgId | None = None

    async def organisations(self) -> list[OrgId]:
        """Return every organisation, in the order of Python, which is the same for all backends."""
        rows = await self._connection.execute(sa.select(known_organisations.c.org_id))
        return sorted(OrgId(row.org_id) for row in rows)

    async def count(self, part: Part) -> int:
        """Return how many rows *part* has."""
        if part not in self._counts:
            self._counts[part] = await self._counted(part)
        return self._counts[part]

    async def pages(
        self, part: Part, *, after: Key | None = None, limit: int | None = None
    ) -> AsyncGenerator[list[Row]]:
        """Yield the rows of *part* after the key *after* in the order of their keys, up to *limit* in all."""
        left = await self.count(part) if limit is None else limit
        if not left:
            return
        instead = _instead(part)
        if (number := _number(part.table)) is not None:
            found = self._by_number(part, number, after)
        else:
            found = self._by_key(part, after)
        async with aclosing(found):
            async for rows in found:
                page = [_named(part.table, row) | instead for row in rows[:left]]
                left -= len(page)
                yield page
                if not left:
                    return

    async def index(self, org_id: OrgId) -> Row | None:
        """Return the row of `search_index`, which says what made the index; every organisation may see it."""
        await self._enter(org_id)
        row = (await self._connection.execute(sa.select(search_index))).first()
        return None if row is None else _named(search_index, row)

    async def _counted(self, part: Part) -> int:
        counted = sa.select(sa.func.count()).select_from(part.table)
        return (await self._rows(part, counted.where(part.table.c.org_id == part.org_id)))[0][0]

    async def _by_key(self, part: Part, after: Key | None) -> AsyncGenerator[Rows]:
        """Yield rows of a table whose key begins with the organisation, or that is always small."""
        key = _key(part.table)
        statement = sa.select(part.table).where(part.table.c.org_id == part.org_id)
        statement = statement.order_by(*key).limit(_size(part.table))
        while True:
            rest = statement if after is None else statement.where(_behind(key, after))
            if not (rows := await self._rows(part, rest)):
                return
            yield rows
            after = key_of(part.table, _named(part.table, rows[-1]))

    async def _by_number(self, part: Part, number: sa.Column[int], after: Key | None) -> AsyncGenerator[Rows]:
        """Yield rows by their numbers, which are read first."""
        numbers, size = await self._numbers(part, number), _size(part.table)
        statement = sa.select(part.table).where(among(number, "numbers")).order_by(number)
        for at in range(0 if after is None else bisect_right(numbers, after[0]), len(numbers), size):
            yield await self._rows(part, statement, {"numbers": numbers[at : at + size].tolist()})

    async def _numbers(self, part: Part, number: sa.Column[int]) -> "array[int]":
        """Return the numbers of all rows in order, at eight bytes each, because there may be millions."""
        await self._enter(part.org_id)
        numbers = array("q")
        statement = sa.select(number).where(part.table.c.org_id == part.org_id)
        async with self._connection.stream(statement) as found:
            async for rows in found.partitions(_NUMBERS):
                numbers.extend([row[0] for row in rows])
        np.frombuffer(numbers, np.int64).sort()  # in place
        return numbers

    async def _rows(
        self, part: Part, statement: sa.Executable, values: Mapping[str, Any] | None = None
    ) -> Rows:
        await self._enter(part.org_id)
        return (await self._connection.execute(statement, values)).all()

    async def _enter(self, org_id: OrgId) -> None:
        if self._entered is None:
            await self._backend.read_in_key_order(self._connection)
        if org_id != self._entered:
            await self._backend.enter(self._connection, org_id)
            self._entered = org_id


def key_of(table: sa.Table, row: Row) -> Key:
    """Return the key of *row* among the organisation's rows."""
    return tuple(row[column.name] for column in _key(table))


def sum_of(table: sa.Table, rows: Sequence[Row]) -> Sum:
    """Return the checksum of *rows*: 128 bits of BLAKE2 over each row, in a form that is the same for all backends."""
    names = [column.name for column in table.columns if not isinstance(column.type, sa.JSON)]
    documents = [column.name for column in table.columns if isinstance(column.type, sa.JSON)]
    total = 0
    for row in rows:
        values = [*(row[name] for name in names), *(_one_number_form(row[name]) for name in documents)]
        text = _FORM.encode(values)
        total += int.from_bytes(blake2b(text.encode(), digest_size=16).digest())
    return Sum(len(rows), total % _MODULUS)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (bytes, memoryview)):
        return value.hex()
    raise TypeError(f"no column holds a {type(value).__name__}")


_FORM = json.JSONEncoder(sort_keys=True, separators=(",", ":"), check_circular=False, default=_plain)


def _one_number_form(value: Any) -> Any:
    """Return a JSON value with whole numbers as integers: some databases store 1e2, 100.0 and 100 alike."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [_one_number_form(one) for one in value]  # pyright: ignore[reportUnknownVariableType]  JSON
    if isinstance(value, dict):
        return {key: _one_number_form(one) for key, one in value.items()}  # pyright: ignore[reportUnknownVariableType]  JSON
    return value


def _instead(part: Part) -> Row:
    """Return the values that a copy gets instead of those true only here: how far a vector store has been filled."""
    return {"copied_revision": 0} if part.table is search_scopes else {}


def _named(table: sa.Table, row: Sequence[Any]) -> Row:
    return dict(zip(table.columns.keys(), row, strict=True))


def _key(table: sa.Table) -> list[sa.Column[Any]]:
    columns = list(table.primary_key.columns)
    return [column for column in columns if column.name != "org_id"] or columns


def _number(table: sa.Table) -> sa.Column[int] | None:
    """Return the column that numbers the rows of all organisations, if there is one."""
    (first, *more) = table.primary_key.columns
    return first if not more and isinstance(first.type, sa.Integer) else None


def _size(table: sa.Table) -> int:
    return _PAGE_OF.get(table, _PAGE)


def _behind(key: Sequence[sa.Column[Any]], after: Key) -> sa.ColumnElement[bool]:
    if len(key) == 1:
        return key[0] > after[0]
    values = [sa.literal(value, column.type) for column, value in zip(key, after, strict=True)]
    return sa.tuple_(*key) > sa.tuple_(*values)
