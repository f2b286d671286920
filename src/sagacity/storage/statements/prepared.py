"""Prepared statements: compiled once, and run directly through the driver in a fraction of SQLAlchemy's time."""

from collections import namedtuple
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, NamedTuple, cast
from weakref import WeakSet

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import InvalidRequestError, StatementError
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.compiler import SQLCompiler

from sagacity.domain.paced import give_way
from sagacity.storage.statements.json_text import read_json

MOST_KEPT = 512
"""How many statements are cached: some hundreds are built once and used by every call, with their narrowed forms."""
_ROWS_AT_ONCE = 500
"""How many rows are converted at a time: a memory has some thirty columns to convert, which takes ten microseconds."""
_COUNTED = {"preserve_rowcount": True}
"""Without this, SQLAlchemy says of an INSERT on PostgreSQL that it touched -1 rows."""
_KEPT = (sa.Select, sa.CompoundSelect, sa.Insert, sa.Update, sa.Delete)
Parameters = Mapping[str, Any]
Values = tuple[Any, ...] | dict[str, Any]
"""Values for a statement's placeholders, as the driver takes them."""
_Convert = Callable[[Any], Any]


class DriverResult(NamedTuple):
    """The driver's result of a statement."""

    columns: Sequence[Any]
    """The columns as the cursor describes them; empty if there are no rows."""
    rows: Sequence[Sequence[Any]]
    row_count: int
    """How many rows were found or touched."""


class BoundStatement(NamedTuple):
    """A statement for the driver."""

    text: str
    values: Values | list[Values]
    """The values; with a list of them, the statement runs once for each."""
    returns_rows: bool


RunStatement = Callable[[BoundStatement], Awaitable[DriverResult]]
"""Asks the driver."""


class _Value(NamedTuple):
    """A placeholder for a value in a statement."""

    name: str
    key: str
    default: Any
    is_required: bool
    convert: _Convert | None


class Prepared:
    """One statement for one dialect: its text, and the conversions of its values and of its result's columns."""

    def __init__(self, compiled: SQLCompiler, dialect: Dialect) -> None:
        """Keep the parts of *compiled* that are needed."""
        self._text = compiled.string
        self._dialect = dialect
        self._is_positional = compiled.positional
        names = compiled.positiontup if compiled.positiontup is not None else list(compiled.binds)
        self._values = tuple(_value(compiled, name, dialect) for name in names)
        self._get = _getter([one.key for one in self._values])
        self._defaults = {one.key: one.default for one in self._values if not one.is_required}
        self._given_as = [
            (place, one.convert) for place, one in enumerate(self._values) if one.convert is not None
        ]
        self._types = tuple(column.type for column in _columns(compiled))
        self._make = _row_of(tuple(column.keyname for column in _columns(compiled)))
        self._converts: list[tuple[int, _Convert]] | None = None

    def told(self, parameters: Parameters | Sequence[Parameters]) -> BoundStatement:
        """
        Return the statement with *parameters*, converted for the driver.

        Raises:
            StatementError: a parameter is missing.
        """
        values = (
            self._values_of(parameters)
            if isinstance(parameters, Mapping)
            else [self._values_of(one) for one in parameters]
        )
        return BoundStatement(self._text, values, returns_rows=bool(self._types))

    def _values_of(self, own: Parameters) -> Values:
        try:
            found = self._get(own)  # all at once: a row has some thirty
        except KeyError:
            found = self._with_defaults(own)
        if self._given_as:
            values = list(found)
            for place, convert in self._given_as:
                values[place] = convert(values[place])
            found = tuple(values)
        if self._is_positional:
            return found
        return {one.name: value for one, value in zip(self._values, found, strict=True)}

    def _with_defaults(self, own: Parameters) -> tuple[Any, ...]:
        try:
            return self._get({**self._defaults, **own})
        except KeyError as missing:
            why = f"a value is required for bind parameter {missing.args[0]!r}"
            raise StatementError(why, self._text, None, InvalidRequestError(why)) from missing

    def rows(self, driven: DriverResult) -> list[Any]:
        """Return rows with the columns as attributes, like SQLAlchemy's."""
        make, found = self._make, driven.rows
        converts = self._converts
        if converts is None:  # some types depend on the result's columns
            converts = self._converts = [
                (place, convert)
                for place, (kind, column) in enumerate(zip(self._types, driven.columns, strict=True))
                if (convert := _read_as(kind, self._dialect, column[1])) is not None
            ]
        if not converts:
            return [make(one) for one in found]
        made: list[Any] = []
        for one in found:
            values = list(one)
            for place, convert in converts:
                if (value := values[place]) is not None:
                    values[place] = convert(value)
            made.append(make(values))
        return made


class PreparedStatements:
    """A backend's cache of statements that were run more than once."""

    def __init__(self, dialect: Dialect) -> None:
        """Begin with an empty cache; all connections use *dialect*, or the same for another event loop."""
        self._met: WeakSet[Any] = WeakSet()
        self._kept = lru_cache(maxsize=MOST_KEPT)(partial(_prepared, dialect=dialect))

    async def rows(
        self, connection: AsyncConnection, statement: sa.Executable, parameters: Any, ask: RunStatement
    ) -> Sequence[Any]:
        """
        Run a statement and return its rows; its first run goes through SQLAlchemy.

        Functions that narrow what the connection reaches (`narrowed`, `unheld`) apply here too.

        Args:
            connection: the connection of an open transaction.
            statement: any; one that is built for a single call is never prepared.
            parameters: its values by name; with a list of them, the statement runs once for each.
            ask: runs a statement on the connection's driver.
        """
        prepared, own = self._find(connection, statement, parameters)
        if prepared is None:
            return await _all(await connection.execute(statement, parameters))
        driven = await ask(prepared.told(own))
        if len(driven.rows) <= _ROWS_AT_ONCE:
            return prepared.rows(driven)
        made: list[Any] = []
        for start in range(0, len(driven.rows), _ROWS_AT_ONCE):
            made += prepared.rows(driven._replace(rows=driven.rows[start : start + _ROWS_AT_ONCE]))
            await give_way()
        return made

    def rows_at_once(
        self,
        statement: sa.Executable,
        parameters: Parameters | None,
        ask: Callable[[BoundStatement], DriverResult],
    ) -> Sequence[Any]:
        """
        Run a statement that nothing narrows, and return its rows.

        Args:
            statement: a statement that is built once, and whose text does not depend on its values.
            parameters: its values by name.
            ask: runs a statement on a driver.
        """
        prepared = self._kept(statement, (), is_for_each=False)
        if prepared is None:
            raise TypeError("the text of the statement depends on its values")
        return prepared.rows(ask(prepared.told(parameters or {})))

    async def run(
        self, connection: AsyncConnection, statement: sa.Executable, parameters: Any, ask: RunStatement
    ) -> int:
        """Run a statement as `rows` does; returns the number of affected rows."""
        prepared, own = self._find(connection, statement, parameters)
        if prepared is None:
            result = await connection.execute(statement, parameters, execution_options=_COUNTED)
            return result.rowcount
        return (await ask(prepared.told(own))).row_count

    def _find(
        self, connection: AsyncConnection, statement: sa.Executable, parameters: Any
    ) -> tuple[Prepared | None, Parameters | Sequence[Parameters]]:
        """Return the cached statement, narrowed, with its values; None if it is not cached."""
        sync = connection.sync_connection
        if (
            sync is None
            or not isinstance(statement, _KEPT)
            or parameters == []
            or sync.dispatch.before_cursor_execute
        ):
            return None, ()
        if statement not in self._met:
            self._met.add(statement)
            return None, ()
        whole, several, one = _narrowed(sync, statement, parameters)
        names = tuple(several[0] if several else one) if isinstance(statement, sa.UpdateBase) else ()
        return self._kept(whole, names, is_for_each=bool(several)), several or one


async def _all(result: sa.CursorResult[Any]) -> Sequence[Any]:
    """Return all rows, some at a time."""
    made: list[Any] = []
    while some := result.fetchmany(_ROWS_AT_ONCE):
        made += some
        if len(some) == _ROWS_AT_ONCE:
            await give_way()
    return made


def _narrowed(
    connection: sa.Connection, statement: Any, parameters: Any
) -> tuple[Any, list[Parameters], Parameters]:
    """Return a statement, its rows of values and its values as changed by the listeners on *connection*."""
    several, one = cast(
        "tuple[list[Parameters], Parameters]",
        (parameters, {}) if isinstance(parameters, list) else ([], parameters or {}),
    )
    options = statement.get_execution_options()
    for narrow in connection.dispatch.before_execute:
        statement, several, one = narrow(connection, statement, several, one, options)
    return statement, several, one


def driver_of(connection: AsyncConnection) -> object:
    """Return the driver's connection of an open transaction."""
    sync = connection.sync_connection
    return None if sync is None else sync.connection.driver_connection


def _prepared(
    statement: Any, names: tuple[str, ...], *, is_for_each: bool, dialect: Dialect
) -> Prepared | None:
    """
    Return a prepared statement; None if its text depends on its values, or its columns have no unique names.

    Args:
        statement: the statement, already narrowed.
        names: the names of the values, for a statement that writes.
        is_for_each: whether it runs once for each of several rows of values.
        dialect: the dialect of the database.
    """
    compiled = statement.compile(
        dialect=dialect, column_keys=sorted(names) or None, for_executemany=is_for_each
    )
    columns = [column.keyname for column in _columns(compiled)]
    changes = compiled.post_compile_params or compiled.literal_execute_params or compiled.escaped_bind_names
    computes = any(not getattr(column.default, "is_scalar", False) for column in compiled.insert_prefetch)
    if changes or computes or compiled.update_prefetch or len(set(columns)) < len(columns):
        return None
    return Prepared(compiled, dialect)


def _columns(compiled: SQLCompiler) -> Sequence[Any]:
    return compiled._result_columns  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  nothing public says their types


def _getter(keys: Sequence[str]) -> Callable[[Parameters], tuple[Any, ...]]:
    """Return a function that takes the values of *keys* from a mapping, and raises KeyError if one is missing."""
    if len(keys) > 1:
        return itemgetter(*keys)
    return lambda own: tuple(own[key] for key in keys)  # for one key, `itemgetter` returns a bare value


def _value(compiled: SQLCompiler, name: str, dialect: Dialect) -> _Value:
    bound = compiled.binds[name]
    convert = _written_as(bound.type, dialect)
    defaults: Mapping[str, Any] = {
        column.key: column.default.arg
        for column in compiled.insert_prefetch
        if isinstance(column.default, sa.ColumnDefault)
    }
    return _Value(name, bound.key, defaults.get(bound.key, bound.effective_value), bound.required, convert)


def _written_as(kind: sa.types.TypeEngine[Any], dialect: Dialect) -> _Convert | None:
    own = kind.dialect_impl(dialect)
    convert: _Convert | None = own.bind_processor(dialect)
    if isinstance(own, sa.JSON) and convert is not None and convert({}) == "{}":
        return partial(_json_text, convert)
    return convert


def _json_text(convert: _Convert, value: Any) -> Any:
    return "{}" if value == {} else convert(value)  # the most common value


def _read_as(kind: sa.types.TypeEngine[Any], dialect: Dialect, told: Any) -> _Convert | None:
    own = kind.dialect_impl(dialect)
    convert = own.result_processor(dialect, told)
    if isinstance(own, sa.JSON) and convert is not None:
        return _json
    return convert


def _json(value: Any) -> Any:
    if value == "[]":  # the most common value
        return []
    if value == "{}":
        return {}
    return read_json(value) if isinstance(value, str | bytes) else value


@lru_cache(maxsize=MOST_KEPT)
def _row_of(names: tuple[str, ...]) -> Callable[[Iterable[Any]], Any]:
    """Return a function that makes tuples with *names*, which have a `_mapping` like SQLAlchemy's rows."""
    named = namedtuple("Row", names, rename=True)  # noqa: PYI024  # pyright: ignore[reportUntypedNamedTuple]  a query's
    mapping = property(lambda row: dict(zip(names, row, strict=True)))
    row: Any = type("Row", (named,), {"__slots__": (), "_mapping": mapping})
    # The same as `_make`, without a Python call for each row.
    return partial(tuple.__new__, row)  # pyright: ignore[reportUnknownMemberType]  typeshed's
