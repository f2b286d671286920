"""Pass a list as one parameter, so that a statement's text does not depend on its length."""

import json
from collections.abc import Iterable
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import OperatorType


class _List(sa.types.TypeDecorator[list[Any]]):
    """An array on PostgreSQL, JSON on SQLite."""

    impl = sa.Text
    cache_ok = True

    def __init__(self, item: sa.types.TypeEngine[Any]) -> None:
        super().__init__()
        self.item = item

    def load_dialect_impl(self, dialect: Dialect) -> sa.types.TypeEngine[Any]:
        """Return the database's type."""
        return dialect.type_descriptor(
            postgresql.ARRAY(self.item) if dialect.name == "postgresql" else sa.Text()
        )

    def process_bind_param(self, value: list[Any] | None, dialect: Dialect) -> Any:
        """Return the value for the driver."""
        return value if dialect.name == "postgresql" else json.dumps(value)


class _Among(FunctionElement[bool]):
    """The condition of `among`; compiled below for each database."""

    type = sa.Boolean()
    name = "among"
    inherit_cache = True

    def self_group(self, against: OperatorType | None = None) -> Self:
        """Stay a bare condition: an index could not be used for a comparison with true."""
        return self


@compiles(_Among)
def _as_rows(element: _Among, compiler: SQLCompiler, **options: Any) -> str:
    column, values = element.clauses
    listed = f"SELECT value FROM json_each({compiler.process(values, **options)})"
    return f"{compiler.process(column, **options)} IN ({listed})"


@compiles(_Among, "postgresql")
def _as_array(element: _Among, compiler: SQLCompiler, **options: Any) -> str:
    column, values = element.clauses
    return f"{compiler.process(column, **options)} = ANY ({compiler.process(values, **options)})"


def among(column: sa.ColumnElement[Any], parameter: str) -> sa.ColumnElement[bool]:
    """Return the condition that *column* is one of the values in the statement's *parameter*."""
    return _Among(column, sa.bindparam(parameter, type_=_List(column.type)))


def one_of(column: sa.ColumnElement[Any], values: Iterable[Any]) -> sa.ColumnElement[bool]:
    """Return the condition that *column* is one of *values*, of any number."""
    given = sa.bindparam("values", list(values), type_=_List(column.type), unique=True)
    return _Among(column, given)


class _Found(_Among):
    """The condition of `found_by`; compiled below for each database."""

    name = "found"
    inherit_cache = True


@compiles(_Found)
def _as_selected(element: _Found, compiler: SQLCompiler, **options: Any) -> str:
    column, selected = element.clauses
    return f"{compiler.process(column, **options)} IN {compiler.process(selected, **options)}"


@compiles(_Found, "postgresql")
def _as_selected_array(element: _Found, compiler: SQLCompiler, **options: Any) -> str:
    column, selected = element.clauses
    return f"{compiler.process(column, **options)} = ANY (ARRAY{compiler.process(selected, **options)})"


def found_by(column: sa.ColumnElement[Any], selected: sa.ScalarSelect[Any]) -> sa.ColumnElement[bool]:
    """
    Return the condition that *column* is one of the few values that *selected* returns, each looked up by an index.

    Without statistics, PostgreSQL would rather read the column's whole table, and join it.
    """
    return _Found(column, selected)
