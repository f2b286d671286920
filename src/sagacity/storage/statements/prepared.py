"""Queries that come again: compiled once, and run through the driver, which takes a fraction of SQLAlchemy's time."""

from collections import namedtuple
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple
from weakref import WeakSet

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import InvalidRequestError, StatementError
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.compiler import SQLCompiler

from sagacity.storage.statements.json_text import read_json

MOST_KEPT = 512
"""Queries that are built once and used by every call; there are some hundreds, with their narrowed forms."""
Given = Mapping[str, Any] | None
Driven = tuple[Sequence[Any], Sequence[Sequence[Any]]]
"""What the driver says of the columns, and the rows."""
Ask = Callable[[str, Any], Awaitable[Driven]]
"""Asks the driver: a text, and its values."""
_Convert = Callable[[Any], Any]


class _Value(NamedTuple):
    """A place for a value in a query."""

    name: str
    key: str
    default: Any
    is_required: bool
    convert: _Convert | None


class Prepared:
    """One query for one dialect: its text, what becomes of values on their way in, and of columns on their way out."""

    def __init__(self, compiled: SQLCompiler, dialect: Dialect) -> None:
        """Keep what is needed of *compiled*."""
        self.text = compiled.string
        self._dialect = dialect
        self._is_positional = compiled.positional
        names = compiled.positiontup if compiled.positiontup is not None else list(compiled.binds)
        self._values = tuple(_value(compiled, name, dialect) for name in names)
        self._types = tuple(column.type for column in _columns(compiled))
        self._make = _row_of(tuple(column.keyname for column in _columns(compiled)))
        self._converts: list[tuple[int, _Convert]] | None = None

    def given(self, parameters: Given) -> tuple[Any, ...] | dict[str, Any]:
        """
        Return *parameters* as the driver takes them.

        Raises:
            StatementError: one is missing.
        """
        own = parameters or {}
        values = [self._given(one, own) for one in self._values]
        if self._is_positional:
            return tuple(values)
        return {one.name: value for one, value in zip(self._values, values, strict=True)}

    def _given(self, one: _Value, own: Mapping[str, Any]) -> Any:
        value = own.get(one.key, one.default)
        if value is None and one.is_required and one.key not in own:
            why = f"a value is required for bind parameter {one.key!r}"
            raise StatementError(why, self.text, None, InvalidRequestError(why))
        return value if one.convert is None else one.convert(value)

    def rows(self, driven: Driven) -> list[Any]:
        """Return rows with the columns as attributes, like SQLAlchemy's."""
        description, found = driven
        make = self._make
        converts = self._converts
        if converts is None:  # some types ask what the database answers
            converts = self._converts = [
                (place, convert)
                for place, (kind, told) in enumerate(zip(self._types, description, strict=True))
                if (convert := _read_as(kind, self._dialect, told[1])) is not None
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


class PreparedQueries:
    """The queries of one backend that came more than once."""

    def __init__(self, dialect: Dialect) -> None:
        """Begin with none; all connections that are asked speak *dialect*, or the same for another event loop."""
        self._met: WeakSet[Any] = WeakSet()
        self._kept = lru_cache(maxsize=MOST_KEPT)(partial(_prepared, dialect=dialect))

    async def rows(
        self, connection: AsyncConnection, statement: sa.Executable, parameters: Any, ask: Ask
    ) -> Sequence[Any]:
        """
        Run a query and return its rows; what is no query, or comes for the first time, goes through SQLAlchemy.

        Whoever narrows what the connection reads (`narrowed`, `unheld`) narrows it here, too, by the same functions.

        Args:
            connection: of an open transaction.
            statement: any; one that is built for this call alone is never prepared.
            parameters: its values, by name.
            ask: asks the connection's driver.
        """
        sync = connection.sync_connection
        prepared, own = None, parameters
        if sync is not None and _is_query(statement, parameters) and not sync.dispatch.before_cursor_execute:
            if statement in self._met:
                whole, options = statement, statement.get_execution_options()
                for narrow in sync.dispatch.before_execute:
                    whole, _, own = narrow(sync, whole, [], own or {}, options)
                prepared = self._kept(whole)
            else:
                self._met.add(statement)
        if prepared is None:
            return (await connection.execute(statement, parameters)).all()
        return prepared.rows(await ask(prepared.text, prepared.given(own)))


def driver_of(connection: AsyncConnection) -> object:
    """Return the driver's connection of an open transaction."""
    sync = connection.sync_connection
    return None if sync is None else sync.connection.driver_connection


def _is_query(statement: sa.Executable, parameters: Any) -> bool:
    return isinstance(statement, sa.Select | sa.CompoundSelect) and not isinstance(parameters, list)


def _prepared(statement: Any, *, dialect: Dialect) -> Prepared | None:
    """Return a query prepared; None where its text depends on its values, or its columns have no names of their own."""
    compiled = statement.compile(dialect=dialect)
    names = [column.keyname for column in _columns(compiled)]
    changes = compiled.post_compile_params or compiled.literal_execute_params or compiled.escaped_bind_names
    if changes or len(set(names)) < len(names):
        return None
    return Prepared(compiled, dialect)


def _columns(compiled: SQLCompiler) -> Sequence[Any]:
    return compiled._result_columns  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  nothing public says their types


def _value(compiled: SQLCompiler, name: str, dialect: Dialect) -> _Value:
    bound = compiled.binds[name]
    convert = bound.type.dialect_impl(dialect).bind_processor(dialect)
    return _Value(name, bound.key, bound.effective_value, bound.required, convert)


def _read_as(kind: sa.types.TypeEngine[Any], dialect: Dialect, told: Any) -> _Convert | None:
    own = kind.dialect_impl(dialect)
    convert = own.result_processor(dialect, told)
    if isinstance(own, sa.JSON) and convert is not None:
        return _json
    return convert


def _json(value: Any) -> Any:
    return read_json(value) if isinstance(value, str | bytes) else value


@lru_cache(maxsize=MOST_KEPT)
def _row_of(names: tuple[str, ...]) -> Callable[[Iterable[Any]], Any]:
    """Return what makes a tuple with *names* of values; it tells its mapping as SQLAlchemy's rows do."""
    named = namedtuple("Row", names, rename=True)  # noqa: PYI024  # pyright: ignore[reportUntypedNamedTuple]  a query's
    mapping = property(lambda row: dict(zip(names, row, strict=True)))
    row: Any = type("Row", (named,), {"__slots__": (), "_mapping": mapping})
    return row._make  # noqa: SLF001  public, of named tuples
